/** The bounds of who may do what: devices, offers, repeated requests, rates and the audit log. */

/** Paired devices; a person has a handful, and each costs a line in a list that is read whole. */
export const MAX_DEVICES = 64;

/** Visible characters of a device's name: one row of a phone or a prompt. */
export const MAX_DEVICE_NAME_CHARS = 64;

/** Code points of a device's name: a visible character may carry any number of marks. */
export const MAX_DEVICE_NAME_CODE_POINTS = 256;

/** `lastSeenAt` reaches the disk at most this often: it is worth no write of its own at each link. */
export const SEEN_SAVE_MS = 60_000;

/** An offer's life: time to find the phone and scan. */
export const OFFER_MS = 5 * 60_000;

/** The life of an offer that approves by itself: its link alone lets a device in. */
export const YES_OFFER_MS = 60_000;

/** Failed handshakes that name an offer before it is burned. */
export const MAX_OFFER_FAILURES = 5;

/** Time to read six digits from a phone and type them. */
export const APPROVAL_MS = 2 * 60_000;

/** Wrong codes before the offer ends: a million codes, three tries. */
export const MAX_WRONG_CODES = 3;

/** Ended offers whose outcome can still be asked for: the one at hand and those it replaced. */
export const MAX_ENDED_OFFERS = 8;

/** Outcomes remembered for one device: typing for ten minutes at seven keys a second. */
export const MAX_OUTCOMES_PER_DEVICE = 4096;

/** How long an outcome in memory is remembered: longer than a client keeps sending a request again. */
export const OUTCOME_KEEP_MS = 10 * 60_000;

/** How long a written one is: a phone that was in a drawer overnight sends its message again. */
export const JOURNAL_KEEP_MS = 24 * 60 * 60_000;

/** Journal lines since it was last rewritten before it is rewritten again; some 2 MB. */
export const JOURNAL_COMPACT_LINES = 10_000;

/** Handshakes of one address in a minute after failures; one that succeeds is given back. */
export const HANDSHAKES_PER_MINUTE = 10;

/** Handshakes of one address under way: each costs milliseconds of curve arithmetic. */
export const MAX_RUNNING_HANDSHAKES = 4;

/** Addresses and devices whose rates are kept; the fullest buckets, which limit nothing, go first. */
export const MAX_RATED_KEYS = 4096;

/** What one device may send, with all its links: a 2 MiB message parses in a third of a second. */
export const DEVICE_BYTES_PER_SECOND = 4 * 1024 * 1024;
export const DEVICE_BURST_BYTES = 8 * 1024 * 1024;

/** The audit log: files, and bytes of one. */
export const AUDIT_FILES = 5;
export const AUDIT_FILE_BYTES = 5 * 1024 * 1024;

/** One audit line: ids and outcomes, no content. */
export const MAX_AUDIT_LINE_BYTES = 4096;

/** Lines of one tail. */
export const MAX_AUDIT_TAIL = 500;

/** Requests of all agents of one device in a minute: three busy ones. */
export const AGENT_REQUESTS_PER_DEVICE_PER_MINUTE = 60;

/** Requests of one agent about one target, and of one device about it, in {@link AGENT_PAIR_WINDOW_MS}: a loop that lies about its hops ends here. */
export const AGENT_PAIR_REQUESTS = 30;
export const AGENT_DEVICE_PAIR_REQUESTS = 90;
export const AGENT_PAIR_WINDOW_MS = 10 * 60_000;

/** After an agent's turn in a chat, what it still sends (a script in the background) counts to that turn this long. */
export const CHAIN_QUIET_MS = 10 * 60_000;

/** In a terminal nothing tells where a turn ends: what an agent typed counts this long. */
export const TERMINAL_CHAIN_MS = 60 * 60_000;

/** Chains remembered; tabs are at most 200. */
export const MAX_CHAINS = 1000;

/** Questions to the owner that wait for one device: more would be noise to say yes to. */
export const MAX_WAITING_CONSENTS = 4;

/** A sender that was turned down so often in this time is not asked about for as long. */
export const DENIALS_BEFORE_MUTE = 3;
export const MUTE_MS = 10 * 60_000;

/** Text that a card shows by itself; a longer one is opened whole before it can be allowed. */
export const CONSENT_SHOWN_BYTES = 4096;

/** Consents that are remembered: 64 devices with a few tabs each. */
export const MAX_CONSENT_RULES = 500;

/** Answered questions of which a late answer still hears what became of them. */
export const MAX_SETTLED_CONSENTS = 200;

/** Refusals and senders that the owner can look at. */
export const MAX_AGENT_REFUSALS = 50;
export const MAX_AGENT_ROUTES = 200;
