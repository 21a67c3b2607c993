/**
 * Which repository a folder belongs to, found without git: the git dir and the
 * work tree are named to each run, so they are checked here. Nothing in a
 * planted `.git` leads to another folder's repository or objects.
 */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { unavailable } from "../protocol/errors.js";
import { MAX_SMALL_FILE_BYTES } from "./limits.js";
import { checkStore, type GitDirs, refused } from "./store.js";

export interface Repository {
  /** The work tree's folder, which may lie above the workspace. */
  readonly topLevel: string;
  /** Its own git dir: for a linked worktree the one under `worktrees/`. */
  readonly gitDir: string;
  /** The git dir that all worktrees share. */
  readonly commonDir: string;
  /** The workspace. */
  readonly cwd: string;
  /** From the work tree's folder to the workspace: "" or with a slash at the end. */
  readonly prefix: string;
  /** Its git dir belongs to another user of this device. */
  readonly foreign: boolean;
}

/** The repository that `folder`, a real path, lies in. Unavailable when there is none or it is refused. */
export async function findRepository(folder: string): Promise<Repository> {
  for (let top = folder; ; top = dirname(top)) {
    const gitDirs = await gitDirsOf(top);
    if (gitDirs !== undefined) {
      const [foreign] = await Promise.all([isForeign(gitDirs.gitDir), checkStore(gitDirs)]);
      const way = relative(top, folder);
      return { ...gitDirs, topLevel: top, cwd: folder, prefix: way === "" ? "" : `${way}${sep}`, foreign };
    }
    if (top === dirname(top)) throw unavailable("This folder is in no git repository");
  }
}

/** Of the folder's own `.git`; undefined when it has none that is one. */
export async function gitDirsOf(folder: string): Promise<GitDirs | undefined> {
  const dotGit = join(folder, ".git");
  const stats = await lstat(dotGit).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) {
    // git goes on above a folder of this name that is no git dir; so is an empty one.
    const head = await lstat(join(dotGit, "HEAD")).catch(() => undefined);
    return head === undefined ? undefined : { gitDir: dotGit, commonDir: dotGit };
  }
  const target = stats.isFile() ? await targetOf(dotGit) : stats.isSymbolicLink() ? dotGit : undefined;
  if (target === undefined) return undefined;
  const gitDir = await realpath(target).catch(() => undefined);
  if (gitDir === undefined) throw refused("its .git leads to nothing");
  return await linkedDirs(folder, gitDir);
}

/** Where a `.git` file says that the git dir is. */
export async function targetOf(dotGit: string): Promise<string | undefined> {
  const line = await readSmall(dotGit).catch(() => "");
  const path = /^gitdir: (.+?)[\r\n]*$/s.exec(line)?.[1];
  return path === undefined ? undefined : resolve(dirname(dotGit), path);
}

/** A git dir elsewhere counts when it lies in the folder itself, or when it says that this folder is its own. */
async function linkedDirs(folder: string, gitDir: string): Promise<GitDirs> {
  if (isBelow(folder, gitDir)) return { gitDir, commonDir: gitDir };
  const common = await readSmall(join(gitDir, "commondir")).catch(() => undefined);
  if (common !== undefined) {
    const commonDir = await realpath(resolve(gitDir, common.trim())).catch(() => undefined);
    const back = await readSmall(join(gitDir, "gitdir")).catch(() => "");
    const backTo = await realpath(resolve(gitDir, back.trim())).catch(() => undefined);
    if (
      commonDir !== undefined &&
      dirname(gitDir) === join(commonDir, "worktrees") &&
      backTo === join(folder, ".git")
    ) {
      return { gitDir, commonDir };
    }
  } else if ((await configuredWorkTree(gitDir)) === folder) {
    return { gitDir, commonDir: gitDir };
  }
  throw refused("its .git leads to a git dir that does not name this folder as its own");
}

/** `core.worktree` as git writes it for a submodule. Anything fancier is not git's own doing. */
async function configuredWorkTree(gitDir: string): Promise<string | undefined> {
  const config = await readSmall(join(gitDir, "config")).catch(() => "");
  const path = /^\[core\](?:\n[^[]*)*?\n[\t ]*worktree = "?([^"\n]+)"?$/m.exec(config)?.[1];
  return path === undefined ? undefined : await realpath(resolve(gitDir, path)).catch(() => undefined);
}

async function isForeign(gitDir: string): Promise<boolean> {
  const uid = process.getuid?.();
  return uid !== undefined && (await stat(gitDir)).uid !== uid;
}

export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A small regular file of git's; rejects for anything else, so that a pipe is not waited for. */
export async function readSmall(path: string): Promise<string> {
  const stats = await stat(path);
  if (!stats.isFile() || stats.size > MAX_SMALL_FILE_BYTES) throw new Error("no small file");
  return await readFile(path, "utf8");
}
