/** One session, whichever kind it is. */
import { ChatPage } from "../chat/chat-page.js";
import { list } from "../link/connection.js";
import { S } from "../strings.js";
import { TerminalPage } from "../terminal/terminal-page.js";
import { TopBar } from "../ui/top-bar.js";

export interface TabRef {
  readonly workspaceId: string;
  readonly tabId: string;
}

export function SessionPage(tab: TabRef) {
  const session = list.value?.sessions.find((one) => one.tabId === tab.tabId);
  if (session === undefined) {
    return (
      <div class="page">
        <TopBar title="" />
        {list.value === undefined ? (
          <p class="empty">{S.loading}</p>
        ) : (
          <p class="empty">
            <strong>{S.gone}</strong>
            {S.goneHint}
          </p>
        )}
      </div>
    );
  }
  return session.kind === "terminal" ? <TerminalPage session={session} /> : <ChatPage session={session} />;
}
