/** When to try again: longer waits after each failure, spread by chance, and much longer ones after a refusal. */
import { CloseCode } from "../protocol/link.js";
import { RETRY_FIRST_MS, RETRY_MAX_MS, RETRY_REFUSED_FIRST_MS, RETRY_REFUSED_MAX_MS } from "./limits.js";
import type { TransportEnd } from "./transport.js";

/** A bare close code is no proof of anything, so none of them is final. */
const REFUSALS: readonly number[] = [CloseCode.handshake, CloseCode.revoked, CloseCode.tooMany];

/**
 * The wait before the next attempt, in milliseconds. `failures` counts from 1;
 * `chance` is a number from 0 up to 1, and takes away up to half, so that the
 * devices of a server that comes back do not all come at once.
 */
export function retryDelayMs(end: TransportEnd, failures: number, chance: number): number {
  const refused = end.code !== undefined && REFUSALS.includes(end.code);
  const [first, max] = refused
    ? [RETRY_REFUSED_FIRST_MS, RETRY_REFUSED_MAX_MS]
    : [RETRY_FIRST_MS, RETRY_MAX_MS];
  return backoffMs(first, max, failures, chance);
}

/** `first` doubled for each failure after the first, at most `max`, less up to half of it by `chance`. */
export function backoffMs(first: number, max: number, failures: number, chance: number): number {
  const whole = Math.min(max, first * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (1 - chance / 2));
}
