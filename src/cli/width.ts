/** How many columns text takes on a terminal; near enough for tables. */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** East Asian wide scripts, fullwidth forms, and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f/u;

export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The start of `text` that fits, with an ellipsis when something is missing. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = "";
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    cut += segment;
  }
  return columns > 0 ? `${cut}…` : "";
}

export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
