/** Where in a repository a request may look: the workspace's part of it, without the daemon's own folders. */
import { join, normalize, sep } from "node:path";
import { forbidden } from "../protocol/errors.js";

export interface GitWorkspace {
  /** The workspace's own folder, a real path. */
  readonly folder: string;
  /** Real paths that are not shown whatever covers them. */
  readonly forbidden: readonly string[];
}

/** Bounds of one answer. */
export interface GitCall {
  /** Most bytes that the JSON of the result may take. */
  readonly budgetBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A path of the wire, absolute or not, relative to the workspace; Forbidden when it leads out of it. "" is the workspace. */
export function relativePath(workspace: GitWorkspace, path: string): string {
  const { folder } = workspace;
  const whole = path.startsWith(sep) ? normalize(path) : join(folder, path);
  const own = whole === folder || whole === `${folder}${sep}`;
  if (path.includes("\0") || !(own || whole.startsWith(`${folder}${sep}`)) || isHidden(workspace, whole)) {
    throw forbidden("This path is not in the workspace's folder");
  }
  return own ? "" : whole.slice(folder.length + 1);
}

/** Whether an absolute path lies in a folder that is never shown. */
function isHidden(workspace: GitWorkspace, whole: string): boolean {
  return workspace.forbidden.some((closed) => whole === closed || whole.startsWith(`${closed}${sep}`));
}

/**
 * Turns names as git gives them, from the work tree's folder, into names
 * relative to the workspace; undefined for those outside of it or hidden.
 */
export function nameInWorkspace(
  workspace: GitWorkspace,
  prefix: string,
): (name: string) => string | undefined {
  const hides = workspace.forbidden.length > 0;
  return (name) => {
    if (!name.startsWith(prefix)) return undefined;
    const own = name.slice(prefix.length);
    return hides && isHidden(workspace, `${workspace.folder}${sep}${own}`) ? undefined : own;
  };
}
