/** The bounds that the command line keeps. */

/** How long a daemon that was started or stopped may take: it may have a hundred terminals to find or to end. */
export const DAEMON_CHANGE_MS = 30_000;

/** How often it is looked at meanwhile. */
export const DAEMON_POLL_MS = 50;

/** A pairing link has about 130 characters; more than this is something else that was pasted. */
export const MAX_LINK_CHARS = 2_000;

/** Text for a terminal from standard input; terminal.input takes as much. */
export const MAX_INPUT_CHARS = 64 * 1024;

/** Bytes of one owner.attach.input, whose base64 may take 131,072 characters. */
export const MAX_ATTACH_CHUNK_BYTES = 64 * 1024;

/** Typing that waits while the daemon does not take it; more is dropped, as a tty's own queue does. */
export const MAX_TYPED_AHEAD_BYTES = 1024 * 1024;

/** How often `events --follow` looks without being told: an event may come without a change of the list. */
export const EVENTS_POLL_MS = 1_000;

/** Events that one events.read of ours asks for; the protocol's most. */
export const EVENTS_PAGE = 500;

/** The longest time that --timeout takes: a day, well under what a timer can count. */
export const MAX_TIMEOUT_MS = 24 * 3_600_000;

/** A watched screen that changes faster is drawn at this pace; an eye sees no more. */
export const DRAW_EVERY_MS = 33;

/** How long the browser may take to read the file that leads it to the pairing link. */
export const REDIRECT_FILE_MS = 60_000;

/** A record or an options file of ours; a larger one is damaged. */
export const MAX_RECORD_BYTES = 64 * 1024;

/** A message from standard input; with its escapes it must stay in one frame. */
export const MAX_MESSAGE_CHARS = 128 * 1024;

/** How often `audit --follow` looks. */
export const AUDIT_POLL_MS = 1000;

/** Audit lines that one look asks for; the protocol's most. */
export const AUDIT_PAGE = 500;
