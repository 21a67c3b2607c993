/** files.*: finds the workspace's folders, lists or reads within them. */
import type { Roots } from "../files/guard.js";
import type { ImageShrinker } from "../files/image.js";
import { listFolder } from "../files/list.js";
import { readFile } from "../files/read.js";
import type { HandlersOf } from "./context.js";

export interface FilesDeps {
  /** What a workspace covers; throws NotFound for an unknown one. */
  roots(workspaceId: string): Roots;
  readonly images: Pick<ImageShrinker, "shrink">;
}

export function createFilesMethods(deps: FilesDeps): HandlersOf<"files"> {
  return {
    "files.list": (ctx, { workspaceId, path }) =>
      listFolder(deps.roots(workspaceId), path, { budgetBytes: ctx.resultBudgetBytes, signal: ctx.signal }),
    "files.read": (ctx, { workspaceId, path, maxBytes }) =>
      readFile(deps.roots(workspaceId), path, {
        images: deps.images,
        budgetBytes: ctx.resultBudgetBytes,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      }),
  };
}
