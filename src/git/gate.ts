/** Who may run now: so many at once for each key, so many for all, and a bounded wait. */
import { unavailable } from "../protocol/errors.js";

export interface GateLimits {
  readonly perKey: number;
  readonly all: number;
  readonly waiting: number;
}

interface Waiter {
  readonly key: string;
  readonly enter: () => void;
}

export class Gate {
  readonly #limits: GateLimits;
  readonly #running = new Map<string, number>();
  #all = 0;
  readonly #waiting: Waiter[] = [];

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** Runs `work` when its turn has come; Unavailable when too many wait. */
  async pass<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#free(key)) {
      if (this.#waiting.length >= this.#limits.waiting) {
        throw unavailable("Too many git requests at once; try again in a moment");
      }
      await new Promise<void>((enter) => this.#waiting.push({ key, enter }));
    } else this.#count(key, 1);
    try {
      return await work();
    } finally {
      this.#count(key, -1);
      this.#next();
    }
  }

  #free(key: string): boolean {
    return this.#all < this.#limits.all && (this.#running.get(key) ?? 0) < this.#limits.perKey;
  }

  #count(key: string, by: 1 | -1): void {
    const running = (this.#running.get(key) ?? 0) + by;
    if (running === 0) this.#running.delete(key);
    else this.#running.set(key, running);
    this.#all += by;
  }

  /** The first that may; its place is taken for it, so that no newcomer slips in between. */
  #next(): void {
    const at = this.#waiting.findIndex(({ key }) => this.#free(key));
    const [waiter] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (waiter === undefined) return;
    this.#count(waiter.key, 1);
    waiter.enter();
  }
}
