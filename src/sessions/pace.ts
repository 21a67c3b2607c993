/**
 * When to tell of changes: what needs a person at once, other states at most
 * four times a second, titles, last lines and git at most once in five
 * seconds. Each telling covers all that came before it.
 */
import type { Clock } from "./clock.js";
import { QUIET_PACE_MS, STATE_PACE_MS, URGENT_PACE_MS } from "./limits.js";

export type Urgency = "urgent" | "state" | "quiet";

const GAP_MS: Readonly<Record<Urgency, number>> = {
  urgent: URGENT_PACE_MS,
  state: STATE_PACE_MS,
  quiet: QUIET_PACE_MS,
};

export class Pace {
  readonly #clock: Clock;
  readonly #tell: () => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #due: { readonly at: number; readonly cancel: () => void } | undefined;
  #disposed = false;

  constructor(clock: Clock, tell: () => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Something changed; `tell` is called now or when its time comes. */
  changed(urgency: Urgency): void {
    if (this.#disposed) return;
    const now = this.#clock.monotonic();
    const at = this.#toldAt + GAP_MS[urgency];
    if (at <= now) {
      this.#fire();
      return;
    }
    if (this.#due !== undefined && this.#due.at <= at) return;
    this.#due?.cancel();
    this.#due = { at, cancel: this.#clock.after(at - now, () => this.#fire()) };
  }

  dispose(): void {
    this.#disposed = true;
    this.#due?.cancel();
    this.#due = undefined;
  }

  #fire(): void {
    this.#due?.cancel();
    this.#due = undefined;
    this.#toldAt = this.#clock.monotonic();
    this.#tell();
  }
}
