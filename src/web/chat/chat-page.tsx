/** A chat: what was said and done, what waits for you, and where you write. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { RemoteSession } from "../../protocol/rpc.js";
import { CHAT_PAGE_ITEMS } from "../limits.js";
import { client, has, list } from "../link/connection.js";
import { SessionMenu } from "../sessions/session-menu.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { Sheet } from "../ui/sheet.js";
import { TopBar } from "../ui/top-bar.js";
import { ChatContext } from "./chat-context.js";
import { ChatList } from "./chat-list.js";
import { ChatStore } from "./chat-store.js";
import { Composer } from "./composer.js";
import { outboxOf } from "./outbox.js";
import { PanelView } from "./panel.js";
import { RequestCard } from "./request-card.js";
import { SettingsChips } from "./settings-chips.js";

export function ChatPage({ session }: { session: RemoteSession }) {
  const { workspaceId, tabId, kind } = session;
  const tab = useMemo(() => ({ workspaceId, tabId }), [workspaceId, tabId]);
  const store = useMemo(() => new ChatStore(), [tab]);
  const outbox = outboxOf(tab);
  const [panelOpen, setPanelOpen] = useState(false);
  const now = client.value;
  const mayRead = has("chat.read");
  useEffect(() => {
    if (now === undefined || !mayRead) return;
    const watch = now.watchChat(
      { ...tab, limit: CHAT_PAGE_ITEMS },
      {
        onChange: (state) => store.apply(state),
        onError: (error) => {
          store.problem.value = error.message;
        },
      },
    );
    return () => watch.close();
  }, [now, tab, store, mayRead]);
  const view = store.view.value;
  const workspace = list.value?.workspaces.find((one) => one.id === workspaceId);
  const mayWrite = has("chat.control");
  return (
    <ChatContext.Provider value={tab}>
      <div class="page chat-page">
        <TopBar
          title={session.title}
          subtitle={
            <>
              <span class={`state-dot ${session.state}`} /> {S.kinds[kind]} · {workspace?.name}
            </>
          }
        >
          <IconButton icon="list" label={S.panel} onClick={() => setPanelOpen(true)} extra="panel-button" />
          <SessionMenu session={session} />
        </TopBar>
        <div class="chat-columns">
          <div class="chat-main">
            {store.problem.value !== undefined && (
              <p class="problem strip" role="alert">
                {store.problem.value}
              </p>
            )}
            <ChatList store={store} outbox={outbox} tab={tab} />
            <div class="chat-foot">
              {view?.status.requests.map((request) => (
                <RequestCard key={request.requestId} request={request} tab={tab} agent={kind} />
              ))}
              {mayWrite ? (
                <>
                  <SettingsChips tab={tab} status={view?.status} />
                  <Composer tab={tab} status={view?.status} outbox={outbox} name={S.kinds[kind] ?? ""} />
                </>
              ) : (
                <p class="read-only">{S.noControl}</p>
              )}
            </div>
          </div>
          <aside class="chat-panel" aria-label={S.panel}>
            <PanelView view={view} tab={tab} />
          </aside>
        </div>
        {panelOpen && (
          <Sheet title={S.panel} onClose={() => setPanelOpen(false)}>
            <PanelView view={view} tab={tab} />
          </Sheet>
        )}
      </div>
    </ChatContext.Provider>
  );
}
