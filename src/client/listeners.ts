/** Functions to call when something happens. One that throws stops neither the others nor the caller. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** The function that comes back removes it again. */
  add(listener: (value: T) => void): () => void {
    // a wrapper, so that the same function added twice is called twice and removed once
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) guarded(() => listener(value));
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Runs a consumer's function; what it throws surfaces as an uncaught error, not in our own work. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
