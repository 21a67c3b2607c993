/** Time as the sessions take it; handed in, so that tests need not wait. */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Calls back once after `ms`; the answer cancels. */
  after(ms: number, run: () => void): () => void;
}
