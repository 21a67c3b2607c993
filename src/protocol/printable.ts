/**
 * The one way by which text from the wire reaches a terminal: nothing in it
 * moves the cursor, reorders a line or hides. What does not print is shown as
 * what it is, never removed.
 */

export interface PrintableOptions {
  /** Several lines: newlines and tabs stay. Otherwise they are shown too. */
  readonly lines?: boolean;
  /** SGR escapes (colours and styles) stay; no other escape does. */
  readonly colors?: boolean;
}

/** Select Graphic Rendition with plain numbers; private forms such as `ESC[>4;1m` are modes. */
const SGR = /\x1b\[[0-9;:]{0,64}m/g;

/** Controls, formats (bidi, zero width), lone surrogates, unassigned; line and paragraph ends. Private use is kept for icon fonts. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Joiners between letters of scripts that need them, or between the parts of an emoji. */
const JOINER =
  /(?<=(?!\p{Script=Latin})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=(?!\p{Script=Latin})[\p{L}\p{Extended_Pictographic}])/u;

/** The printable parts of `text` as they are, the rest as pictures (`␛`) or code points (`<U+202E>`). */
export function printable(text: string, options: PrintableOptions = {}): string {
  if (options.colors !== true) return shown(text, options.lines === true);
  let result = "";
  let from = 0;
  for (const match of text.matchAll(SGR)) {
    result += shown(text.slice(from, match.index), options.lines === true) + match[0];
    from = match.index + match[0].length;
  }
  return result + shown(text.slice(from), options.lines === true);
}

/** JSON on one line in which every character prints; it reads back as the same value. */
export function printableJson(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replace(INVISIBLE, (found) =>
    Array.from({ length: found.length }, (_, index) => {
      return `\\u${found.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

function shown(text: string, lines: boolean): string {
  const unified = lines ? text.replace(/\r\n/g, "\n") : text;
  return unified.replace(INVISIBLE, (found, at: number) => {
    if (lines && (found === "\n" || found === "\t")) return found;
    if (isJoiner(found) && JOINER.test(around(unified, at))) return found;
    return picture(found);
  });
}

function isJoiner(char: string): boolean {
  return char === "\u200c" || char === "\u200d";
}

/** The joiner at `at` with one whole character on each side; a variation selector before it is a mark. */
function around(text: string, at: number): string {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
  return `${before}${text.charAt(at)}${after}`;
}

const DELETE = 0x7f;
/** The pictures of C0 stand here in its order. */
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = "\u2421";

function picture(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  if (code === DELETE) return DELETE_PICTURE;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
