/** The messages for the program, as the SDK takes them: it asks for the next one and waits. */
import type { SdkUserMessage } from "./sdk.js";

export class Inbox implements AsyncIterable<SdkUserMessage> {
  readonly #messages: SdkUserMessage[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  push(message: SdkUserMessage): void {
    this.#messages.push(message);
    this.#wake?.();
  }

  /** Ends the program's input. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SdkUserMessage> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) yield next;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
