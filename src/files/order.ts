/**
 * The order of names in a list: numbers by their value, letters without case,
 * and the first so many of very many without sorting all of them.
 */

/**
 * Compares byte strings (latin1): runs of digits by value, ASCII letters
 * without case, the rest by byte, which for UTF-8 is the order of code points.
 * Between equals the shorter comes first, then the one of the lesser bytes.
 */
export function compareNatural(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(j);
    if (isDigit(x) && isDigit(y)) {
      i = skipZeros(a, i);
      j = skipZeros(b, j);
      const [endA, endB] = [digitsEnd(a, i), digitsEnd(b, j)];
      if (endA - i !== endB - j) return endA - i - (endB - j);
      for (; i < endA; i++, j++) {
        const order = a.charCodeAt(i) - b.charCodeAt(j);
        if (order !== 0) return order;
      }
    } else {
      const order = fold(x) - fold(y);
      if (order !== 0) return order;
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || tie(a, b);
}

const tie = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const fold = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

/** Zeros that add nothing to a number, all of them when it is 0. */
function skipZeros(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === 0x30) end++;
  return end;
}

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** A text whose plain order is the natural one, but for ties: a run of digits is led by its length. */
export function naturalKey(name: string): string {
  return name.replace(LETTERS_OR_DIGITS, (run) => {
    if (!isDigit(run.charCodeAt(0))) return run.toLowerCase();
    const digits = run.slice(skipZeros(run, 0));
    return `0${String.fromCharCode(digits.length)}${digits}`;
  });
}

const LETTERS_OR_DIGITS = /[A-Z]+|[0-9]+/g;

interface Keyed<T> {
  readonly item: T;
  readonly key: string;
}

/** Keeps the `size` first by name of all that is added. */
export class FirstOf<T extends { readonly name: string }> {
  readonly #size: number;
  /** At most twice the size, unsorted. */
  #kept: Keyed<T>[] = [];
  /** The last of the first so many, as of the last pruning: what comes after it is not wanted. */
  #bound: string | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: T): void {
    // Most of very many end here, so this is the one comparison that needs no key.
    if (this.#bound !== undefined && compareNatural(item.name, this.#bound) >= 0) return;
    this.#kept.push({ item, key: naturalKey(item.name) });
    if (this.#kept.length >= 2 * this.#size) this.#prune();
  }

  /** What was kept, in order. */
  sorted(): T[] {
    this.#prune();
    return this.#kept.map(({ item }) => item);
  }

  #prune(): void {
    this.#kept.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : tie(a.item.name, b.item.name)));
    this.#kept = this.#kept.slice(0, this.#size);
    if (this.#kept.length === this.#size) this.#bound = this.#kept.at(-1)?.item.name;
  }
}
