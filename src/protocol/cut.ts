/**
 * Cuts text by what its JSON takes in UTF-8, which is up to six times its
 * length: the frame holds bytes, not characters. One pass, no copies.
 */

/** The two quotation marks. */
const QUOTES_BYTES = 2;

/** A control character or a lone surrogate: a backslash, a u and four hex digits. */
const ESCAPE_BYTES = 6;

/** What one ASCII character takes. */
const ASCII_BYTES = new Uint8Array(128).map((_, code) => {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code >= 0x20) return 1;
  return [8, 9, 10, 12, 13].includes(code) ? 2 : ESCAPE_BYTES;
});

export interface Cut {
  readonly text: string;
  /** Whether something was left out. */
  readonly cut: boolean;
}

/** What `JSON.stringify(text)` takes in UTF-8. */
export function jsonBytes(text: string): number {
  let bytes = QUOTES_BYTES;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes += ASCII_BYTES[code] ?? 1;
    else if (code < 0x800) bytes += 2;
    else if (code < 0xd800 || code > 0xdfff) bytes += 3;
    else if (isPair(text, at)) {
      bytes += 4;
      at++;
    } else bytes += ESCAPE_BYTES;
  }
  return bytes;
}

/** The longest start of `text` whose JSON, quotes included, takes at most `budgetBytes`; never half a character. */
export function cutToJson(text: string, budgetBytes: number): Cut {
  if (text.length * ESCAPE_BYTES + QUOTES_BYTES <= budgetBytes) return { text, cut: false };
  let left = budgetBytes - QUOTES_BYTES;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    let units = 1;
    if (code < 0x80) left -= ASCII_BYTES[code] ?? 1;
    else if (code < 0x800) left -= 2;
    else if (code < 0xd800 || code > 0xdfff) left -= 3;
    else if (isPair(text, at)) {
      left -= 4;
      units = 2;
    } else left -= ESCAPE_BYTES;
    if (left < 0) return { text: text.slice(0, at), cut: true };
    at += units;
  }
  return { text, cut: false };
}

/** The longest end of `text` that fits, for what is read from its end. */
export function cutToJsonTail(text: string, budgetBytes: number): Cut {
  if (text.length * ESCAPE_BYTES + QUOTES_BYTES <= budgetBytes) return { text, cut: false };
  let left = budgetBytes - QUOTES_BYTES;
  let at = text.length;
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    let units = 1;
    if (code < 0x80) left -= ASCII_BYTES[code] ?? 1;
    else if (code < 0x800) left -= 2;
    else if (code < 0xd800 || code > 0xdfff) left -= 3;
    else if (at > 1 && isPair(text, at - 2)) {
      left -= 4;
      units = 2;
    } else left -= ESCAPE_BYTES;
    if (left < 0) return { text: text.slice(at), cut: true };
    at -= units;
  }
  return { text, cut: false };
}

/** Whether a high surrogate and its low one stand at `at`. */
function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}
