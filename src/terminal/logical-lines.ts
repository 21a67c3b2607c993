/**
 * The lines as the program wrote them, wrapped rows joined: all that came since
 * a place, also what scrolled past the screen meanwhile. For matching, where a
 * word may be cut by a row's end and a line may be gone before anyone looks.
 */
import { MAX_JOINED_ROWS } from "./limits.js";
import type { LineCache } from "./line-cache.js";
import { plainOf, type Row } from "./row.js";

/** A place in a terminal's output: where the screen began then, and what was on it. */
export interface LineCursor {
  readonly epoch: number;
  readonly line: number;
  readonly rows: readonly string[];
  readonly alternateEpoch: number;
  readonly alternateRows: readonly string[];
}

/** All that came since `since`, and the place now; the screen's lines without one. */
export function logicalLines(cache: LineCache, since?: LineCursor): { lines: string[]; cursor: LineCursor } {
  cache.finish();
  const normal = new NormalRows(cache);
  const lines = newLines(normal, normalChange(cache, normal, since));
  const alternate = cache.alternate ? cache.screen() : [];
  if (cache.alternate) {
    const rows = { first: 0, end: alternate.length, at: (number: number) => alternate[number] };
    lines.push(...newLines(rows, { start: 0, known: knownAlternate(cache, since) }));
  }
  const cursor: LineCursor = {
    epoch: cache.epoch,
    line: cache.history.end,
    rows: textOf(normal.screen),
    alternateEpoch: cache.alternateEpoch,
    alternateRows: textOf(alternate),
  };
  return { lines: withoutBlankEnd(lines), cursor };
}

interface NumberedRows {
  readonly first: number;
  readonly end: number;
  at(number: number): Row | undefined;
}

/** Rows from `start` on may be new; those that are as in `known` are not. */
interface Change {
  readonly start: number;
  readonly known: readonly string[] | ReadonlySet<string>;
}

class NormalRows implements NumberedRows {
  readonly screen: readonly Row[];
  readonly first: number;
  readonly end: number;
  readonly #cache: LineCache;

  constructor(cache: LineCache) {
    this.#cache = cache;
    this.screen = cache.normalScreen();
    this.first = cache.history.first;
    this.end = cache.history.end + this.screen.length;
  }

  at(number: number): Row | undefined {
    const { history } = this.#cache;
    return number < history.end ? history.at(number) : this.screen[number - history.end];
  }
}

function normalChange(cache: LineCache, normal: NormalRows, since: LineCursor | undefined): Change {
  if (since === undefined) {
    // On the alternate screen the other one is out of sight.
    return { start: cache.alternate ? normal.end : cache.history.end, known: [] };
  }
  if (since.epoch === cache.epoch) {
    return { start: Math.max(since.line, normal.first), known: since.line >= normal.first ? since.rows : [] };
  }
  // Rows were cut anew or erased: what is on the screen now is told from what was by its text.
  return { start: cache.history.end, known: new Set(since.rows) };
}

function knownAlternate(cache: LineCache, since: LineCursor | undefined): Change["known"] {
  if (since?.alternateEpoch !== cache.alternateEpoch) {
    return [];
  }
  return since.epoch === cache.epoch ? since.alternateRows : new Set(since.alternateRows);
}

function newLines(rows: NumberedRows, { start, known }: Change): string[] {
  const lines: string[] = [];
  let number = startOfLine(rows, start);
  while (number < rows.end) {
    const begin = number;
    let line = "";
    let isNew = false;
    do {
      const row = rows.at(number);
      const text = plainOf(row?.ansi ?? "");
      line += text;
      isNew ||= number >= start && !isKnown(known, number - start, text);
      number++;
      if (rows.at(number)?.wrapped !== true || number - begin >= MAX_JOINED_ROWS) {
        break;
      }
      line += " ".repeat(row?.gap ?? 0);
    } while (number < rows.end);
    if (isNew) {
      lines.push(line);
    }
  }
  return lines;
}

function startOfLine(rows: NumberedRows, start: number): number {
  let number = start;
  while (number > rows.first && start - number < MAX_JOINED_ROWS && rows.at(number)?.wrapped === true) {
    number--;
  }
  return number;
}

function isKnown(known: Change["known"], index: number, text: string): boolean {
  return known instanceof Set ? known.has(text) : (known as readonly string[])[index] === text;
}

function textOf(rows: readonly Row[]): string[] {
  return rows.map((row) => plainOf(row.ansi));
}

function withoutBlankEnd(lines: string[]): string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1] === "") {
    length--;
  }
  return lines.slice(0, length);
}
