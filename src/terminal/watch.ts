/**
 * One watcher of a terminal: what it has, and when it gets the next update.
 * The first change after quiet goes out at once, then one at most every 33 ms
 * and never before the last was taken, always against what it last got.
 */
import {
  MAX_SIZE_REST_MS,
  QUIET_MS,
  SYNC_HOLD_MS,
  UPDATE_CHARS_PER_MS,
  UPDATE_INTERVAL_MS,
  UPDATE_REST_FACTOR,
} from "./limits.js";
import type { ReadOptions, Window, Windows } from "./window.js";

export interface ScreenUpdate {
  /** Where `text` replaces the rest of the watcher's text, in UTF-16 units. */
  start: number;
  text: string;
}

/** Takes an update; the next one comes after the promise. A rejection ends the watch. */
export type Deliver = (update: ScreenUpdate) => Promise<void> | void;

export interface ScreenWatch {
  /** The text as it was when the watch began. */
  readonly text: string;
  close(): void;
}

/** What a watch looks at; times are of `performance.now()`. */
export interface Watched {
  windows(): Windows;
  /** When the terminal last changed. */
  readonly changedAt: number;
  /** The program is in the middle of a frame (mode 2026). */
  readonly inFrame: boolean;
}

export class Watch implements ScreenWatch {
  readonly text: string;
  readonly #watched: Watched;
  readonly #options: ReadOptions;
  readonly #deliver: Deliver;
  readonly #closed: (watch: Watch) => void;
  #last: Window;
  #dirty = false;
  /** The window is exactly what a read gives, and nothing changed since. */
  #settled = true;
  #busy = false;
  #open = true;
  #notBefore = 0;
  #heldSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(watched: Watched, options: ReadOptions, deliver: Deliver, closed: (watch: Watch) => void) {
    this.#watched = watched;
    this.#options = { ...options };
    this.#deliver = deliver;
    this.#closed = closed;
    this.#last = watched.windows().exact(options);
    this.text = this.#last.text;
  }

  /** The terminal changed. */
  changed(): void {
    this.#dirty = true;
    this.#schedule();
  }

  close(): void {
    if (this.#open) {
      this.#open = false;
      clearTimeout(this.#timer);
      this.#closed(this);
    }
  }

  #schedule(): void {
    if (!this.#open || this.#busy) {
      return;
    }
    const now = performance.now();
    const due = this.#due(now);
    if (due <= now) {
      this.#send(now);
    } else if (due < this.#timerAt) {
      this.#setTimer(due, now);
    }
  }

  /** When to look next; infinity if only a change gives a reason. */
  #due(now: number): number {
    if (this.#dirty) {
      this.#heldSince = this.#watched.inFrame ? (this.#heldSince ?? now) : undefined;
      const held = this.#heldSince === undefined ? 0 : this.#heldSince + SYNC_HOLD_MS;
      return Math.max(this.#notBefore, held);
    }
    return this.#settled
      ? Number.POSITIVE_INFINITY
      : Math.max(this.#notBefore, this.#watched.changedAt + QUIET_MS);
  }

  #setTimer(due: number, now: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = due;
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Number.POSITIVE_INFINITY;
        this.#schedule();
      },
      Math.ceil(due - now),
    );
    this.#timer.unref();
  }

  #send(now: number): void {
    const quiet = now - this.#watched.changedAt >= QUIET_MS;
    const windows = this.#watched.windows();
    const next = quiet
      ? windows.exact(this.#options, this.#last)
      : windows.following(this.#options, this.#last);
    const update = next.updateFrom(this.#last);
    this.#last = next;
    this.#settled = quiet;
    this.#dirty = false;
    this.#heldSince = undefined;
    this.#busy = update !== undefined;
    const delivered = update && this.#hand(update);
    this.#notBefore = now + restMs({ costMs: performance.now() - now, chars: update?.text.length ?? 0 });
    if (delivered === undefined) {
      this.#schedule();
      return;
    }
    delivered.then(
      () => {
        this.#busy = false;
        this.#schedule();
      },
      () => this.close(),
    );
  }

  async #hand(update: ScreenUpdate): Promise<void> {
    await this.#deliver({ start: update.start, text: update.text });
  }
}

/** How long a watch rests after an update, by what it cost to make and to carry. */
function restMs({ costMs, chars }: { costMs: number; chars: number }): number {
  const forSize = Math.min(MAX_SIZE_REST_MS, chars / UPDATE_CHARS_PER_MS);
  return Math.max(UPDATE_INTERVAL_MS, UPDATE_REST_FACTOR * costMs, forSize);
}
