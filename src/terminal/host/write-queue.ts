/**
 * Typing on its way to a program. A tty takes about 4 KB ahead of its reader
 * and then answers EAGAIN; node's own tty stream would block on it, so the rest
 * waits here, in order and bounded, and is tried again.
 */
import { writeSync } from "node:fs";
import { unavailable } from "../../protocol/errors.js";
import { WRITE_QUEUE_BYTES, WRITE_RETRY_FIRST_MS, WRITE_RETRY_MAX_MS } from "./limits.js";

interface Entry {
  rest: Buffer;
  readonly done: () => void;
  readonly failed: (cause: Error) => void;
}

export class WriteQueue {
  readonly #fd: number;
  readonly #entries: Entry[] = [];
  #bytes = 0;
  #retryMs = WRITE_RETRY_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  #closed: Error | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Bytes that no program has taken yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the tty has taken all of it; Unavailable past {@link WRITE_QUEUE_BYTES} or when the program ended. */
  write(data: Buffer): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (this.#bytes + data.length > WRITE_QUEUE_BYTES) {
      return Promise.reject(
        unavailable("The program does not read what is typed, try again when it does or press ctrl-c"),
      );
    }
    return new Promise((done, failed) => {
      this.#entries.push({ rest: data, done, failed });
      this.#bytes += data.length;
      if (!this.#timer) this.#flush();
    });
  }

  close(why: Error): void {
    if (this.#closed) return;
    this.#closed = why;
    clearTimeout(this.#timer);
    for (const entry of this.#entries.splice(0)) entry.failed(why);
    this.#bytes = 0;
  }

  #flush(): void {
    this.#timer = undefined;
    for (let entry = this.#entries[0]; entry; entry = this.#entries[0]) {
      if (!this.#writeSome(entry)) return;
      this.#entries.shift();
      entry.done();
    }
  }

  /** True when the entry is written whole; else a retry is under way or the queue is closed. */
  #writeSome(entry: Entry): boolean {
    while (entry.rest.length > 0) {
      let taken: number;
      try {
        taken = writeSync(this.#fd, entry.rest);
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === "EAGAIN") this.#retryLater();
        else this.close(unavailable("The program of this terminal has ended", cause));
        return false;
      }
      this.#bytes -= taken;
      entry.rest = entry.rest.subarray(taken);
      this.#retryMs = WRITE_RETRY_FIRST_MS;
    }
    return true;
  }

  #retryLater(): void {
    this.#timer = setTimeout(() => this.#flush(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, WRITE_RETRY_MAX_MS);
  }
}
