/**
 * The bytes of a terminal on their way into its emulator. The first chunk after
 * quiet is parsed at once, so that a key shows without a timer's delay; what
 * comes while parsing waits for the next turn of the event loop, and no turn
 * parses for long.
 */
import { MAX_SLICE_BYTES, MIN_SLICE_BYTES, SLICE_TARGET_MS } from "./limits.js";
import { type ParseTurns, type Parsing, parseTurns } from "./parse-turns.js";

/** A slice this much faster than its target is doubled. */
const FAST_DIVISOR = 4;

interface Waiter {
  readonly until: number;
  resolve(): void;
}

export class ParseQueue implements Parsing {
  readonly #parse: (bytes: Uint8Array) => void;
  readonly #parsed: () => void;
  #chunks: Buffer[] = [];
  /** Bytes of the first chunk that are parsed already. */
  #offset = 0;
  #written = 0;
  #done = 0;
  #sliceBytes = MAX_SLICE_BYTES;
  #joined = false;
  #waiters: Waiter[] = [];
  #open = true;
  readonly #turns: ParseTurns;

  /** `parsed` is called after each turn's work. */
  constructor(parse: (bytes: Uint8Array) => void, parsed: () => void, turns = parseTurns) {
    this.#parse = parse;
    this.#parsed = parsed;
    this.#turns = turns;
  }

  get hasWork(): boolean {
    return this.#chunks.length > 0;
  }

  get pendingBytes(): number {
    return this.#written - this.#done;
  }

  write(chunk: Buffer): void {
    if (!this.#open || chunk.length === 0) {
      return;
    }
    this.#chunks.push(chunk);
    this.#written += chunk.length;
    if (!this.#joined) {
      this.#joined = true;
      this.#turns.join(this);
    }
  }

  /** Resolves when all that is written by now is parsed. */
  settled(): Promise<void> {
    if (this.pendingBytes === 0) {
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiters.push({ until: this.#written, resolve }));
  }

  /** Drops what is not parsed. */
  close(): void {
    this.#open = false;
    this.#turns.leave(this);
    this.#chunks = [];
    this.#done = this.#written;
    this.#wake();
  }

  work(deadline: number): void {
    let now = performance.now();
    while (this.#chunks.length > 0 && now < deadline) {
      now = this.#parseSlice(now);
    }
    this.#parsed();
    this.#wake();
  }

  idle(): void {
    this.#joined = false;
  }

  #parseSlice(start: number): number {
    const [chunk] = this.#chunks;
    if (chunk === undefined) {
      return start;
    }
    const slice = chunk.subarray(this.#offset, this.#offset + this.#sliceBytes);
    this.#offset += slice.length;
    this.#done += slice.length;
    if (this.#offset === chunk.length) {
      this.#chunks.shift();
      this.#offset = 0;
    }
    this.#parse(slice);
    const now = performance.now();
    if (now - start > SLICE_TARGET_MS) {
      this.#sliceBytes = Math.max(MIN_SLICE_BYTES, this.#sliceBytes >>> 1);
    } else if (now - start < SLICE_TARGET_MS / FAST_DIVISOR) {
      this.#sliceBytes = Math.min(MAX_SLICE_BYTES, this.#sliceBytes << 1);
    }
    return now;
  }

  #wake(): void {
    while (this.#waiters[0] && this.#waiters[0].until <= this.#done) {
      this.#waiters.shift()?.resolve();
    }
  }
}
