/**
 * Shares the event loop among all terminals of a process: in one turn of it
 * they parse for a few milliseconds together, each a little, those first that
 * were quiet. So floods in many terminals delay a key in another no more than
 * one does.
 */
import { PARSE_QUANTUM_MS, PARSE_TURN_MS } from "./limits.js";

export interface Parsing {
  readonly hasWork: boolean;
  /** Parses until about `deadline` of `performance.now()`. */
  work(deadline: number): void;
  /** It had its turn and nothing was left: it joins again with its next bytes. */
  idle(): void;
}

export class ParseTurns {
  /** Those with work, in the order of their turns. */
  #waiting: Parsing[] = [];
  /** Those that had nothing left in this turn. */
  #resting: Parsing[] = [];
  #turn: NodeJS.Immediate | undefined;
  #spentMs = 0;
  #running = false;

  /** Lets one work, at once if this turn has time left, else first in the next; then in every turn until it is idle. */
  join(parsing: Parsing): void {
    this.#turn ??= setImmediate(() => this.#next());
    if (!this.#running && this.#spentMs < PARSE_TURN_MS) {
      this.#run(parsing);
    } else {
      // It was quiet until now, so it is likely a key; a flood never leaves its place.
      this.#waiting.unshift(parsing);
    }
  }

  leave(parsing: Parsing): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== parsing);
    this.#resting = this.#resting.filter((resting) => resting !== parsing);
  }

  #next(): void {
    this.#turn = undefined;
    this.#spentMs = 0;
    this.#wakeResting();
    while (this.#waiting.length > 0 && this.#spentMs < PARSE_TURN_MS) {
      const parsing = this.#waiting.shift();
      if (parsing) {
        this.#run(parsing);
      }
    }
    if (this.#waiting.length > 0 || this.#resting.length > 0) {
      this.#turn ??= setImmediate(() => this.#next());
    }
  }

  /** What came for one since it had nothing left is little, and goes first too. */
  #wakeResting(): void {
    const resting = this.#resting;
    this.#resting = [];
    for (const parsing of resting) {
      if (parsing.hasWork) {
        this.#waiting.unshift(parsing);
      } else {
        parsing.idle();
      }
    }
  }

  #run(parsing: Parsing): void {
    const start = performance.now();
    this.#running = true;
    try {
      parsing.work(start + PARSE_QUANTUM_MS);
    } finally {
      this.#running = false;
      this.#spentMs += performance.now() - start;
      (parsing.hasWork ? this.#waiting : this.#resting).push(parsing);
    }
  }
}

/** The one of this process. */
export const parseTurns = new ParseTurns();
