/** How results of git.* are cut to what one answer takes; the schema's `truncated` says so where it can. */
import { jsonBytes } from "../protocol/cut.js";
import type { GitFile, RpcResult } from "../protocol/rpc.js";
import type { DiffHunk } from "../protocol/view.js";
import { MAX_AUTHOR_CHARS, MAX_REFS, MAX_SUBJECT_CHARS } from "./limits.js";

type GitDiff = RpcResult<"git.diff">;
type Commit = RpcResult<"git.log">["commits"][number];

/** The keys, numbers and short texts beside the lists of a result: a branch and its upstream are names of files. */
export const FIELD_OVERHEAD_BYTES = 4096;

/** `{"path":,"oldPath":,"added":…,"removed":…},` without the paths. */
const CHANGE_BYTES = 80;

/** A hunk's four numbers and its keys. */
export const HUNK_BYTES = 128;

/** What a file takes in the list, its comma included. */
export function fileBytes({ path, oldPath, staged, unstaged }: GitFile): number {
  return (
    jsonBytes(path) +
    '{"path":},'.length +
    (oldPath === undefined ? 0 : jsonBytes(oldPath) + ',"oldPath":'.length) +
    (staged === undefined ? 0 : jsonBytes(staged) + ',"staged":'.length) +
    (unstaged === undefined ? 0 : jsonBytes(unstaged) + ',"unstaged":'.length)
  );
}

/** Leaves out the last files. */
export function fitGitStatus(result: RpcResult<"git.status">, budgetBytes: number): RpcResult<"git.status"> {
  const { files, cut } = cutList(result.files, budgetBytes - FIELD_OVERHEAD_BYTES, fileBytes);
  return cut ? { ...result, files, truncated: true } : result;
}

/** Leaves out the last files and hunks; the hunk in which the room ends keeps its first lines, counted anew. */
export function fitGitDiff(result: GitDiff, budgetBytes: number): GitDiff {
  const paths = jsonBytes(result.path) + jsonBytes(result.oldPath ?? "");
  const left = budgetBytes - FIELD_OVERHEAD_BYTES - paths;
  const hunks = cutHunks(result.hunks, left);
  const listed = cutList(result.files ?? [], left, (file) => {
    return CHANGE_BYTES + jsonBytes(file.path) + jsonBytes(file.oldPath ?? "");
  });
  if (!hunks.cut && !listed.cut) return result;
  return {
    ...result,
    hunks: hunks.hunks,
    ...(result.files === undefined ? {} : { files: listed.files }),
    truncated: true,
  };
}

function cutHunks(hunks: readonly DiffHunk[], budgetBytes: number): { hunks: DiffHunk[]; cut: boolean } {
  const kept: DiffHunk[] = [];
  let left = budgetBytes;
  for (const hunk of hunks) {
    left -= HUNK_BYTES;
    const end = hunk.lines.findIndex((line) => {
      left -= jsonBytes(line) + 1;
      return left < 0;
    });
    if (end === -1 && left >= 0) kept.push(hunk);
    else {
      const lines = hunk.lines.slice(0, Math.max(end, 0));
      if (lines.length > 0) kept.push(recounted(hunk, lines));
      return { hunks: kept, cut: true };
    }
  }
  return { hunks: kept, cut: false };
}

/** A hunk of fewer lines that still is one. */
export function recounted(hunk: DiffHunk, lines: string[]): DiffHunk {
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) || line.startsWith(" ")).length;
  return { ...hunk, oldLines: count("-"), newLines: count("+"), lines };
}

/** Clips the texts, then leaves out the last commits: the caller asks on with `skip`. */
export function fitGitLog(result: RpcResult<"git.log">, budgetBytes: number): RpcResult<"git.log"> {
  const clipped = result.commits.map(clipCommit);
  const { files } = cutList(
    clipped,
    budgetBytes - FIELD_OVERHEAD_BYTES,
    (commit) => Buffer.byteLength(JSON.stringify(commit)) + 1,
  );
  return { commits: files };
}

function clipCommit(commit: Commit): Commit {
  return {
    ...commit,
    subject: clip(commit.subject, MAX_SUBJECT_CHARS),
    author: clip(commit.author, MAX_AUTHOR_CHARS),
    ...(commit.refs === undefined ? {} : { refs: commit.refs.slice(0, MAX_REFS) }),
  };
}

/** The first `chars` UTF-16 units, never half a character. */
function clip(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? chars - 1 : chars);
}

function cutList<T>(
  list: readonly T[],
  budgetBytes: number,
  bytesOf: (entry: T) => number,
): { files: T[]; cut: boolean } {
  let left = budgetBytes;
  const end = list.findIndex((entry) => {
    left -= bytesOf(entry);
    return left < 0;
  });
  return end === -1 ? { files: [...list], cut: false } : { files: list.slice(0, end), cut: true };
}
