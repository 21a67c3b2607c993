/** The bounds that the asking side keeps, beside those of the wire in protocol/limits.ts. */

/** Requests sent and not answered; leaves room below the server's 64 for those given up on here and still running there. */
export const MAX_SENT_REQUESTS = 48;

/** Requests in hand, sent or waiting for the link; a page that asks more is broken. */
export const MAX_PENDING_REQUESTS = 1024;

/** The JSON of all requests in hand: twenty images on their way. */
export const MAX_PENDING_BYTES = 16 * 1024 * 1024;

/** A request without its own limit: the owner's consent may take 90 s, a wait 10 s. */
export const CALL_TIMEOUT_MS = 120_000;

/** From the first byte to link.ready; the server gives a handshake 10 s. */
export const CONNECT_DEADLINE_MS = 15_000;

/** The first wait before a link is tried again; doubles up to the second. */
export const RETRY_FIRST_MS = 500;
export const RETRY_MAX_MS = 30_000;

/** The same after a refusal (too many, unknown, not allowed): asking at once again makes it worse. */
export const RETRY_REFUSED_FIRST_MS = 30_000;
export const RETRY_REFUSED_MAX_MS = 300_000;

/** A link that held this long was a good one: the waits begin anew. */
export const STABLE_LINK_MS = 10_000;

/** Silence before the other side is asked for a sign; the server's pings do not show in a browser. */
export const SILENCE_PROBE_MS = 45_000;

/** How long that sign may take; a large update over a slow link stands before it. */
export const PROBE_GRACE_MS = 45_000;

/** The same when the device woke up, where dead links are the rule. */
export const WAKE_GRACE_MS = 6_000;

/** How often the silence is looked at. */
export const SILENCE_CHECK_MS = 3_000;

/** A server remembers the outcome of a request for 10 minutes; less a minute for its way. */
export const OUTCOME_MEMORY_MS = 9 * 60_000;

/** Updates that came before the answer which names their watch. */
export const MAX_STASHED_UPDATES = 64;

/** Items that a watched chat keeps; earlier ones are read by chat.read. */
export const MAX_HELD_ITEMS = 5_000;

/** The waits before a watch is opened again after trouble. */
export const WATCH_RETRY_FIRST_MS = 500;
export const WATCH_RETRY_MAX_MS = 30_000;
