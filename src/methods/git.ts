/** git.*: finds the workspace's own folder and asks git there. */
import { readEntry } from "../files/entry.js";
import type { Roots } from "../files/guard.js";
import type { Git } from "../git/git.js";
import type { GitWorkspace } from "../git/place.js";
import { unavailable } from "../protocol/errors.js";
import type { HandlersOf } from "./context.js";

export interface GitDeps {
  /** What a workspace covers; throws NotFound for an unknown one. */
  roots(workspaceId: string): Roots;
  readonly git: Git;
}

export function createGitMethods(deps: GitDeps): HandlersOf<"git"> {
  return {
    "git.status": async (ctx, { workspaceId }) =>
      deps.git.status(await place(deps.roots(workspaceId)), {
        budgetBytes: ctx.resultBudgetBytes,
        signal: ctx.signal,
      }),
    "git.diff": async (ctx, { workspaceId, ...ask }) => {
      const roots = deps.roots(workspaceId);
      const workspace = await place(roots);
      return await deps.git.diff(workspace, {
        ...ask,
        // Only the workspace's own folder: a folder that a chat was given is not this repository's.
        read: (path, maxBytes) =>
          readEntry({ ...roots, folders: async () => [workspace.folder] }, path, maxBytes),
        budgetBytes: ctx.resultBudgetBytes,
        signal: ctx.signal,
      });
    },
    "git.log": async (ctx, { workspaceId, limit, skip }) =>
      deps.git.log(await place(deps.roots(workspaceId)), {
        ...(limit === undefined ? {} : { limit }),
        ...(skip === undefined ? {} : { skip }),
        budgetBytes: ctx.resultBudgetBytes,
        signal: ctx.signal,
      }),
  };
}

async function place(roots: Roots): Promise<GitWorkspace> {
  const [folder] = await roots.folders();
  if (folder === undefined) throw unavailable("The workspace's folder is gone");
  return { folder, forbidden: roots.forbidden };
}
