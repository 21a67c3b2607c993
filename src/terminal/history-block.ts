/**
 * Some finished rows, as cells until they are looked at or time allows drawing
 * them, as text from then on.
 */
import type { RowCells } from "./cells.js";
import { MAX_UNDRAWN_BYTES } from "./limits.js";
import { type Row, type RowPlace, renderRow } from "./row.js";

/** Rows of a block: few enough to draw all at once in under a millisecond. */
export const BLOCK_ROWS = 128;

/** Buffers of dropped blocks that wait for new ones: a flood fills and drops thousands a second. */
const MAX_SPARE_BUFFERS = 16;

/** Of a row's place: whether it is wrapped, then its gap once it is drawn, until then whether it goes on. */
const WRAPPED = 1;
const GAP_SHIFT = 1;

const spare: Uint32Array[] = [];
let undrawnBytes = 0;

export class HistoryBlock {
  /** The drawn rows' texts. */
  readonly #texts: (string | undefined)[] = [];
  readonly #places = new Uint16Array(BLOCK_ROWS);
  #words: Uint32Array | undefined;
  /** Words of a row; all undrawn rows of a block have the same. */
  #stride = 0;
  #combined: RowCells["combined"][] = [];
  #extended: RowCells["extended"][] = [];

  get length(): number {
    return this.#texts.length;
  }

  get isFull(): boolean {
    return this.#texts.length === BLOCK_ROWS;
  }

  add(cells: RowCells, place: RowPlace): void {
    if (this.#words === undefined || this.#stride !== cells.words.length) {
      this.draw();
      if (!this.#reserve(cells.words.length)) {
        this.#keep(this.#texts.length, renderRow(cells, place));
        return;
      }
    }
    const index = this.#texts.length;
    this.#words?.set(cells.words, index * this.#stride);
    this.#combined[index] = cells.combined;
    this.#extended[index] = cells.extended;
    this.#places[index] = (place.wrapped ? WRAPPED : 0) | (place.goesOn ? 1 << GAP_SHIFT : 0);
    this.#texts.push(undefined);
  }

  /** A row's text, with escapes. */
  ansi(index: number): string {
    return this.#texts[index] ?? this.#render(index);
  }

  row(index: number): Row {
    const ansi = this.ansi(index);
    const place = this.#places[index] ?? 0;
    return { ansi, wrapped: (place & WRAPPED) !== 0, gap: place >>> GAP_SHIFT };
  }

  takeBack(count: number): void {
    this.#texts.length -= count;
  }

  /** Draws what is not drawn yet and lets the cells go. */
  draw(): void {
    if (this.#words !== undefined) {
      for (let index = 0; index < this.#texts.length; index++) {
        this.ansi(index);
      }
      this.release();
    }
  }

  /** Lets the cells go; rows that are not drawn are lost with them. */
  release(): void {
    if (this.#words !== undefined) {
      undrawnBytes -= this.#words.byteLength;
      if (spare.length < MAX_SPARE_BUFFERS) {
        spare.push(this.#words);
      }
      this.#words = undefined;
      this.#combined = [];
      this.#extended = [];
    }
  }

  #reserve(stride: number): boolean {
    const words = BLOCK_ROWS * stride;
    if (undrawnBytes + words * Uint32Array.BYTES_PER_ELEMENT > MAX_UNDRAWN_BYTES) {
      return false;
    }
    const kept = spare.pop();
    this.#words = kept?.length === words ? kept : new Uint32Array(words);
    this.#stride = stride;
    undrawnBytes += this.#words.byteLength;
    return true;
  }

  #render(index: number): string {
    const start = index * this.#stride;
    const cells = {
      words: this.#words?.subarray(start, start + this.#stride) ?? new Uint32Array(0),
      combined: this.#combined[index] ?? {},
      extended: this.#extended[index] ?? {},
    };
    const place = this.#places[index] ?? 0;
    const row = renderRow(cells, { wrapped: (place & WRAPPED) !== 0, goesOn: place >>> GAP_SHIFT !== 0 });
    this.#keep(index, row);
    return row.ansi;
  }

  #keep(index: number, row: Row): void {
    this.#texts[index] = row.ansi;
    this.#places[index] = (row.wrapped ? WRAPPED : 0) | (row.gap << GAP_SHIFT);
  }
}
