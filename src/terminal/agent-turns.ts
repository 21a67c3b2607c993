/**
 * Agents that run in terminals, as whoever watches them tells: a wait on such a
 * terminal is for the agent's turn, which no prompt and no silence shows.
 */
import type { WaitOptions, WaitResult } from "./types.js";

export interface AgentTurn {
  readonly state: "working" | "completed" | "needsInput" | "permissionPending" | "error";
  /** When it came to that state, in Unix milliseconds. */
  readonly since: number;
  /** What it said or asks, one line. */
  readonly message?: string;
}

export class AgentTurns {
  readonly #turns = new Map<string, AgentTurn>();
  readonly #listeners = new Set<(id: string) => void>();

  has(id: string): boolean {
    return this.#turns.has(id);
  }

  /** undefined when no agent runs there any more. */
  set(id: string, turn: AgentTurn | undefined): void {
    if (turn) this.#turns.set(id, turn);
    else this.#turns.delete(id);
    for (const listener of [...this.#listeners]) listener(id);
  }

  /** Resolves when a turn that started or ended after `after` stands still; undefined when the agent went or at the abort. */
  async ended(id: string, options: WaitOptions, signal: AbortSignal): Promise<WaitResult | undefined> {
    for (;;) {
      const turn = this.#turns.get(id);
      if (!turn || signal.aborted) return undefined;
      if (turn.state !== "working" && (options.after === undefined || turn.since > options.after)) {
        return {
          done: true,
          state: turn.state,
          ...(turn.message === undefined ? {} : { message: turn.message }),
        };
      }
      await this.#change(id, signal);
    }
  }

  #change(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (changed?: string): void => {
        if (changed !== undefined && changed !== id) return;
        this.#listeners.delete(finish);
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => finish();
      this.#listeners.add(finish);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
