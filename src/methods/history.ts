/** history.list: the past chats of a workspace's folder. */
import type { Chats } from "../chat/chats.js";
import { notFound } from "../protocol/errors.js";
import type { Workspaces } from "../sessions/workspaces.js";
import type { HandlersOf } from "./context.js";

export interface HistoryDeps {
  readonly chats: Chats;
  readonly workspaces: Workspaces;
}

const DEFAULT_SESSIONS = 50;

export function createHistoryMethods(deps: HistoryDeps): HandlersOf<"history"> {
  return {
    "history.list": async (ctx, { workspaceId, agent, query, limit }) => {
      const workspace = deps.workspaces.get(workspaceId);
      if (workspace === undefined) throw notFound("workspace");
      const sessions = await deps.chats.history(agent, workspace.path, {
        query,
        limit: limit ?? DEFAULT_SESSIONS,
        signal: ctx.signal,
      });
      return { sessions };
    },
  };
}
