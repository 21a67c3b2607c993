/** Names that another machine chose, made fit to stand in a prompt, a list or a log of the owner. */
import { MAX_DEVICE_NAME_CHARS, MAX_DEVICE_NAME_CODE_POINTS } from "./limits.js";

/** Controls, formats (bidi, zero width), surrogates, private use, unassigned; line and paragraph ends. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Letters that draw nothing: Hangul fillers, the Braille blank. */
const BLANK = /[\u115f\u1160\u3164\uffa0\u2800]/gu;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * One line of at most 64 visible characters. What does not print becomes a
 * space, so that a hidden character cannot join two words; `fallback` stands
 * in for a name of which nothing is left.
 */
export function visibleName(text: string, fallback: string): string {
  const start = [...text.slice(0, 4 * MAX_DEVICE_NAME_CODE_POINTS)].slice(0, MAX_DEVICE_NAME_CODE_POINTS);
  const line = start
    .join("")
    .normalize("NFC")
    .replace(INVISIBLE, " ")
    .replace(BLANK, " ")
    .replace(/\s+/gu, " ")
    .trim();
  const seen = [...graphemes.segment(line)].slice(0, MAX_DEVICE_NAME_CHARS).map((part) => part.segment);
  const name = seen.join("").trim();
  return /[^\p{M}\p{Z}]/u.test(name) ? name : fallback;
}
