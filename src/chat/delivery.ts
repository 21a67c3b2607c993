/**
 * Brings the messages of a chat to its program, in their order and each once:
 * written down as handed over before it is, asked about when nobody saw it arrive.
 */
import type { ImageData } from "./driver.js";
import type { Outbox } from "./outbox.js";
import type { Runner } from "./runner.js";

export interface DeliveryDeps {
  readonly outbox: Outbox;
  readonly runner: Runner;
  readonly image: (messageId: string, index: number) => Promise<ImageData | undefined>;
  readonly save: () => Promise<void>;
  readonly failed: (error: unknown, stopped: boolean) => void;
}

/** A program that dies before it reads anything is started this often for the same messages. */
const MAX_TRIES = 2;

export class Delivery {
  readonly #deps: DeliveryDeps;
  #pumping = false;
  #again = false;
  #tries = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** Something waits: hands it over in the background. */
  pump(): void {
    this.#again = true;
    if (this.#pumping) return;
    this.#pumping = true;
    void this.#run();
  }

  /** The agent read a message. */
  progressed(): void {
    this.#tries = 0;
  }

  /** The program is gone; what waits is tried once more. */
  programLost(): void {
    if (this.#deps.outbox.size === 0) return;
    this.pump();
  }

  async #run(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#handOver();
      }
    } catch (error) {
      this.#tries = 0;
      this.#deps.failed(error, false);
    } finally {
      this.#pumping = false;
    }
  }

  async #handOver(): Promise<void> {
    const { outbox, runner } = this.#deps;
    if (outbox.size === 0) return;
    if (runner.session === undefined && ++this.#tries > MAX_TRIES) {
      throw new Error("the program ended twice before it read the message");
    }
    const session = await runner.ensure();
    for (let message = outbox.next(); message !== undefined; message = outbox.next()) {
      const { id, text } = message;
      const outgoing = await outbox.outgoing(message, (index) => this.#deps.image(id, index), text);
      if (!outbox.has(id)) continue;
      if (runner.session !== session) {
        this.#again = true;
        return;
      }
      outbox.mark(id, true);
      await this.#deps.save();
      await session.send(outgoing);
    }
  }
}
