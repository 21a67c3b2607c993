/** A state file in memory, with a disk that can be full or slow. */

export class MemoryKept<T> {
  value: T;
  /** What a new start would find. */
  saved: T;
  saves = 0;
  failing = false;
  /** Held until it resolves. */
  hold: Promise<void> = Promise.resolve();

  constructor(initial: T) {
    this.value = initial;
    this.saved = initial;
  }

  async save(next: T): Promise<void> {
    const before = this.value;
    this.value = next;
    this.saves++;
    await this.hold;
    if (this.failing) {
      if (this.value === next) this.value = before;
      throw new Error("No space left on device");
    }
    this.saved = next;
  }
}
