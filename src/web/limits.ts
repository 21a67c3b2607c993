/** The page's own bounds, beside those of the wire and of the client. */

/** Rows above the screen that a terminal shows; a phone scrolls no further back. */
export const TERMINAL_LINES = 1000;

/** Parsed rows kept, so that a row which only moved is not parsed again. */
export const MAX_PARSED_ROWS = 4000;

/** Text of one terminal.input; the protocol takes 64 Ki characters. */
export const MAX_INPUT_CHARS = 64 * 1024;

/** Items of one page of a chat. */
export const CHAT_PAGE_ITEMS = 60;

/** Items in the document at once; further ones are there when one scrolls to them. */
export const MAX_SHOWN_ITEMS = 240;

/** How near to the end still counts as following it, in pixels. */
export const FOLLOW_PX = 60;

/** How near to the beginning earlier items are fetched, in pixels. */
export const EARLIER_PX = 600;

/** Longer code is shown plain: colouring it would be felt. */
export const MAX_HIGHLIGHT_CHARS = 60_000;

/** Longer lines are cut in the view, with a mark. */
export const MAX_LINE_CHARS = 4000;

/** Lines of a file or a diff shown at first. */
export const MAX_SHOWN_LINES = 3000;

/** Text of a message that is rendered as Markdown; past it, plain. */
export const MAX_MARKDOWN_CHARS = 200_000;

/** The longer side of a picture that is sent; agents see no more than this. */
export const MAX_PICTURE_PX = 1568;

/** A message that waits for the link is tried for this long, in milliseconds; the server remembers 10 minutes. */
export const SEND_TIMEOUT_MS = 8 * 60_000;

/** Time away after which what happened meanwhile is told. */
export const AWAY_MS = 60_000;

/** A toast's stay. */
export const TOAST_MS = 5000;

/** scrypt for the PIN: about a second on a phone, which is all that a short PIN has. */
export const PIN_SCRYPT_N = 2 ** 15;

/** The shortest PIN. */
export const MIN_PIN_CHARS = 4;

/** Idle time in the background after which a page with a PIN locks. */
export const IDLE_LOCK_MS = 5 * 60_000;

/** How long the owner has to type the six digits. */
export const APPROVAL_MS = 120_000;
