/**
 * How far a chain of messages between agents has come in each tab, so that what
 * a turn begun at hop n sends is n + 1. A person's own message begins anew.
 */
import { CHAIN_QUIET_MS, MAX_CHAINS, TERMINAL_CHAIN_MS } from "./limits.js";

interface Chain {
  readonly hops: number;
  /** On the monotonic clock; undefined while its turn runs. */
  until: number | undefined;
}

export interface ChainTab {
  readonly tabId: string;
  readonly kind: "chat" | "terminal";
}

export class Chains {
  readonly #monotonic: () => number;
  readonly #chains = new Map<string, Chain>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** An agent's request at this hop reached the tab. The longest chain counts. */
  note({ tabId, kind }: ChainTab, hops: number): void {
    const until = kind === "terminal" ? this.#monotonic() + TERMINAL_CHAIN_MS : undefined;
    const longest = Math.max(hops, this.of(tabId));
    this.#chains.delete(tabId);
    this.#chains.set(tabId, { hops: longest, until });
    for (const oldest of this.#chains.keys()) {
      if (this.#chains.size <= MAX_CHAINS) return;
      this.#chains.delete(oldest);
    }
  }

  /** The hops that led to what the tab does now; 0: a person did. */
  of(tabId: string): number {
    const chain = this.#chains.get(tabId);
    if (chain === undefined) return 0;
    if (chain.until === undefined || chain.until > this.#monotonic()) return chain.hops;
    this.#chains.delete(tabId);
    return 0;
  }

  /** A chat is at rest, or at work again. */
  resting(tabId: string, atRest: boolean): void {
    const chain = this.#chains.get(tabId);
    if (chain === undefined) return;
    if (!atRest) chain.until = undefined;
    else chain.until ??= this.#monotonic() + CHAIN_QUIET_MS;
  }

  /** A person wrote to it: what follows is theirs, unless an agent's turn still runs. */
  person({ tabId, kind }: ChainTab): void {
    const chain = this.#chains.get(tabId);
    if (chain === undefined) return;
    if (kind === "terminal" || chain.until !== undefined) this.#chains.delete(tabId);
  }

  drop(tabId: string): void {
    this.#chains.delete(tabId);
  }
}
