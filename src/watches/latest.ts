/**
 * Sends the latest state of something and never a queue of states: while one
 * send is under way, changes only mark it as due again.
 */
export class LatestSender {
  readonly #send: () => Promise<void>;
  #due = false;
  #sending = false;
  #closed = false;

  /** `send` reads the state when it is called; when it rejects (the link is gone) nothing is sent any more. */
  constructor(send: () => Promise<void>) {
    this.#send = send;
  }

  /** The state changed. */
  poke(): void {
    this.#due = true;
    if (!this.#sending) void this.#run();
  }

  close(): void {
    this.#closed = true;
  }

  async #run(): Promise<void> {
    this.#sending = true;
    try {
      while (this.#due && !this.#closed) {
        this.#due = false;
        await this.#send();
      }
    } catch {
      this.#closed = true; // the link ended; its owner closes the watch
    } finally {
      this.#sending = false;
    }
  }
}
