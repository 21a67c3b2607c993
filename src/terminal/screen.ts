/**
 * One terminal's screen: bytes in, text and differences out. It knows no pty
 * and no socket; what the emulator answers to the program goes through `reply`.
 */
import { clampCols, clampRows, Emulator, type EmulatorEvents, type ScreenModes } from "./emulator.js";
import { DRAW_BLOCKS, DRAW_INTERVAL_MS, LIVE_SCROLLBACK_ROWS, SCROLLBACK_ROWS } from "./limits.js";
import { LineCache } from "./line-cache.js";
import { type LineCursor, logicalLines } from "./logical-lines.js";
import { ParseQueue } from "./parse-queue.js";
import { drawScreen } from "./picture.js";
import { Snapshot } from "./snapshot.js";
import { type Deliver, type ScreenWatch, Watch, type Watched } from "./watch.js";
import { type ReadOptions, Windows } from "./window.js";

export type { ScreenModes } from "./emulator.js";
export type { LineCursor } from "./logical-lines.js";
export type { PromptMark } from "./prompt-mark.js";
export type { Deliver, ScreenUpdate, ScreenWatch } from "./watch.js";
export type { ReadOptions } from "./window.js";

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Rows kept above the screen; {@link SCROLLBACK_ROWS} when absent. */
  scrollback?: number;
  /** The emulator's answers to the program (DA, CPR, DECRQM, DECRQSS), at most 4 KiB a second. */
  reply(data: string): void;
}

export interface ScreenEvents extends Omit<EmulatorEvents, "reply"> {
  /** Some of what was written is parsed now, or the size changed. */
  parsed(): void;
}

export class Screen {
  readonly modes: ScreenModes;
  readonly #emulator: Emulator;
  readonly #cache: LineCache;
  readonly #queue: ParseQueue;
  readonly #events: ScreenEvents;
  readonly #watches = new Set<Watch>();
  readonly #watched: Watched;
  #changedAt = performance.now();
  #windows: Windows | undefined;
  #drawing: NodeJS.Timeout | undefined;

  constructor(options: ScreenOptions, events: ScreenEvents) {
    const scrollback = options.scrollback ?? SCROLLBACK_ROWS;
    this.#emulator = new Emulator(
      { cols: options.cols, rows: options.rows, scrollback: Math.min(scrollback, LIVE_SCROLLBACK_ROWS) },
      {
        reply: (data) => options.reply(data),
        title: (title) => events.title(title),
        bell: () => events.bell(),
        notify: (text) => events.notify(text),
        mark: (mark) => events.mark(mark),
      },
    );
    this.#events = events;
    this.modes = this.#emulator.modes;
    this.#cache = new LineCache(this.#emulator.terminal, scrollback);
    this.#queue = new ParseQueue(
      (bytes) => this.#emulator.parse(bytes),
      () => this.#changed(),
    );
    this.#watched = this.#asWatched();
  }

  get cols(): number {
    return this.#emulator.terminal.cols;
  }

  get rows(): number {
    return this.#emulator.terminal.rows;
  }

  /** Bytes that were written and are not parsed yet; flow control looks at this. */
  get pendingBytes(): number {
    return this.#queue.pendingBytes;
  }

  /** Takes a chunk of the program's output; never loses one, order kept. The chunk is the screen's from now on. */
  write(chunk: Buffer): void {
    this.#queue.write(chunk);
  }

  /** Resolves when all that was written by now is parsed. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  resize(cols: number, rows: number): void {
    this.#cache.resize(clampCols(cols), clampRows(rows));
    this.#changed();
  }

  /** Exactly `lines` rows from the bottom of what is used, or as many as there are. */
  read(options: ReadOptions): string {
    return this.#now().exact(options).text;
  }

  /** The text now, and an update at each change, the next one after the last was taken. */
  watch(options: ReadOptions, deliver: Deliver): ScreenWatch {
    const watch = new Watch(this.#watched, options, deliver, (closed) => this.#watches.delete(closed));
    this.#watches.add(watch);
    return watch;
  }

  /** Logical lines (wrapped rows joined) that came or changed since the cursor; the screen's without one. */
  logicalLines(options: { since?: LineCursor }): { lines: string[]; cursor: LineCursor } {
    return logicalLines(this.#cache, options.since);
  }

  /** Bytes that draw the screen, its modes and its cursor in an empty window of its size. */
  picture(): string {
    return drawScreen({
      terminal: this.#emulator.terminal,
      rows: this.#cache.screen().map((row) => row.ansi),
      cursorVisible: this.#emulator.cursorVisible,
    });
  }

  /** The last line that is not blank, its wrapped rows joined; empty if there is none. */
  lastLine(): string {
    return new Snapshot(this.#cache, false).lastLine();
  }

  dispose(): void {
    this.#cache.history.clear();
    for (const watch of this.#watches) {
      watch.close();
    }
    clearTimeout(this.#drawing);
    this.#queue.close();
    this.#emulator.dispose();
  }

  #changed(): void {
    this.#windows = undefined;
    this.#changedAt = performance.now();
    for (const watch of this.#watches) {
      watch.changed();
    }
    this.#events.parsed();
    this.#drawLater();
  }

  /** Draws, in the background, rows that a flood left as cells; nothing runs once all are drawn. */
  #drawLater(): void {
    if (this.#drawing === undefined && this.#cache.history.hasCells) {
      this.#drawing = setTimeout(() => {
        this.#drawing = undefined;
        this.#cache.history.draw(DRAW_BLOCKS);
        this.#drawLater();
      }, DRAW_INTERVAL_MS).unref();
    }
  }

  #now(): Windows {
    this.#windows ??= new Windows(new Snapshot(this.#cache, this.#emulator.cursorVisible));
    return this.#windows;
  }

  #asWatched(): Watched {
    const { modes } = this;
    const windows = () => this.#now();
    const changedAt = () => this.#changedAt;
    return {
      windows,
      get changedAt() {
        return changedAt();
      },
      get inFrame() {
        return modes.synchronizedOutput;
      },
    };
  }
}
