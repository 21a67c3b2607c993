/**
 * Builds a string a character at a time in one buffer that it keeps. Added up
 * with `+=`, a row of a terminal would be a tree of hundreds of pieces, which
 * takes forty times the memory and is slow to read.
 */
const FIRST_UNITS = 4096;
const ONE_BYTE_MOST = 0xff;
const ASTRAL_LEAST = 0x10000;

export class TextBuilder {
  #units = new Uint16Array(FIRST_UNITS);
  #bytes = Buffer.alloc(FIRST_UNITS);
  /** All bits of all units: tells whether one byte each is enough. */
  #bits = 0;
  /** In UTF-16 units. */
  length = 0;

  clear(): void {
    this.length = 0;
    this.#bits = 0;
  }

  addCodePoint(code: number): void {
    if (code < ASTRAL_LEAST) {
      this.#add(code);
    } else {
      const offset = code - ASTRAL_LEAST;
      this.#add(0xd800 | (offset >>> 10));
      this.#add(0xdc00 | (offset & 0x3ff));
    }
  }

  addText(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#add(text.charCodeAt(index));
    }
  }

  /** All of it as a string of its own. */
  toString(): string {
    const { length } = this;
    if (this.#bits > ONE_BYTE_MOST) {
      return Buffer.from(this.#units.buffer, 0, length * 2).toString("utf16le");
    }
    const bytes = this.#bytes;
    for (let index = 0; index < length; index++) {
      bytes[index] = this.#units[index] ?? 0;
    }
    return bytes.toString("latin1", 0, length);
  }

  #add(unit: number): void {
    if (this.length === this.#units.length) {
      const units = new Uint16Array(this.length * 2);
      units.set(this.#units);
      this.#units = units;
      this.#bytes = Buffer.alloc(units.length);
    }
    this.#units[this.length++] = unit;
    this.#bits |= unit;
  }
}
