/** The list of sessions as lines of a table, in the order in which a person wants them. */
import type { RemoteSession, RemoteWorkspace, SessionState } from "../../protocol/rpc.js";
import type { Cell, Output, Style } from "../output.js";

const ORDER: readonly SessionState[] = ["needs-you", "new-result", "running", "idle", "ended"];

const STYLES: Readonly<Partial<Record<SessionState, Style>>> = {
  "needs-you": ["yellow", "bold"],
  "new-result": "green",
  running: "cyan",
  ended: "dim",
};

export interface SessionList {
  readonly workspaces: readonly RemoteWorkspace[];
  readonly sessions: readonly RemoteSession[];
}

/** What needs a person first, then what is new; one line that says so when there is nothing. */
export function sessionLines(output: Output, { workspaces, sessions }: SessionList): string[] {
  if (sessions.length === 0) return ["No chat or terminal is open; nexus terminal open opens one"];
  const names = new Map(workspaces.map(({ id, name }) => [id, name]));
  const sorted = [...sessions].sort(byNeed);
  return output.tableLines(
    ["STATE", "KIND", "TITLE", "WORKSPACE", "ID", "LAST"],
    sorted.map((session) => row(session, names.get(session.workspaceId) ?? "")),
  );
}

function row(session: RemoteSession, workspace: string): Cell[] {
  const { state, kind, title, tabId, waiting, last = "" } = session;
  const style = STYLES[state];
  return [
    style === undefined ? state : { text: state, style },
    kind,
    title,
    workspace,
    tabId,
    waiting === undefined ? last : `${waiting.kind}: ${waiting.text}`,
  ];
}

function byNeed(a: RemoteSession, b: RemoteSession): number {
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (b.since ?? 0) - (a.since ?? 0);
}
