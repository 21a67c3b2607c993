/** Time as the domain code takes it, so that tests can hand in their own. */
import { performance } from "node:perf_hooks";

export interface Clock {
  /** Unix milliseconds, for what is shown or written down; may jump. */
  now(): number;
  /** Milliseconds that never jump, for limits and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms` and keeps no process alive; the answer cancels. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
