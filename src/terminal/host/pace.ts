/** At once, then at most once an interval: for what tells a state, where only the last one counts. */
export class Pace {
  readonly #intervalMs: number;
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #again = false;

  constructor(intervalMs: number, act: () => void) {
    this.#intervalMs = intervalMs;
    this.#act = act;
  }

  /** Acts now, or when the interval is over. */
  due(): void {
    if (this.#timer) {
      this.#again = true;
      return;
    }
    this.#timer = setTimeout(() => this.#over(), this.#intervalMs);
    this.#timer.unref();
    this.#act();
  }

  /** Acts at once if it is to act when the interval is over. */
  flush(): void {
    if (!this.#again) return;
    this.#again = false;
    this.#act();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#again = false;
  }

  #over(): void {
    this.#timer = undefined;
    if (!this.#again) return;
    this.#again = false;
    this.due();
  }
}
