/**
 * Notices a link that is dead without saying so: after some silence it asks for
 * a sign of life, and gives the link up when none comes. A browser neither
 * shows the server's pings nor lets a page send its own.
 */
import { PROBE_GRACE_MS, SILENCE_CHECK_MS, SILENCE_PROBE_MS, WAKE_GRACE_MS } from "./limits.js";
import { randomUuid } from "./uuid.js";

/** No such method, and that answer is all that is wanted: it takes no right and does nothing. */
const PROBE_METHOD = "link.probe";

export interface LivenessOptions {
  readonly now: () => number;
  dead(): void;
}

export class Liveness {
  readonly #options: LivenessOptions;
  #send: ((text: string) => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #heardAt = 0;
  /** When the link is dead, if nothing is heard before; set while a probe is out. */
  #deadAt: number | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  start(send: (text: string) => void): void {
    this.stop();
    this.#send = send;
    this.heard();
    this.#timer = setInterval(() => this.#check(), SILENCE_CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#send = undefined;
    this.#deadAt = undefined;
  }

  heard(): void {
    this.#heardAt = this.#options.now();
    this.#deadAt = undefined;
  }

  /** Asks for a sign at once, and waits for it less long. */
  wake(): void {
    if (this.#send !== undefined) this.#probe(WAKE_GRACE_MS);
  }

  #check(): void {
    const now = this.#options.now();
    if (this.#deadAt !== undefined) {
      if (now >= this.#deadAt) this.#options.dead();
    } else if (now - this.#heardAt >= SILENCE_PROBE_MS) {
      this.#probe(PROBE_GRACE_MS);
    }
  }

  #probe(graceMs: number): void {
    const deadAt = this.#options.now() + graceMs;
    this.#deadAt = Math.min(this.#deadAt ?? deadAt, deadAt);
    this.#send?.(JSON.stringify({ jsonrpc: "2.0", id: randomUuid(), method: PROBE_METHOD, params: {} }));
  }
}
