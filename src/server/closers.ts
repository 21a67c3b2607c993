/** What must be closed at the end, in the opposite order of its opening. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** One that fails keeps none of the others from closing: the process ends, and what it held ends with it. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch {
        // as above
      }
    }
  }
}
