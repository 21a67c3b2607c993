/** Times that only rise, also when the system's clock is set back; one for all terminals of a host. */
export class Clock {
  #last = 0;

  /** Unix milliseconds, each at least one past the last. */
  stamp(): number {
    this.#last = Math.max(Date.now(), this.#last + 1);
    return this.#last;
  }
}
