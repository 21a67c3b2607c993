/** What one asker may see of the sessions. */
import type { RemoteSession } from "../protocol/rpc.js";

export interface SessionsView {
  /** It may read what chats say. */
  readonly chatRead: boolean;
  /** It may read what terminals show. */
  readonly terminalRead: boolean;
  /** Whether it may know of a tab at all. */
  sees(tabId: string): boolean;
  /** It sees no workspaces but those of the tabs that it sees: another daemon. */
  readonly onlyItsTabs?: boolean;
}

export function tellsTextOf(view: SessionsView, kind: RemoteSession["kind"]): boolean {
  return kind === "terminal" ? view.terminalRead : view.chatRead;
}

/** A session as the view shows it: without the right to its texts no last line and no waiting text. */
export function sessionIn(view: SessionsView, session: RemoteSession): RemoteSession {
  if (tellsTextOf(view, session.kind)) return session;
  const { last: _, waiting, ...rest } = session;
  return waiting === undefined ? rest : { ...rest, waiting: { ...waiting, text: "" } };
}
