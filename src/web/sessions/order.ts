/** In which order and under which heads sessions stand. Pure. */
import type { SessionsState } from "../../client/index.js";
import type { RemoteSession, RemoteWorkspace, SessionState } from "../../protocol/rpc.js";

export const STATE_ORDER: readonly SessionState[] = ["needs-you", "running", "new-result", "idle", "ended"];

/** Those who need a person first; within a state the latest change first. */
export function inOrder(sessions: readonly RemoteSession[]): RemoteSession[] {
  return [...sessions].sort(
    (a, b) =>
      STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
      (b.since ?? 0) - (a.since ?? 0) ||
      a.title.localeCompare(b.title),
  );
}

export interface Group<H> {
  readonly head: H;
  readonly sessions: readonly RemoteSession[];
}

export function byState(sessions: readonly RemoteSession[]): Group<SessionState>[] {
  const sorted = inOrder(sessions);
  return STATE_ORDER.map((state) => ({
    head: state,
    sessions: sorted.filter((session) => session.state === state),
  })).filter((group) => group.sessions.length > 0);
}

/** Workspaces with their tasks after them; those whose sessions need a person first. */
export function byWorkspace({ workspaces, sessions }: SessionsState): Group<RemoteWorkspace>[] {
  const rank = (workspace: RemoteWorkspace): number => {
    const ids = new Set([
      workspace.id,
      ...workspaces.filter((w) => w.parentId === workspace.id).map((w) => w.id),
    ]);
    const ranks = sessions.filter((s) => ids.has(s.workspaceId)).map((s) => STATE_ORDER.indexOf(s.state));
    return Math.min(STATE_ORDER.length, ...ranks);
  };
  const known = new Set(workspaces.map((workspace) => workspace.id));
  const roots = workspaces.filter((w) => w.parentId === undefined || !known.has(w.parentId));
  const sorted = roots
    .map((workspace) => ({ workspace, rank: rank(workspace) }))
    .sort((a, b) => a.rank - b.rank || a.workspace.name.localeCompare(b.workspace.name));
  return sorted
    .flatMap(({ workspace }) => [workspace, ...workspaces.filter((w) => w.parentId === workspace.id)])
    .map((head) => ({ head, sessions: inOrder(sessions.filter((s) => s.workspaceId === head.id)) }));
}
