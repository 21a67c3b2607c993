/** The bounds of the terminal engine; those of the wire stand in protocol/limits.ts. */

/** Rows above the screen that stay readable: a watch of 5,000 rows with its quarter of slack. */
export const SCROLLBACK_ROWS = 6250;

/**
 * Rows above the screen that the emulator itself keeps, as cells that follow a
 * change of width. A row of 120 columns costs about 1.8 KB there and its text
 * alone costs 0.1 KB, so what is older is kept as text.
 */
export const LIVE_SCROLLBACK_ROWS = 512;

/** Rows above the screen in a read or watch that names no number. */
export const DEFAULT_ROWS_ABOVE = 1000;

/** A watch's window grows past its rows by this share of them before its top moves. */
export const WINDOW_SLACK_DIVISOR = 4;

/** Silence after which a watch's window goes back to its rows. */
export const QUIET_MS = 1000;

/** The shortest time between two updates of a watch: about 30 a second. */
export const UPDATE_INTERVAL_MS = 33;

/** A watch may take a tenth of a core: it rests this many times what its last update cost. */
export const UPDATE_REST_FACTOR = 9;

/**
 * A watch rests a millisecond for this many characters of its last update, up
 * to a tenth of a second: a flood of whole windows costs a link 1 MB a second
 * at most, and a key typed after one is still echoed at once for a person.
 */
export const UPDATE_CHARS_PER_MS = 1000;
export const MAX_SIZE_REST_MS = 100;

/** How long synchronised output (mode 2026) holds an update back. */
export const SYNC_HOLD_MS = 150;

/** Bytes handed to the emulator at once; it halves them down to the least while they parse slowly. */
export const MAX_SLICE_BYTES = 16 * 1024;
export const MIN_SLICE_BYTES = 256;

/** A slice that parses slower than this is halved, one four times as fast is doubled. */
export const SLICE_TARGET_MS = 2;

/** Parsing of all terminals in one turn of the event loop, and of one of them before the next has its go. */
export const PARSE_TURN_MS = 8;
export const PARSE_QUANTUM_MS = 4;

/** The emulator's answers to a program in one second; a program that asks for more gets none. */
export const REPLY_BYTES_PER_SECOND = 4096;

/** A program's title or notice; what is longer is cut. */
export const MAX_TITLE_CHARS = 500;

/** The emulator breaks below two columns (wide characters) and two rows. */
export const MIN_COLS = 2;
export const MIN_ROWS = 2;

/** Wider or taller than any window; a row of cells is allocated at once. */
export const MAX_COLS = 1000;
export const MAX_ROWS = 500;

/** A watched window as JSON, at its worst: it fits a frame from offset 0, with room for its envelope. */
export const MAX_WINDOW_JSON_BYTES = 720 * 1024;

/** Rows of one logical line that are joined; a longer line comes in pieces. No pattern needs more at once. */
export const MAX_JOINED_ROWS = 256;

/** Rows of all terminals, five floods of them, that are kept as cells until time allows drawing them; past it they are drawn at once. */
export const MAX_UNDRAWN_BYTES = 48 * 1024 * 1024;

/** How often, and how many blocks of rows, a terminal draws of those that it keeps as cells. */
export const DRAW_INTERVAL_MS = 200;
export const DRAW_BLOCKS = 4;
