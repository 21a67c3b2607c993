/** The bounds of the Claude driver. */

/** The SDK that this driver was measured with. */
export const SDK_VERSION = "0.3.332";

/** Its package's published hash: what npm brings must be this. */
export const SDK_INTEGRITY =
  "sha512-N0ejnrTLMNJYXkvhdmLEy8QSfjym2ljJCkUBCrLKesYNGgqooi8zHDHawNsi+An6zav/ImPnpi27sbRsRjfcOw==";

/** A stopped program may take this long to let go of a session that is opened again. */
export const SESSION_RELEASE_MS = 12_000;

/** How long the program may take to show that it took an answer. */
export const ANSWER_SEEN_MS = 2_000;

/** Models and commands are asked for again after this long. */
export const OPTIONS_TTL_MS = 10 * 60_000;

/** Tool calls whose name and input are remembered until their result comes. */
export const MAX_OPEN_CALLS = 1_000;

/** One settings file of a folder; Claude Code's own are a few KiB. */
export const MAX_SETTINGS_BYTES = 1024 * 1024;

/** One line of a transcript: an image of 32 MiB in base64 and what stands around it. */
export const MAX_LINE_BYTES = 48 * 1024 * 1024;

/** The end of what a program printed to stderr, for the log. */
export const STDERR_TAIL_CHARS = 2_000;

/** Lines of what a folder would run, as shown. */
export const MAX_WOULD_RUN = 30;
