/**
 * The part of a terminal that a watcher has: rows from a top on. The top stays
 * while the window is within a quarter of its rows, so that a scroll sends what
 * is new and not everything again. A window always fits a frame.
 */
import { diffLines, type TextCut } from "./diff.js";
import { DEFAULT_ROWS_ABOVE, MAX_WINDOW_JSON_BYTES, WINDOW_SLACK_DIVISOR } from "./limits.js";
import type { Snapshot } from "./snapshot.js";

export interface ReadOptions {
  /** Rows from the bottom of what is used; the screen and 1,000 rows above when absent. */
  lines?: number | undefined;
  ansi?: boolean | undefined;
}

/** Around a JSON string stand its quotes, and a line break in it is written as two characters. */
const QUOTES_BYTES = 2;
const LINE_BREAK_BYTES = 2;

/** A window cut for its size is cut to this, so that the next line does not cut it again. */
const CUT_WINDOW_JSON_BYTES = Math.floor((MAX_WINDOW_JSON_BYTES * 3) / 4);

export class Window {
  readonly space: string;
  readonly top: number;
  readonly lines: readonly string[];
  /** As JSON. */
  readonly bytes: number;
  /** Its top is lower than its watcher asked for, because of its size. */
  readonly cut: boolean;
  /** Lines at the start that stay as they are while space and top stay, and their bytes. */
  readonly #finished: number;
  readonly #finishedBytes: number;
  /** Watchers with the same window get the same update: it is computed once. */
  readonly #updates = new WeakMap<Window, { readonly update: TextCut | undefined }>();

  constructor(snapshot: Snapshot, place: { top: number; ansi: boolean; cut: boolean }, last?: Window) {
    this.space = snapshot.space;
    this.top = place.top;
    this.cut = place.cut;
    const known = last?.goesOnAs(this) ? last : undefined;
    this.lines = snapshot.lines(place.top, place.ansi, known?.lines.slice(0, known.#finished));
    this.#finished = Math.min(this.lines.length, Math.max(0, snapshot.base - place.top));
    const counted = known && known.#finished <= this.#finished ? known : undefined;
    const before = counted ? counted.#finishedBytes : QUOTES_BYTES;
    this.#finishedBytes = before + jsonBytes(this.lines, counted ? counted.#finished : 0, this.#finished);
    this.bytes = this.#finishedBytes + jsonBytes(this.lines, this.#finished, this.lines.length);
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** What a watcher who has `last` needs to have this one; undefined if nothing. */
  updateFrom(last: Window): TextCut | undefined {
    const known = this.#updates.get(last);
    if (known) {
      return known.update;
    }
    const same = last.goesOnAs(this) ? Math.min(last.#finished, this.#finished) : 0;
    const update = diffLines(last.lines, this.lines, same);
    this.#updates.set(last, { update });
    return update;
  }

  goesOnAs(next: Window): boolean {
    return this.space === next.space && this.top === next.top;
  }
}

/** The windows of one moment, each made once for all watchers that are at the same place. */
export class Windows {
  readonly #snapshot: Snapshot;
  readonly #made = new Map<string, Window>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Exactly the rows of a read, or as many as a frame takes. */
  exact(options: ReadOptions, last?: Window): Window {
    const ansi = options.ansi === true;
    const window = this.#at({ top: this.#snapshot.top(options.lines), ansi, cut: false }, last);
    return this.#fit(window, ansi, MAX_WINDOW_JSON_BYTES);
  }

  /** What follows `last`: with the same top as long as that is near enough. */
  following(options: ReadOptions, last: Window): Window {
    const ansi = options.ansi === true;
    const exact = this.#snapshot.top(options.lines);
    const slack = Math.floor((options.lines ?? DEFAULT_ROWS_ABOVE) / WINDOW_SLACK_DIVISOR);
    const stays =
      last.space === this.#snapshot.space &&
      last.top >= this.#snapshot.first &&
      (last.cut ? exact <= last.top : Math.abs(exact - last.top) <= slack);
    const place = { top: stays ? last.top : exact, ansi, cut: stays && last.cut };
    return this.#fit(this.#at(place, last), ansi, CUT_WINDOW_JSON_BYTES);
  }

  #fit(window: Window, ansi: boolean, most: number): Window {
    if (window.bytes <= MAX_WINDOW_JSON_BYTES) {
      return window;
    }
    let bytes = QUOTES_BYTES;
    let index = window.lines.length;
    while (index > 0) {
      bytes += jsonBytes(window.lines, index - 1, index);
      // The last row always stays; wider than a frame it cannot be.
      if (bytes > most && index < window.lines.length) {
        break;
      }
      index--;
    }
    return this.#at({ top: window.top + index, ansi, cut: true });
  }

  #at(place: { top: number; ansi: boolean; cut: boolean }, last?: Window): Window {
    const key = `${place.top} ${place.ansi} ${place.cut}`;
    let window = this.#made.get(key);
    if (!window) {
      window = new Window(this.#snapshot, place, last);
      this.#made.set(key, window);
    }
    return window;
  }
}

/** The bytes of lines and their line breaks inside a JSON string. */
function jsonBytes(lines: readonly string[], start: number, end: number): number {
  let bytes = 0;
  for (let index = start; index < end; index++) {
    bytes += Buffer.byteLength(JSON.stringify(lines[index])) - QUOTES_BYTES + LINE_BREAK_BYTES;
  }
  return bytes;
}
