/** Who of the agents asked whom, and who was turned away and why: for the owner's eyes, in memory. */
import type { AgentSender } from "../protocol/rpc.js";
import { MAX_AGENT_REFUSALS, MAX_AGENT_ROUTES } from "./limits.js";
import { visibleName } from "./names.js";

export interface AgentRoute {
  /** The device, and the agent as it calls itself. */
  readonly device: string;
  readonly agent: string;
  readonly target: string;
  readonly count: number;
  readonly hops: number;
  /** Unix milliseconds of the last one. */
  readonly at: number;
}

export interface AgentRefusal {
  readonly device: string;
  readonly agent: string;
  readonly target: string;
  readonly hops: number;
  readonly why: string;
  readonly at: number;
}

export class AgentTraffic {
  readonly #now: () => number;
  readonly #routes = new Map<string, AgentRoute>();
  #refusals: AgentRefusal[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  passed(device: string, from: AgentSender, target: string): void {
    const agent = agentName(from);
    const key = JSON.stringify([device, from.tabId, target]);
    const count = (this.#routes.get(key)?.count ?? 0) + 1;
    this.#routes.delete(key);
    this.#routes.set(key, { device, agent, target, count, hops: from.hops, at: this.#now() });
    for (const oldest of this.#routes.keys()) {
      if (this.#routes.size <= MAX_AGENT_ROUTES) return;
      this.#routes.delete(oldest);
    }
  }

  refused(device: string, from: AgentSender, { target, why }: { target: string; why: string }): void {
    const refusal = { device, agent: agentName(from), target, hops: from.hops, why, at: this.#now() };
    this.#refusals = [...this.#refusals, refusal].slice(-MAX_AGENT_REFUSALS);
  }

  /** The latest last. */
  routes(): AgentRoute[] {
    return [...this.#routes.values()];
  }

  refusals(): AgentRefusal[] {
    return this.#refusals;
  }
}

function agentName({ name, agent, kind }: AgentSender): string {
  return visibleName(name ?? agent ?? kind, kind);
}
