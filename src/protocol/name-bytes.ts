/**
 * File names as text that gives the same bytes back: a name is UTF-8, and each
 * byte b that is no part of valid UTF-8 stands as the lone surrogate U+DC00+b.
 */

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Where stray bytes 0x80 to 0xFF stand among the surrogates. */
const STRAY = 0xdc00;

/** A name's bytes as text. */
export function bytesToName(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeStray(bytes); // not UTF-8 throughout
  }
}

/** The bytes of a name that {@link bytesToName} gave; any other lone surrogate becomes U+FFFD. */
export function nameToBytes(name: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code < 0xdc00 && isLow(name.charCodeAt(at + 1))) at++;
    else if (code >= STRAY + 0x80 && code <= STRAY + 0xff) {
      parts.push(encoder.encode(name.slice(from, at)), Uint8Array.of(code - STRAY));
      from = at + 1;
    }
  }
  if (from === 0) return encoder.encode(name);
  parts.push(encoder.encode(name.slice(from)));
  return concat(parts);
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

function decodeStray(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(STRAY + (bytes[at] ?? 0));
      at++;
    } else {
      text += decoder.decode(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return text;
}

/** The length of the valid UTF-8 sequence at `at`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    decoder.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0; // a truncated, overlong or surrogate sequence: its first byte is a stray one
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
