/**
 * The finished rows of a terminal, oldest first, under numbers that stay: the
 * first row of a terminal is 0, and dropping old rows renumbers nothing.
 */
import type { RowCells } from "./cells.js";
import { BLOCK_ROWS, HistoryBlock } from "./history-block.js";
import type { Row, RowPlace } from "./row.js";

export class History {
  readonly #limit: number;
  #blocks: HistoryBlock[] = [];
  /** The number of the first block's first row. */
  #offset = 0;
  #end = 0;
  #first = 0;
  /** All rows before this number are drawn. */
  #drawn = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of the oldest row that is still there. */
  get first(): number {
    return this.#first;
  }

  /** The number that the next row gets. */
  get end(): number {
    return this.#end;
  }

  /** Some rows are kept as cells, which takes ten times the memory of text. */
  get hasCells(): boolean {
    return this.#drawn < this.#end;
  }

  /** Keeps a row's cells until someone wants to see it: in a flood most rows are dropped unseen. */
  push(cells: RowCells, place: RowPlace): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.isFull) {
      block = new HistoryBlock();
      this.#blocks.push(block);
    }
    block.add(cells, place);
    this.#end++;
    if (this.#end - this.#first > this.#limit) {
      this.#dropOne();
    }
  }

  /** Takes back the newest rows. */
  takeBack(count: number): void {
    let left = Math.min(count, this.#end - this.#first);
    this.#end -= left;
    this.#drawn = Math.min(this.#drawn, this.#end);
    while (left > 0) {
      const block = this.#blocks.at(-1);
      if (block === undefined) {
        return;
      }
      const taken = Math.min(left, block.length);
      block.takeBack(taken);
      left -= taken;
      if (block.length === 0) {
        block.release();
        this.#blocks.pop();
      }
    }
  }

  /** Forgets all rows; numbers go on from `end`. */
  clear(): void {
    for (const block of this.#blocks) {
      block.release();
    }
    this.#blocks = [];
    this.#offset = this.#end;
    this.#first = this.#end;
    this.#drawn = this.#end;
  }

  at(number: number): Row | undefined {
    if (number < this.#first || number >= this.#end) {
      return undefined;
    }
    const index = number - this.#offset;
    return this.#blocks[Math.floor(index / BLOCK_ROWS)]?.row(index % BLOCK_ROWS);
  }

  /** Calls `each` with the text of the rows from `start` up to `end`, as far as they are there. */
  forEach(start: number, end: number, each: (ansi: string) => void): void {
    const last = Math.min(end, this.#end) - this.#offset;
    for (let index = Math.max(start, this.#first) - this.#offset; index < last; index++) {
      const block = this.#blocks[Math.floor(index / BLOCK_ROWS)];
      if (block) {
        each(block.ansi(index % BLOCK_ROWS));
      }
    }
  }

  /** Draws the oldest rows that are kept as cells, some blocks of them, and lets the cells go. */
  draw(blocks: number): void {
    this.#drawn = Math.max(this.#drawn, this.#first);
    for (let left = blocks; left > 0 && this.hasCells; left--) {
      const index = Math.floor((this.#drawn - this.#offset) / BLOCK_ROWS);
      this.#blocks[index]?.draw();
      this.#drawn = Math.min(this.#end, this.#offset + (index + 1) * BLOCK_ROWS);
    }
  }

  #dropOne(): void {
    this.#first++;
    if (this.#first - this.#offset >= BLOCK_ROWS) {
      this.#blocks.shift()?.release();
      this.#offset += BLOCK_ROWS;
    }
  }
}
