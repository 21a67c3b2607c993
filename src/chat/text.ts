/** Cutting texts for chats: one line, a head, a tail, and long blocks into items. Surrogate pairs stay whole. */
import { HARD_TEXT_ITEM_CHARS, SOFT_TEXT_ITEM_CHARS } from "./limits.js";

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Lone surrogates as U+FFFD, which is what UTF-8 makes of them anyway. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, "\ufffd");

/** The first `max` UTF-16 units at most. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max);
}

/** The last `max` UTF-16 units at most. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  const from = text.length - max;
  return text.slice(isHighSurrogate(text.charCodeAt(from - 1)) ? from + 1 : from);
}

/** The head with an ellipsis when something was cut. */
export const clip = (text: string, max: number): string =>
  text.length <= max ? text : `${head(text, max - 1)}…`;

/** One line without control characters. */
export function oneLine(text: string, max: number): string {
  const start = head(text, max * 4);
  return clip(start.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ").trim(), max);
}

/**
 * Where the first piece of a long block ends: after a blank line past
 * SOFT_TEXT_ITEM_CHARS outside a code fence, else at a line's end before
 * HARD_TEXT_ITEM_CHARS. Undefined while all of it is one piece. A piece that
 * has ended stays as it is when the block grows.
 */
export function pieceEnd(text: string): number | undefined {
  if (text.length <= SOFT_TEXT_ITEM_CHARS) return undefined;
  let fenced = false;
  let lastLineEnd = 0;
  for (let at = 0; at < text.length && at < HARD_TEXT_ITEM_CHARS; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    const line = text.slice(at, end);
    if (/^\s{0,3}(```|~~~)/.test(line)) fenced = !fenced;
    if (line.trim() === "" && !fenced && end >= SOFT_TEXT_ITEM_CHARS && end + 1 < text.length) return end + 1;
    if (end < HARD_TEXT_ITEM_CHARS) lastLineEnd = end + 1;
    at = end + 1;
  }
  if (text.length <= HARD_TEXT_ITEM_CHARS) return undefined;
  return lastLineEnd > 0 ? lastLineEnd : head(text, HARD_TEXT_ITEM_CHARS).length;
}

/** A block as its pieces; joined they are the block. */
export function pieces(text: string): string[] {
  const all: string[] = [];
  let rest = text;
  for (;;) {
    const end = pieceEnd(rest);
    if (end === undefined) break;
    all.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  all.push(rest);
  return all;
}

/** A copy with every string cut to `max` units, nested values too. */
export function clipStrings(value: unknown, max: number): unknown {
  if (typeof value === "string") return clip(value, max);
  if (Array.isArray(value))
    return value.slice(0, MAX_CLIPPED_ENTRIES).map((entry) => clipStrings(entry, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_CLIPPED_ENTRIES)
      .map(([key, entry]) => [head(key, max), clipStrings(entry, max)]),
  );
}

/** Entries of one array or object of a clipped input. */
const MAX_CLIPPED_ENTRIES = 200;

/** A record whose strings are shortened until its JSON takes at most `maxBytes`. */
export function clipRecord(
  value: Readonly<Record<string, unknown>>,
  maxChars: number,
  maxBytes: number,
): Record<string, unknown> {
  for (let chars = maxChars; chars >= 16; chars = Math.floor(chars / 4)) {
    const clipped = clipStrings(value, chars) as Record<string, unknown>;
    if (Buffer.byteLength(JSON.stringify(clipped)) <= maxBytes) return clipped;
  }
  return {};
}
