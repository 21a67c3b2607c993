/** The bounds that the serving side keeps, beside those of the wire in protocol/limits.ts. */

/** Above this much unsent, answers and notifications wait; about a second of a good phone link. */
export const SOFT_BUFFERED_BYTES = 1024 * 1024;

/** Above this much unsent the reader is too slow: the link ends with 4508. */
export const HARD_BUFFERED_BYTES = 8 * 1024 * 1024;

/** Unsent bytes that shrink by nothing for this long: the same. */
export const MAX_STALL_MS = 30_000;

/** From the upgrade to the last handshake message; past it the socket closes with 4408. */
export const HANDSHAKE_MS = 10_000;

/** Between two pings of a link. */
export const PING_MS = 20_000;

/** Silence of a link (no pong, no byte, no progress of what waits) that counts as its death. */
export const DEAD_LINK_MS = 20_000;

/** How often the daemon looks over its links for the three limits above. */
export const LINK_CHECK_MS = 5_000;

/** Links of one device: a phone, its second tab, a command line that watches, and room. */
export const MAX_LINKS_PER_DEVICE = 16;

/** A link gets new keys by a new handshake after this long, or this many records one way. */
export const MAX_LINK_AGE_MS = 24 * 60 * 60 * 1000;
export const MAX_LINK_RECORDS = 2 ** 20;

/** HTTP connections in all. */
export const MAX_HTTP_CONNECTIONS = 256;

/** Upgraded sockets that have not proved a key yet; the oldest goes when one more comes. */
export const MAX_UNAUTHENTICATED = 32;
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 8;

/** Pings that a peer may send in a second. */
export const MAX_PINGS_PER_SECOND = 10;

/** Fragments of one WebSocket message. */
export const MAX_WS_FRAGMENTS = 64;

/** Records above this go out in fragments, so that a slow link shows progress. */
export const SEND_FRAGMENT_BYTES = 64 * 1024;

/** Connections of each Unix socket. */
export const MAX_LOCAL_CONNECTIONS = 64;

/** Slow headers and bodies of plain HTTP requests. */
export const HTTP_HEADERS_MS = 5_000;
export const HTTP_REQUEST_MS = 10_000;
export const HTTP_CHECK_MS = 2_000;

/** How long a peer may take to answer a close before it is cut off. */
export const CLOSE_GRACE_MS = 2_000;

/** Other daemons that agents here can send to; a person has a few machines. */
export const MAX_PEERS = 32;

/** How long the outcome of a pairing with one can be asked for; the owner there has two minutes to approve. */
export const PEER_PAIRING_KEEP_MS = 10 * 60_000;

/** A peer's answer to a request: its owner may take 90 s, and a wait 10. */
export const PEER_ANSWER_MS = 110_000;

/** How long a link to a peer may take to come up before an agent is told that it is offline. */
export const PEER_CONNECT_MS = 10_000;
