/**
 * The upgraded sockets that have not proved a key yet. Their places are few;
 * when they are taken, the one that has waited longest goes, so that a crowd
 * of silent sockets never keeps a device out.
 */
import { addressKey } from "../policy/rate.js";
import { MAX_UNAUTHENTICATED, MAX_UNAUTHENTICATED_PER_ADDRESS } from "./limits.js";

interface Waiting {
  readonly address: string;
  evict(): void;
}

export class WaitingRoom {
  /** In the order of their coming. */
  readonly #waiting = new Set<Waiting>();

  /** Takes a place, if need be another's; the answer gives it back. */
  enter(address: string, evict: () => void): () => void {
    const newcomer = { address: addressKey(address), evict };
    const neighbours = [...this.#waiting].filter((waiting) => waiting.address === newcomer.address);
    if (neighbours.length >= MAX_UNAUTHENTICATED_PER_ADDRESS) this.#evict(neighbours[0]);
    if (this.#waiting.size >= MAX_UNAUTHENTICATED) this.#evict(this.#waiting.values().next().value);
    this.#waiting.add(newcomer);
    return () => {
      this.#waiting.delete(newcomer);
    };
  }

  get size(): number {
    return this.#waiting.size;
  }

  #evict(oldest: Waiting | undefined): void {
    if (oldest === undefined) return;
    this.#waiting.delete(oldest);
    oldest.evict();
  }
}
