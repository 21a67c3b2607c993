/** Time that stands still until a test moves it. */

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

export class ManualClock {
  #elapsed = 0;
  /** Unix milliseconds at the start; a test may set it to make the wall clock jump. */
  epoch = 1_800_000_000_000;
  readonly #alarms = new Set<Alarm>();

  now = (): number => this.epoch + this.#elapsed;

  monotonic = (): number => this.#elapsed;

  after = (ms: number, run: () => void): (() => void) => {
    const alarm = { at: this.#elapsed + ms, run };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  };

  /** Goes on by `ms` and rings what is due on the way, in order. */
  advance(ms: number): void {
    const end = this.#elapsed + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#alarms.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.run();
    }
    this.#elapsed = end;
  }

  /** Goes on without ringing, as on a machine that is too busy. */
  skip(ms: number): void {
    this.#elapsed += ms;
  }

  get pending(): number {
    return this.#alarms.size;
  }

  #next(end: number): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.at <= end && (next === undefined || alarm.at < next.at)) next = alarm;
    }
    return next;
  }
}
