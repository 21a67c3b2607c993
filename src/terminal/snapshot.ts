/**
 * What a terminal shows at one moment: numbered rows, of which a read takes
 * the last. Rows from `base` on are the screen's; on the alternate screen there
 * are no others.
 */
import { DEFAULT_ROWS_ABOVE, MAX_JOINED_ROWS } from "./limits.js";
import type { LineCache } from "./line-cache.js";
import { plainOf, type Row } from "./row.js";

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

  /** The text of the rows from `top` to the end of what is used; the first ones may be known already. */
  lines(top: number, ansi: boolean, known: readonly string[] = []): string[] {
    const lines = known.slice(0, Math.max(0, this.end - top));
    const add = (text: string) => lines.push(ansi ? text : plainOf(text));
    this.#cache.history.forEach(top + lines.length, Math.min(this.base, this.end), add);
    for (let number = Math.max(top + lines.length, this.base); number < this.end; number++) {
      add(this.#screen[number - this.base]?.ansi ?? "");
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
    while (number >= this.first && this.#text(number) === "") {
      number--;
    }
    const bottom = number;
    let line = this.#text(number);
    while (number > this.first && bottom - number < MAX_JOINED_ROWS && this.row(number)?.wrapped) {
      number--;
      line = this.#text(number) + " ".repeat(this.row(number)?.gap ?? 0) + line;
    }
    return line;
  }

  #text(number: number): string {
    return plainOf(this.row(number)?.ansi ?? "");
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
