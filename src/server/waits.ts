/** Parked waits of each device, over all its links: a bounded number. */
import { unavailable } from "../protocol/errors.js";
import { MAX_WAITS_PER_DEVICE } from "../protocol/limits.js";

export class Waits {
  readonly #parked = new Map<string, number>();

  /** Throws Unavailable past the bound; else {@link unpark} ends it. */
  park(deviceId: string): void {
    const parked = this.#parked.get(deviceId) ?? 0;
    if (parked >= MAX_WAITS_PER_DEVICE) {
      throw unavailable(`This device waits ${MAX_WAITS_PER_DEVICE} times already; let one end first`);
    }
    this.#parked.set(deviceId, parked + 1);
  }

  unpark(deviceId: string): void {
    const parked = this.#parked.get(deviceId) ?? 0;
    if (parked <= 1) this.#parked.delete(deviceId);
    else this.#parked.set(deviceId, parked - 1);
  }
}
