/** Ties the chats to their tabs: what a chat tells goes to its tab's title and state. */
import type { Chat, ChatState } from "../chat/chat.js";
import type { Chats } from "../chat/chats.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tabs } from "../sessions/tabs.js";

export interface ChatTabsDeps {
  readonly chats: Chats;
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  readonly failed: (tabId: string, error: unknown) => void;
}

/**
 * Called once after both are open: a chat without a tab is closed (its tab was
 * closed while its files were not), one with a tab tells how it stands.
 */
export async function tieChats(deps: ChatTabsDeps): Promise<() => void> {
  const { chats, tabs, sessions } = deps;
  const told = (chat: Chat, state: ChatState): void => {
    const tab = tabs.get(chat.tabId);
    if (tab === undefined) return;
    sessions.chat(chat.tabId, state);
    if (tab.title === state.title) return;
    const titled = chat.titled
      ? tabs.rename(chat.tabId, state.title).then(() => undefined)
      : tabs.programTitle(chat.tabId, state.title);
    titled.catch((error: unknown) => deps.failed(chat.tabId, error));
  };
  const stop = chats.onState(told);
  for (const chat of chats.list()) {
    if (tabs.get(chat.tabId) === undefined) await chats.close(chat.tabId);
    else told(chat, chat.state());
  }
  return stop;
}
