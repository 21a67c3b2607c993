/** The terminal host's bounds. */

/** The pty is paused above this much that is not parsed: the emulator throws at 50 MB. */
export const PAUSE_ABOVE_BYTES = 512 * 1024;
/** And resumed under this much, so that it never runs dry between two parses. */
export const RESUME_UNDER_BYTES = 128 * 1024;

/** Read at once when a program ended; the kernel holds far less, only an escaped child could go on for ever. */
export const DRAIN_AT_EXIT_BYTES = 4 * 1024 * 1024;
/** One read while draining: more than a tty's buffer gives at once. */
export const DRAIN_CHUNK_BYTES = 64 * 1024;

/** Typing that waits for a program which does not read; sixteen of the largest inputs. */
export const WRITE_QUEUE_BYTES = 1024 * 1024;
/** First and longest pause before typing is tried again while the tty is full. */
export const WRITE_RETRY_FIRST_MS = 2;
export const WRITE_RETRY_MAX_MS = 50;

/** From SIGHUP to SIGKILL at a close. */
export const KILL_GRACE_MS = 3000;
/** A close answers at the latest this long after SIGKILL. */
export const KILL_WAIT_MS = 1000;

/** A terminal's size when nobody names one, and its bounds. */
export const DEFAULT_COLS = 120;
export const DEFAULT_ROWS = 40;
export const MIN_COLS = 20;
export const MAX_COLS = 500;
export const MIN_ROWS = 5;
export const MAX_ROWS = 200;

/** After output or typing, before the process table is asked who runs: a fork and exec take a few milliseconds. */
export const LOOK_AFTER_MS = 60;
/** While output goes on, looks are at least this far apart. */
export const LOOK_INTERVAL_MS = 250;
/** Silence after which a shell without marks, alone in the foreground, counts as at its prompt. */
export const PROMPT_QUIET_MS = 300;
/** A command given at the opening is typed at the latest after this, when no prompt shows itself. */
export const FIRST_PROMPT_WAIT_MS = 5000;

/** Silence that counts as idle for a root program that is no shell. */
export const ROOT_PROGRAM_QUIET_MS = 2000;

/** Between text and Enter, for programs that tell a paste by its timing. */
export const ENTER_QUIET_MS = 40;
/** Enter goes out at the latest this long after its text, echo or not. */
export const ENTER_WAIT_MS = 400;
/** An input answers at the latest after this, written or not. */
export const INPUT_ANSWER_MS = 2000;

/** Places of earlier inputs that a wait's `after` can go back to. */
export const MAX_TYPED_PLACES = 64;

/** How long a match without `after` goes on from its asker's last one. */
export const MATCH_MEMORY_MS = 60_000;
/** Remembered places of one terminal; the oldest goes first. */
export const MAX_MATCH_MEMORIES = 256;
/** A line is matched up to here. */
export const MATCH_LINE_CHARS = 4096;
/** Lines of one look; a flood's older ones are left out. */
export const MATCH_LINES = 20_000;
/** CPU time that one look of a pattern may take. */
export const MATCH_BUDGET_MS = 100;
/** On a busy machine the worker gets this long by the clock before it counts as stuck. */
export const MATCH_WALL_MS = 1000;
/** While output goes on, a pattern looks this often. */
export const MATCH_INTERVAL_MS = 50;

/** Windows on one terminal at the desk. */
export const MAX_ATTACHMENTS = 16;
/** Bytes that a window has not taken; past this it is drawn anew when it has caught up. */
export const ATTACH_BACKLOG_BYTES = 1024 * 1024;
/** A window's columns and rows. */
export const MIN_WINDOW_CELLS = 2;
export const MAX_WINDOW_CELLS = 1000;

/** Between two reports of one terminal's status: a program may change its title at every byte. */
export const REPORT_INTERVAL_MS = 50;
/** Between two reports that a terminal rang. */
export const BELL_INTERVAL_MS = 500;

/** Terminals of one host; 100 are designed for, their screens take 6 MB each. */
export const MAX_TERMINALS = 256;

/** One frame between nexusd and its host: the largest is a read of all rows with colours. */
export const MAX_HOST_FRAME_BYTES = 64 * 1024 * 1024;
/** A link of a nexusd that reads this slowly is cut; its watches are credited, so only a stuck one gets here. */
export const MAX_LINK_BACKLOG_BYTES = 128 * 1024 * 1024;

/** A host without terminals and without nexusd ends after this. */
export const IDLE_END_MS = 10 * 60_000;
/** How often the host looks whether its socket still has its name. */
export const SOCKET_CHECK_MS = 60_000;

/** The host's log is cut back at this size. */
export const LOG_BYTES = 256 * 1024;

/** sockaddr_un holds 104 bytes on macOS with its end; node cuts a longer path without a word. */
export const MAX_SOCKET_PATH_BYTES = 103;
/** A host that starts answers within this, also on a machine that is busy building. */
export const HOST_START_MS = 20_000;
/** A host that lives greets within this; one that is stopped or stuck does not. */
export const MAX_LINK_WAIT_MS = 10_000;
