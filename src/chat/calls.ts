/** A tool's call as pages show it: clipped, with what is known so far merged into what was known before. */
import type { DiffHunk, ViewToolCall } from "../protocol/view.js";
import type { AgentToolCall } from "./driver.js";
import { viewImage } from "./images.js";
import {
  SHOWN_INPUT_BYTES,
  SHOWN_INPUT_STRING_CHARS,
  SHOWN_PATCH_LINES,
  SHOWN_RESULT_CHARS,
  TITLE_CHARS,
} from "./limits.js";
import { clip, clipRecord, head, oneLine, wellFormed } from "./text.js";

/** One line of a shown patch. */
const PATCH_LINE_CHARS = 500;

const ENDED: ReadonlySet<ViewToolCall["state"]> = new Set(["done", "error", "denied", "interrupted"]);

export const hasEnded = (call: ViewToolCall): boolean => ENDED.has(call.state);

export function mergeCall(known: ViewToolCall | undefined, call: AgentToolCall, at: number): ViewToolCall {
  const before: ViewToolCall = known ?? {
    toolUseId: call.toolUseId,
    name: call.name ?? "tool",
    title: call.name ?? "tool",
    input: {},
    state: "pending",
  };
  const { result, input, title, patch, ...rest } = call;
  const merged: ViewToolCall = { ...before, ...rest };
  if (title !== undefined) merged.title = oneLine(wellFormed(title), TITLE_CHARS);
  if (input !== undefined) merged.input = clipRecord(input, SHOWN_INPUT_STRING_CHARS, SHOWN_INPUT_BYTES);
  if (patch !== undefined)
    merged.patch = patch.map((file) => ({ path: file.path, hunks: clipHunks(file.hunks) }));
  if (result !== undefined) merged.result = shownResult(result);
  if (merged.state !== "pending" && merged.startedAt === undefined) merged.startedAt = at;
  if (hasEnded(merged) && merged.endedAt === undefined) merged.endedAt = at;
  return merged;
}

function shownResult(result: NonNullable<AgentToolCall["result"]>): NonNullable<ViewToolCall["result"]> {
  const text = wellFormed(head(result.text, SHOWN_RESULT_CHARS));
  return {
    text,
    ...(text.length < result.text.length ? { truncated: true } : {}),
    images: result.images.map((image) => viewImage(image.mediaType, image.data)),
  };
}

/** The first lines; a hunk that was cut says how many lines it really shows. */
function clipHunks(hunks: readonly DiffHunk[]): DiffHunk[] {
  const shown: DiffHunk[] = [];
  let left = SHOWN_PATCH_LINES;
  for (const hunk of hunks) {
    if (left <= 0) break;
    const lines = hunk.lines.slice(0, left).map((line) => clip(wellFormed(line), PATCH_LINE_CHARS));
    left -= lines.length;
    const added = lines.filter((line) => line.startsWith("+")).length;
    const removed = lines.filter((line) => line.startsWith("-")).length;
    const plain = lines.filter((line) => line.startsWith(" ")).length;
    const cut = lines.length < hunk.lines.length;
    shown.push(
      cut ? { ...hunk, lines, oldLines: plain + removed, newLines: plain + added } : { ...hunk, lines },
    );
  }
  return shown;
}

/** Lines that a patch adds and removes. */
export function countLines(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
