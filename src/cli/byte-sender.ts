/** Typing on its way to the daemon: in order, one piece in flight, bounded. */
import { MAX_ATTACH_CHUNK_BYTES, MAX_TYPED_AHEAD_BYTES } from "./limits.js";

/** One piece at a time and in order; what is typed meanwhile goes with the next. */
export class ByteSender {
  readonly #send: (bytes: Buffer) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #waiting: Buffer = Buffer.alloc(0);
  #sending = false;

  constructor(send: (bytes: Buffer) => Promise<void>, failed: (error: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0 || this.#waiting.length + bytes.length > MAX_TYPED_AHEAD_BYTES) return;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    if (this.#sending) return;
    this.#sending = true;
    this.#drain()
      .catch(this.#failed)
      .finally(() => {
        this.#sending = false;
      });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const piece = this.#waiting.subarray(0, MAX_ATTACH_CHUNK_BYTES);
      this.#waiting = this.#waiting.subarray(piece.length);
      await this.#send(piece);
    }
  }
}
