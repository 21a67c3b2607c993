/**
 * The order of names in a list: numbers by their value, letters without case,
 * and the first so many of very many without sorting all of them.
 */

/**
 * Compares byte strings (latin1): runs of digits by value, ASCII letters
 * without case, the rest by byte, which for UTF-8 is the order of code points.
 */
export function compareNatural(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (isDigit(x) && isDigit(y)) {
      const [order, length] = compareNumbers(a, b, at);
      if (order !== 0) return order;
      at += length - 1;
    } else if (x !== y) {
      const order = fold(x) - fold(y);
      if (order !== 0) return order;
    }
  }
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Numbers that start at `at`: their order, and for equal ones how long they are. Leading zeros count only between equals. */
function compareNumbers(a: string, b: string, at: number): readonly [order: number, length: number] {
  let length = 0;
  let order = 0;
  for (;;) {
    const x = a.charCodeAt(at + length);
    const y = b.charCodeAt(at + length);
    const moreX = isDigit(x);
    const moreY = isDigit(y);
    if (moreX && moreY) order ||= x - y;
    else if (moreX || moreY) return [byValue(a, b, at), 0];
    else return [order, length];
    length++;
  }
}

/** Runs of unequal length: without their zeros the longer one is larger. */
function byValue(a: string, b: string, at: number): number {
  const x = digitsAt(a, at);
  const y = digitsAt(b, at);
  const left = x.replace(/^0+/, "");
  const right = y.replace(/^0+/, "");
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0) || x.length - y.length;
}

function digitsAt(text: string, at: number): string {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return text.slice(at, end);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const fold = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

/** Keeps the `size` first of all that is added: a heap whose top is the last of them. */
export class FirstOf<T> {
  readonly #size: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  constructor(size: number, compare: (a: T, b: T) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  add(item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#size) {
      heap.push(item);
      this.#rise(heap.length - 1);
      return;
    }
    const [last] = heap;
    if (last === undefined || this.#compare(item, last) >= 0) return;
    heap[0] = item;
    this.#sink(0);
  }

  /** What was kept, in order. */
  sorted(): T[] {
    return [...this.#heap].sort(this.#compare);
  }

  #rise(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfAfter(at, parent)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    let at = start;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = right < this.#heap.length && this.#isAfter(right, left) ? right : left;
      if (child >= this.#heap.length || !this.#swapIfAfter(child, at)) return;
      at = child;
    }
  }

  #swapIfAfter(child: number, parent: number): boolean {
    const c = this.#heap[child] as T; // both indexes lie in the heap
    const p = this.#heap[parent] as T;
    if (this.#compare(c, p) <= 0) return false;
    this.#heap[child] = p;
    this.#heap[parent] = c;
    return true;
  }

  #isAfter(a: number, b: number): boolean {
    return this.#compare(this.#heap[a] as T, this.#heap[b] as T) > 0;
  }
}
