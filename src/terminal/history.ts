/**
 * The finished rows of a terminal, oldest first, under numbers that stay: the
 * first row of a terminal is 0, and dropping old rows renumbers nothing.
 */
import type { Row } from "./row.js";

/** Dropped rows are let go in blocks of this many, so that dropping costs nothing each. */
const COMPACT_ROWS = 512;

export class History {
  readonly #limit: number;
  #rows: Row[] = [];
  /** Rows at the start of the array that are dropped already. */
  #dropped = 0;
  /** The number of the array's first row. */
  #offset = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of the oldest row that is still there. */
  get first(): number {
    return this.#offset + this.#dropped;
  }

  /** The number that the next row gets. */
  get end(): number {
    return this.#offset + this.#rows.length;
  }

  push(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length - this.#dropped > this.#limit) {
      this.#dropped++;
      if (this.#dropped >= COMPACT_ROWS) {
        this.#rows = this.#rows.slice(this.#dropped);
        this.#offset += this.#dropped;
        this.#dropped = 0;
      }
    }
  }

  /** Takes back the newest rows. */
  takeBack(count: number): void {
    this.#rows.length = Math.max(this.#dropped, this.#rows.length - count);
  }

  /** Forgets all rows; numbers go on from `end`. */
  clear(): void {
    this.#offset = this.end;
    this.#rows = [];
    this.#dropped = 0;
  }

  at(number: number): Row | undefined {
    return number < this.first ? undefined : this.#rows[number - this.#offset];
  }

  /** Rows from `start` up to `end`, as far as they are there. */
  slice(start: number, end: number): Row[] {
    return this.#rows.slice(Math.max(this.#dropped, start - this.#offset), Math.max(0, end - this.#offset));
  }
}
