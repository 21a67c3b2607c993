/** Sliding windows: how often something happened in the last so many milliseconds, by key. */
import { MAX_RATED_KEYS } from "./limits.js";

export class Windows {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #monotonic: () => number;
  /** Moments by key, oldest first; the key used longest ago first. */
  readonly #times = new Map<string, number[]>();

  constructor(options: { most: number; windowMs: number }, monotonic: () => number) {
    this.#most = options.most;
    this.#windowMs = options.windowMs;
    this.#monotonic = monotonic;
  }

  /** Milliseconds until one more is let through; 0: now. */
  waitMs(key: string): number {
    const times = this.#current(key);
    const oldest = times[times.length - this.#most];
    return oldest === undefined ? 0 : oldest + this.#windowMs - this.#monotonic();
  }

  /** Counts one. */
  add(key: string): void {
    const times = this.#current(key);
    times.push(this.#monotonic());
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const known of this.#times.keys()) {
      if (this.#times.size <= MAX_RATED_KEYS) return;
      this.#times.delete(known);
    }
  }

  /** How many there are in the window now. */
  count(key: string): number {
    return this.#current(key).length;
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  #current(key: string): number[] {
    const from = this.#monotonic() - this.#windowMs;
    const times = (this.#times.get(key) ?? []).filter((at) => at > from);
    if (times.length === 0) this.#times.delete(key);
    return times;
  }
}
