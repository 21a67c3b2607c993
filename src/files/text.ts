/** Whether bytes are text, in which encoding, and as which characters. */
import { MAX_NOISE_SHARE, SNIFF_BYTES } from "./limits.js";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

export interface TextKind {
  readonly encoding: Encoding;
  /** Bytes of the byte order mark, which is no part of the text. */
  readonly markBytes: number;
}

/** By the byte order mark, else UTF-8; undefined for what is no text. */
export function textKind(start: Buffer): TextKind | undefined {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return { encoding: "utf-8", markBytes: 3 };
  // FF FE 00 00 would be UTF-32, which no editor of today writes: binary by its NULs.
  if (start[0] === 0xff && start[1] === 0xfe && !(start[2] === 0 && start[3] === 0 && start.length >= 4)) {
    return { encoding: "utf-16le", markBytes: 2 };
  }
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: "utf-16be", markBytes: 2 };
  return isBinary(start.subarray(0, SNIFF_BYTES)) ? undefined : { encoding: "utf-8", markBytes: 0 };
}

/** A NUL, or too much that is no UTF-8 and no character that texts have. */
function isBinary(start: Buffer): boolean {
  if (start.includes(0)) return true;
  const text = start.toString("utf8");
  let noise = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || (code < 0x20 && !PLAIN_CONTROLS.has(code))) noise++;
  }
  return noise > text.length * MAX_NOISE_SHARE;
}

/** Backspace, tab, line feed, vertical tab, form feed, carriage return and escape stand in logs and recordings. */
const PLAIN_CONTROLS: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 27]);

/**
 * The characters of `bytes`, which start after the mark. With `partial` the
 * end of the file is not among them, and half a character at the end is left out.
 */
export function decodeText(bytes: Buffer, encoding: Encoding, partial: boolean): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes, { stream: partial });
}

/** The longest start that takes at most `maxBytes` in UTF-8; never half a character. */
export function cutToUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
