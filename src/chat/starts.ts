/** At most a few programs start at the same time; the others wait for their turn. */
import { MAX_CONCURRENT_STARTS } from "./limits.js";

export class Starts {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max = MAX_CONCURRENT_STARTS) {
    this.#max = max;
  }

  async run<T>(start: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await start();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // the place goes on to the next one
    }
  }
}

/** Rejects with `failure()` when `work` takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>, failure: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
