/**
 * What a terminal shows at one moment: numbered rows, of which a read takes
 * the last. Rows from `base` on are the screen's; on the alternate screen there
 * are no others.
 */
import { DEFAULT_ROWS_ABOVE, MAX_JOINED_ROWS } from "./limits.js";
import type { LineCache } from "./line-cache.js";
import type { Row } from "./row.js";

export class Snapshot {
  /** Row numbers mean the same rows in all snapshots with the same space. */
  readonly space: string;
  readonly first: number;
  readonly base: number;
  /** The number after the last row in which something shows. */
  readonly end: number;
  readonly #cache: LineCache;
  readonly #screen: readonly Row[];
  readonly #cursor: { readonly number: number; readonly row: Row } | undefined;

  constructor(cache: LineCache, cursorVisible: boolean) {
    cache.finish();
    this.#cache = cache;
    this.#screen = cache.screen();
    this.space = cache.alternate
      ? `alternate ${cache.alternateEpoch} ${cache.epoch}`
      : `normal ${cache.epoch}`;
    this.first = cache.alternate ? 0 : cache.history.first;
    this.base = cache.alternate ? 0 : cache.history.end;
    this.end = this.#lastUsed() + 1;
    this.#cursor = cursorVisible ? this.#drawCursor() : undefined;
  }

  row(number: number): Row | undefined {
    return number < this.base ? this.#cache.history.at(number) : this.#screen[number - this.base];
  }

  /** The text of the rows from `top` to the end of what is used. */
  lines(top: number, ansi: boolean): string[] {
    const rows = top < this.base ? this.#cache.history.slice(top, Math.min(this.base, this.end)) : [];
    const lines = rows.map((row) => (ansi ? row.ansi : row.text));
    for (let number = Math.max(top, this.base); number < this.end; number++) {
      const row = this.#screen[number - this.base];
      lines.push((ansi ? row?.ansi : row?.text) ?? "");
    }
    if (ansi && this.#cursor && this.#cursor.number >= top && this.#cursor.number < this.end) {
      lines[this.#cursor.number - top] = this.#cursor.row.ansi;
    }
    return lines;
  }

  /** The first row of a read. */
  top(lines: number | undefined): number {
    const wanted = lines === undefined ? this.base - DEFAULT_ROWS_ABOVE : this.end - lines;
    return Math.min(this.end, Math.max(this.first, wanted));
  }

  /** The last row with text, joined with those that it goes on. */
  lastLine(): string {
    let number = this.end - 1;
    while (number >= this.first && this.row(number)?.text === "") {
      number--;
    }
    const bottom = number;
    let line = this.row(number)?.text ?? "";
    while (number > this.first && bottom - number < MAX_JOINED_ROWS && this.row(number)?.wrapped) {
      const above = this.row(--number);
      line = (above?.text ?? "") + " ".repeat(above?.gap ?? 0) + line;
    }
    return line;
  }

  #lastUsed(): number {
    for (let number = this.base + this.#screen.length - 1; number >= this.first; number--) {
      if (this.row(number)?.ansi !== "") {
        return number;
      }
    }
    return this.first - 1;
  }

  #drawCursor(): { number: number; row: Row } {
    const { y, row } = this.#cache.cursorRow();
    return { number: this.base + y, row };
  }
}
