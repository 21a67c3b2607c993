/**
 * The rows of a terminal: those above the screen drawn once, when they leave
 * it, and the screen's drawn anew after each change.
 *
 * A marker on the newest row above the screen tells what is new: no sequence
 * changes a row up there, and what moves rows inside the screen does not move
 * it. Rows are drawn before the emulator drops them, so it may keep few. A
 * change of size draws those that it keeps anew; older ones stay as they were.
 */
import type { IBuffer, IMarker, Terminal } from "@xterm/headless";
import { rowCells } from "./cells.js";
import { History } from "./history.js";
import { type Row, renderRow } from "./row.js";

/** ED 3 erases what is above the screen. */
const ERASE_SCROLLBACK = 3;

const EMPTY_ROW: Row = { ansi: "", wrapped: false, gap: 0 };

export class LineCache {
  readonly history: History;
  readonly #terminal: Terminal;
  readonly #scrollback: number;
  #marker: IMarker | undefined;
  /** Drawn rows that the emulator still holds, while the alternate screen takes no marker. */
  #unmarked = 0;
  #scrolls = 0;
  #epoch = 0;
  #alternateEpoch = 0;

  /** `limit`: rows to keep above the screen, of which the emulator holds its own scrollback's number. */
  constructor(terminal: Terminal, limit: number) {
    this.#terminal = terminal;
    this.#scrollback = terminal.options.scrollback ?? 0;
    this.history = new History(limit);
    const drawEvery = Math.max(1, Math.floor(this.#scrollback / 2));
    terminal.onScroll(() => {
      if (++this.#scrolls >= drawEvery) {
        this.finish();
      }
    });
    terminal.buffer.onBufferChange((buffer) => this.#switched(buffer));
    terminal.parser.registerEscHandler({ final: "c" }, () => this.#cleared());
    const erase = (params: readonly (number | number[])[]) =>
      params[0] === ERASE_SCROLLBACK && !this.alternate ? this.#cleared() : false;
    terminal.parser.registerCsiHandler({ final: "J" }, erase);
    terminal.parser.registerCsiHandler({ prefix: "?", final: "J" }, erase);
  }

  get alternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Row numbers mean the same rows as long as this stays the same. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Counts the alternate screens that there were. */
  get alternateEpoch(): number {
    return this.#alternateEpoch;
  }

  /** Draws the rows that left the screen since the last time. */
  finish(): void {
    this.#scrolls = 0;
    if (this.alternate) {
      return;
    }
    const { normal } = this.#terminal.buffer;
    this.#draw(normal, this.#live());
    this.#mark(normal);
  }

  /** The screen's rows now, all of them. */
  screen(): Row[] {
    return drawScreen(this.#terminal.buffer.active, this.#terminal.rows);
  }

  /** The normal screen's rows, also while the alternate one is shown. */
  normalScreen(): Row[] {
    return drawScreen(this.#terminal.buffer.normal, this.#terminal.rows);
  }

  /** The row of the cursor with its cell drawn inverse, and its place on the screen. */
  cursorRow(): { y: number; row: Row } {
    const { active } = this.#terminal.buffer;
    const column = Math.min(active.cursorX, this.#terminal.cols - 1);
    return { y: active.cursorY, row: drawRow(active, active.baseY + active.cursorY, column) };
  }

  resize(cols: number, rows: number): void {
    const terminal = this.#terminal;
    this.finish();
    this.history.takeBack(this.#live());
    this.#forget();
    if (cols < terminal.cols) {
      // Narrower rows are more rows: none may be dropped before it is drawn.
      terminal.options.scrollback = this.#scrollback * (Math.ceil(terminal.cols / cols) + 1) + terminal.rows;
    }
    terminal.resize(cols, rows);
    const { normal } = terminal.buffer;
    this.#draw(normal, 0);
    if (terminal.options.scrollback !== this.#scrollback) {
      terminal.options.scrollback = this.#scrollback;
    }
    this.#epoch++;
    if (this.alternate) {
      this.#unmarked = normal.baseY;
    } else {
      this.#mark(normal);
    }
  }

  /** How many rows at the end of the history the emulator still holds. */
  #live(): number {
    return this.#marker && !this.#marker.isDisposed ? this.#marker.line + 1 : this.#unmarked;
  }

  #draw(normal: IBuffer, start: number): void {
    let line = start < normal.baseY ? normal.getLine(start) : undefined;
    for (let y = start; line !== undefined && y < normal.baseY; y++) {
      const next = normal.getLine(y + 1);
      this.history.push(rowCells(line), { wrapped: line.isWrapped, goesOn: next?.isWrapped === true });
      line = next;
    }
  }

  #mark(normal: IBuffer): void {
    if (this.#marker && !this.#marker.isDisposed && this.#marker.line === normal.baseY - 1) {
      return;
    }
    this.#forget();
    if (normal.baseY > 0) {
      this.#marker = this.#terminal.registerMarker(-normal.cursorY - 1);
    }
  }

  #forget(): void {
    this.#marker?.dispose();
    this.#marker = undefined;
    this.#unmarked = 0;
  }

  #cleared(): false {
    this.history.clear();
    this.#forget();
    this.#epoch++;
    return false;
  }

  #switched(active: IBuffer): void {
    if (active.type === "alternate") {
      this.#alternateEpoch++;
      const { normal } = this.#terminal.buffer;
      this.#draw(normal, this.#live());
      this.#forget();
      this.#unmarked = normal.baseY;
    } else if (this.#unmarked > 0) {
      this.#mark(active);
    }
  }
}

function drawScreen(buffer: IBuffer, rows: number): Row[] {
  return Array.from({ length: rows }, (_, y) => drawRow(buffer, buffer.baseY + y));
}

function drawRow(buffer: IBuffer, y: number, cursor?: number): Row {
  const line = buffer.getLine(y);
  if (line === undefined) {
    return EMPTY_ROW;
  }
  const goesOn = buffer.getLine(y + 1)?.isWrapped === true;
  return renderRow(rowCells(line), { wrapped: line.isWrapped, goesOn, cursor });
}
