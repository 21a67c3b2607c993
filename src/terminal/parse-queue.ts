/**
 * The bytes of a terminal on their way into its emulator. The first chunk after
 * quiet is parsed at once, so that a key shows without a timer's delay; what
 * comes while parsing waits for the next turn of the event loop, and no turn
 * parses for long.
 */
import { MAX_SLICE_BYTES, MIN_SLICE_BYTES, PARSE_TURN_MS, SLICE_TARGET_MS } from "./limits.js";

/** A slice this much faster than its target is doubled. */
const FAST_DIVISOR = 4;

interface Waiter {
  readonly until: number;
  resolve(): void;
}

export class ParseQueue {
  readonly #parse: (bytes: Uint8Array) => void;
  readonly #parsed: () => void;
  #chunks: Buffer[] = [];
  /** Bytes of the first chunk that are parsed already. */
  #offset = 0;
  #written = 0;
  #done = 0;
  #sliceBytes = MAX_SLICE_BYTES;
  #turn: NodeJS.Immediate | undefined;
  #waiters: Waiter[] = [];
  #open = true;

  /** `parsed` is called after each turn's work. */
  constructor(parse: (bytes: Uint8Array) => void, parsed: () => void) {
    this.#parse = parse;
    this.#parsed = parsed;
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
    if (this.#turn === undefined) {
      this.#work();
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
    clearImmediate(this.#turn);
    this.#chunks = [];
    this.#done = this.#written;
    this.#wake();
  }

  #work(): void {
    // The turn is taken before parsing, so that a write from inside waits for the next one.
    this.#turn = setImmediate(() => this.#nextTurn());
    const start = performance.now();
    let now = start;
    while (this.#chunks.length > 0 && now - start < PARSE_TURN_MS) {
      now = this.#parseSlice(now);
    }
    this.#parsed();
    this.#wake();
  }

  #nextTurn(): void {
    this.#turn = undefined;
    if (this.#chunks.length > 0) {
      this.#work();
    }
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
