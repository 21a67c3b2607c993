/** Messages that were taken from people and agents and that the agent has not read yet, in their order. */
import type { ImageData, OutgoingMessage } from "./driver.js";
import type { QueuedMessage } from "./store.js";

export class Outbox {
  readonly #messages: QueuedMessage[];
  readonly #images = new Map<string, readonly ImageData[]>();

  constructor(messages: readonly QueuedMessage[]) {
    this.#messages = messages.map((message) => ({ ...message }));
  }

  get size(): number {
    return this.#messages.length;
  }

  list(): QueuedMessage[] {
    return this.#messages.map((message) => ({ ...message }));
  }

  has(id: string): boolean {
    return this.#messages.some((message) => message.id === id);
  }

  add(message: QueuedMessage, images: readonly ImageData[]): void {
    this.#messages.push({ ...message });
    if (images.length > 0) this.#images.set(message.id, images);
  }

  /** The next one that the program does not have; one that is to be read now goes first. */
  next(): QueuedMessage | undefined {
    const waiting = this.#messages.filter((message) => !message.handed);
    return waiting.find((message) => message.priority === "now") ?? waiting[0];
  }

  handed(): QueuedMessage[] {
    return this.#messages.filter((message) => message.handed);
  }

  mark(id: string, handed: boolean): void {
    const message = this.#messages.find((known) => known.id === id);
    if (message !== undefined) message.handed = handed;
  }

  /** True when it was there. */
  remove(id: string): boolean {
    const index = this.#messages.findIndex((message) => message.id === id);
    if (index === -1) return false;
    this.#messages.splice(index, 1);
    this.#images.delete(id);
    return true;
  }

  /** As the agent gets it; images come from memory, else from `stored`. */
  async outgoing(
    message: QueuedMessage,
    stored: (index: number) => Promise<ImageData | undefined>,
    text: string,
  ): Promise<OutgoingMessage> {
    let images = this.#images.get(message.id);
    if (images === undefined) {
      const read = await Promise.all(message.images.map((_type, index) => stored(index)));
      images = read.filter((image) => image !== undefined);
    }
    return {
      id: message.id,
      text,
      images,
      ...(message.from === undefined ? {} : { from: message.from }),
      ...(message.priority === undefined ? {} : { priority: message.priority }),
    };
  }
}
