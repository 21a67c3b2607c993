/** What `git diff -z --raw --patch` says of one file: its record, and hunks cut at what one answer takes. */
import { parsePatch } from "diff";
import { jsonBytes } from "../protocol/cut.js";
import { bytesToName } from "../protocol/name-bytes.js";
import type { DiffHunk } from "../protocol/view.js";
import { HUNK_BYTES, recounted } from "./fit.js";

/** A changed file as `--raw` has it; paths from the work tree's folder. */
export interface RawChange {
  readonly letter: string;
  readonly path: string;
  readonly oldPath?: string;
}

export interface Patch {
  readonly changes: readonly RawChange[];
  readonly binary: boolean;
  readonly hunks: DiffHunk[];
  readonly truncated: boolean;
}

const NUL = 0;
const COLON = 0x3a;

/** Reads the output; `cut` says that it ended early. */
export function readPatch(output: Buffer, options: { budgetBytes: number; cut: boolean }): Patch {
  const { changes, end } = readRaw(output);
  const text = output.toString("utf8", end);
  const binary = /^(?:Binary files .* differ|GIT binary patch)$/m.test(headOf(text));
  return { changes, binary, ...readHunks(text, options) };
}

/** Before its first hunk. */
function headOf(text: string): string {
  const at = text.search(/^@@ /m);
  return at === -1 ? text : text.slice(0, at);
}

/** The records at the start, and where they end. */
export function readRaw(output: Buffer): { changes: RawChange[]; end: number } {
  const changes: RawChange[] = [];
  let at = 0;
  const field = (): Buffer => {
    const end = output.indexOf(NUL, at);
    const bytes = output.subarray(at, end === -1 ? output.length : end);
    at = end === -1 ? output.length : end + 1;
    return bytes;
  };
  while (output[at] === COLON) {
    const letter = field().toString("latin1").split(" ")[4]?.[0] ?? "M";
    const first = bytesToName(field());
    const renamed = letter === "R" || letter === "C";
    changes.push(renamed ? { letter, oldPath: first, path: bytesToName(field()) } : { letter, path: first });
  }
  if (output[at] === NUL) at++;
  return { changes, end: at };
}

/** Hunks that fit, through jsdiff's parser; the hunk in which the room or the output ends keeps its first lines. */
export function readHunks(
  text: string,
  options: { budgetBytes: number; cut: boolean },
): { hunks: DiffHunk[]; truncated: boolean } {
  let left = options.budgetBytes;
  const lines = text.split("\n");
  const kept: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const counts = hunkCounts(lines[at] ?? "");
    if (counts === undefined) {
      at++;
      continue;
    }
    left -= HUNK_BYTES;
    const body = bodyLength(lines, at + 1, counts);
    const first = at + 1;
    at = first;
    while (at < first + body && left >= 0) {
      left -= jsonBytes(lines[at] ?? "") + 1;
      if (left >= 0) at++;
    }
    const whole = at === first + body && isWhole(lines, first, at, counts);
    // The last line of an output that was ended early may be half a line.
    const end = !whole && options.cut && at === lines.length ? at - 1 : at;
    if (whole) kept.push(lines[first - 1] ?? "", ...slices(lines, first, end));
    else if (end > first) kept.push(header(counts, lines.slice(first, end)), ...slices(lines, first, end));
    if (!whole || left < 0) return { hunks: parse(kept), truncated: true };
  }
  return { hunks: parse(kept), truncated: options.cut };
}

const slices = (lines: readonly string[], from: number, to: number): string[] => lines.slice(from, to);

function parse(lines: readonly string[]): DiffHunk[] {
  if (lines.length === 0) return [];
  return parsePatch(lines.join("\n")).flatMap(({ hunks }) =>
    hunks.map(({ oldStart, oldLines, newStart, newLines, lines: own }) => {
      return { oldStart, oldLines, newStart, newLines, lines: own };
    }),
  );
}

interface Counts {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

function hunkCounts(line: string): Counts | undefined {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (match === null) return undefined;
  const [, oldStart, oldLines = "1", newStart, newLines = "1"] = match;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
  };
}

/** Lines of a hunk from `from`: as many as its counts say, with the marks of a missing final newline. */
function bodyLength(lines: readonly string[], from: number, counts: Counts): number {
  let { oldLines, newLines } = counts;
  let at = from;
  for (; at < lines.length; at++) {
    const sign = lines[at]?.[0];
    if (sign === "\\") continue;
    if (oldLines <= 0 && newLines <= 0) break;
    if (sign !== "+") oldLines--;
    if (sign !== "-") newLines--;
  }
  return at - from;
}

function isWhole(lines: readonly string[], from: number, to: number, counts: Counts): boolean {
  let { oldLines, newLines } = counts;
  for (let at = from; at < to; at++) {
    const sign = lines[at]?.[0];
    if (sign === "\\") continue;
    if (sign !== "+") oldLines--;
    if (sign !== "-") newLines--;
  }
  return oldLines <= 0 && newLines <= 0;
}

/** A header for fewer lines. An empty side starts one line earlier, as unified diffs have it. */
function header(counts: Counts, lines: string[]): string {
  const { oldLines, newLines } = recounted({ ...counts, lines: [] }, lines);
  const start = (was: number, had: number, has: number): number => (had > 0 && has === 0 ? was - 1 : was);
  const old = `${start(counts.oldStart, counts.oldLines, oldLines)},${oldLines}`;
  return `@@ -${old} +${start(counts.newStart, counts.newLines, newLines)},${newLines} @@`;
}
