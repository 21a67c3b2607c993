/** git.diff: one file's changes, unstaged, staged or between two commits, from git's own output. */
import { notFound, unavailable } from "../protocol/errors.js";
import type { GitFile, RpcResult } from "../protocol/rpc.js";
import { addedFile, type WorkTreeFile } from "./added.js";
import type { Overrides } from "./filters.js";
import { FIELD_OVERHEAD_BYTES } from "./fit.js";
import { RENAME_LIMIT } from "./limits.js";
import { type Patch, type RawChange, readPatch, readRaw } from "./patch.js";
import { type GitCall, type GitWorkspace, nameInWorkspace } from "./place.js";
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";
import { runStatus } from "./status.js";

export type GitDiff = RpcResult<"git.diff">;

/** Reads from the work tree within the workspace's folders; never through a link. Rejects when it is not there. */
export type ReadWorkTree = (path: string, maxBytes: number) => Promise<WorkTreeFile>;

/** What is compared: the work tree with the index (of a conflict with our side, or with the base), the index with HEAD, or two trees. */
export type Sides = { readonly of: "unstaged" | "conflict-base" | "staged" } | CommitRange;

export interface CommitRange {
  readonly of: "commits";
  /** Trees or commits that git named. */
  readonly from: string;
  readonly to: string;
}

export interface DiffPlace {
  readonly repository: Repository;
  readonly workspace: GitWorkspace;
  readonly overrides: Overrides;
}

/** Leaves nothing to configuration, and runs nothing that it names. */
export const DIFF_ARGS: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--ignore-submodules=dirty",
  "--submodule=short",
  "--inter-hunk-context=0",
  `-l${RENAME_LIMIT}`,
];

const PATCH_ARGS = ["-z", "--raw", "--patch", "-U3", "--src-prefix=a/", "--dst-prefix=b/"];

/** How the command line says the sides. A conflict is shown against our side of it. */
export function sideArgs(sides: Sides): string[] {
  if (sides.of === "commits") return [sides.from, sides.to];
  return { unstaged: ["--ours"], "conflict-base": ["--base"], staged: ["--cached"] }[sides.of];
}

/** The changes of the file at `path`, relative to the workspace. A file that did not change has no hunks. */
export async function gitDiff(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { path: string; sides: Sides; read: ReadWorkTree },
): Promise<GitDiff> {
  const { path, sides } = ask;
  const [patch, source] = await Promise.all([
    runPatch(runner, place, ask, [path]),
    sides.of === "unstaged" ? undefined : renameSource(runner, place, ask),
  ]);
  if (source !== undefined) {
    const renamed = await runPatch(runner, place, ask, [source, path]);
    if (renamed.changes.some((change) => change.oldPath !== undefined)) return shape(path, renamed, source);
  }
  if (sides.of === "unstaged" && isConflict(patch) && patch.hunks.length === 0 && !patch.binary) {
    // One side deleted it: what the other one made of it shows against what both started from.
    return shape(path, await runPatch(runner, place, { ...ask, sides: { of: "conflict-base" } }, [path]));
  }
  const whole = place.repository.prefix + path;
  if (patch.changes.some((change) => change.path === whole)) return shape(path, patch);
  if (patch.changes.length > 0) throw notFound("file"); // a folder: its files changed, it has no lines
  if (sides.of !== "unstaged") return { path, hunks: [] };
  return await untracked(runner, place, ask);
}

const isConflict = (patch: Patch): boolean => patch.changes.some(({ letter }) => letter === "U");

function shape(path: string, patch: Patch, oldPath?: string): GitDiff {
  return {
    path,
    ...(oldPath === undefined ? {} : { oldPath }),
    ...(patch.binary ? { binary: true } : {}),
    hunks: patch.hunks,
    ...(patch.truncated ? { truncated: true } : {}),
  };
}

async function runPatch(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { sides: Sides },
  paths: readonly string[],
): Promise<Patch> {
  const { code, stdout, cut } = await runner.run({
    ...place.repository,
    args: ["diff", ...DIFF_ARGS, ...PATCH_ARGS, ...sideArgs(ask.sides)],
    paths,
    config: place.overrides,
    signal: ask.signal,
  });
  if (code !== 0 && !cut) throw unavailable("git could not compare this file; run git diff there to see why");
  return readPatch(stdout, { budgetBytes: ask.budgetBytes - FIELD_OVERHEAD_BYTES, cut });
}

/** Where the file was renamed or copied from: git finds that only when it sees all files. */
async function renameSource(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { path: string; sides: Sides },
): Promise<string | undefined> {
  const changes = await listRenames(runner, place, ask);
  const name = nameInWorkspace(place.workspace, place.repository.prefix);
  const found = changes.find((change) => name(change.path) === ask.path);
  return found?.oldPath === undefined ? undefined : name(found.oldPath);
}

async function listRenames(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { sides: Sides },
): Promise<readonly RawChange[]> {
  const { code, stdout, cut } = await runner.run({
    ...place.repository,
    args: ["diff", ...DIFF_ARGS, "-z", "--raw", "--diff-filter=RC", ...sideArgs(ask.sides)],
    ...(place.repository.prefix === "" ? {} : { paths: [""] }),
    config: place.overrides,
    signal: ask.signal,
  });
  return code === 0 && !cut ? readRaw(stdout).changes : [];
}

/** A file that git does not know, when status lists it: all of it is added. Nothing of an ignored one is shown. */
async function untracked(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { path: string; read: ReadWorkTree },
): Promise<GitDiff> {
  const { path } = ask;
  const files: GitFile[] = [];
  await runStatus(runner, place.repository, place.workspace, {
    overrides: place.overrides,
    path,
    signal: ask.signal,
    onFile(file) {
      if (file.path === path) files.push(file);
      return files.length === 0;
    },
  });
  if (files[0]?.unstaged !== "?") return { path, hunks: [] };
  return {
    path,
    ...addedFile(await ask.read(path, UNTRACKED_BYTES), ask.budgetBytes - FIELD_OVERHEAD_BYTES),
  };
}

/** More than any frame holds. */
const UNTRACKED_BYTES = 1024 * 1024;
