/**
 * Cuts a stream of UTF-8 between characters. The emulator takes cut ones too,
 * but loses those whose second or third byte is 0x80 when they are cut after
 * it: every dash, quote, bullet and ellipsis is such a character.
 */
const NONE = new Uint8Array(0);

/** A character has at most this many bytes; all but its first begin with the bits 10. */
const MAX_CHARACTER_BYTES = 4;

export class WholeCharacters {
  #rest: Uint8Array = NONE;

  /** The bytes with what was left of the last ones, up to the end of the last whole character. */
  take(bytes: Uint8Array): Uint8Array {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.length - unfinishedBytes(all);
    // A copy: the caller's buffer is not ours past this call.
    this.#rest = end === all.length ? NONE : Uint8Array.from(all.subarray(end));
    return end === all.length ? all : all.subarray(0, end);
  }
}

/** Bytes at the end that begin a character and do not finish it. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let count = 1; count < MAX_CHARACTER_BYTES && count <= bytes.length; count++) {
    const byte = bytes[bytes.length - count] ?? 0;
    if ((byte & 0xc0) !== 0x80) {
      return lengthFrom(byte) > count ? count : 0;
    }
  }
  return 0;
}

/** The bytes of a character from its first one; 1 for one that begins none. */
function lengthFrom(first: number): number {
  if ((first & 0xe0) === 0xc0) {
    return 2;
  }
  if ((first & 0xf0) === 0xe0) {
    return 3;
  }
  return (first & 0xf8) === 0xf0 ? 4 : 1;
}
