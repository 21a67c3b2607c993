/** The lines of a log that may be gigabytes long: read in pieces, one after the other, never all at once. */
import { type FileHandle, open } from "node:fs/promises";
import { MAX_LINE_BYTES } from "./limits.js";

export interface Line {
  /** Where it begins in the file. */
  readonly offset: number;
  readonly bytes: Buffer;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Whole lines from `start` to `end`; a `start` inside a line begins with the
 * next one, and a last line without its end is left out. Lines longer than
 * MAX_LINE_BYTES are passed over.
 */
export async function* linesOf(file: string, start: number, end: number): AsyncGenerator<Line> {
  const handle = await open(file, "r");
  try {
    yield* readLines(handle, start > 0 ? start - 1 : 0, { end, inside: start > 0 });
  } finally {
    await handle.close();
  }
}

async function* readLines(
  handle: FileHandle,
  from: number,
  o: { end: number; inside: boolean },
): AsyncGenerator<Line> {
  let { inside } = o;
  let parts: Buffer[] = [];
  let length = 0;
  let lineStart = from;
  for (let at = from; at < o.end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, o.end - at));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    let begin = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1 && newline < bytesRead; ) {
      const piece = chunk.subarray(begin, newline);
      const wanted = !inside && length + piece.length > 0 && length <= MAX_LINE_BYTES;
      if (wanted)
        yield { offset: lineStart, bytes: parts.length === 0 ? piece : Buffer.concat([...parts, piece]) };
      inside = false;
      parts = [];
      length = 0;
      begin = newline + 1;
      lineStart = at + begin;
      newline = chunk.indexOf(NEWLINE, begin);
    }
    const rest = chunk.subarray(begin, bytesRead);
    length += rest.length;
    if (inside || length > MAX_LINE_BYTES) parts = [];
    else if (rest.length > 0) parts.push(rest);
    at += bytesRead;
  }
}
