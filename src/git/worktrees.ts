/**
 * The linked worktrees of a repository, read without git. A name in
 * `.git/worktrees` alone makes no folder a workspace: the folder must name it back.
 */
import { lstat, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { MAX_WORKTREES } from "./limits.js";
import { gitDirsOf, isBelow, readSmall, targetOf } from "./repository.js";

export interface Worktree {
  /** Its folder, a real path. */
  readonly path: string;
  /** null: no branch is checked out. */
  readonly branch: string | null;
}

/**
 * The worktrees that belong to the repository whose main work tree is
 * `repoPath`, by path. Left out: those that are gone, whose `.git` does not
 * lead back here, and any that is the home folder, or lies above it or above
 * the repository.
 */
export async function listWorktrees(repoPath: string): Promise<Worktree[]> {
  const top = await realpath(repoPath).catch(() => undefined);
  const dirs = top === undefined ? undefined : await gitDirsOf(top).catch(() => undefined);
  // A linked worktree has no children of its own; its main one has them.
  if (top === undefined || dirs === undefined || dirs.gitDir !== dirs.commonDir) return [];
  const folder = join(dirs.commonDir, "worktrees");
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.slice(0, MAX_WORKTREES).map((name) => worktreeOf(join(folder, name), top)),
  );
  return found.filter((worktree) => worktree !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function worktreeOf(gitDir: string, top: string): Promise<Worktree | undefined> {
  try {
    const dotGit = resolve(gitDir, (await readSmall(join(gitDir, "gitdir"))).trim());
    const stats = await lstat(dotGit);
    const target = stats.isFile() ? await targetOf(dotGit) : undefined;
    if (target === undefined || (await realpath(target)) !== (await realpath(gitDir))) return undefined;
    const path = await realpath(dirname(dotGit));
    if (await isTooWide(path, top)) return undefined;
    return { path, branch: branchOf(await readSmall(join(gitDir, "HEAD"))) };
  } catch {
    return undefined; // gone or unreadable: git would call it prunable
  }
}

async function isTooWide(path: string, top: string): Promise<boolean> {
  const home = await realpath(homedir()).catch(() => homedir());
  return path === home || path === top || isBelow(path, home) || isBelow(path, top);
}

/** By HEAD's text; null when it is a commit. */
function branchOf(head: string): string | null {
  return /^ref: refs\/heads\/(.+?)\n?$/.exec(head)?.[1] ?? null;
}
