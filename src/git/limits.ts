/** The bounds of git: processes, time, output, and what is looked for where. */

/** Processes at once for one repository: a status and a diff, and the machine stays the user's. */
export const MAX_RUNS_PER_REPOSITORY = 2;

/** Processes at once for all. */
export const MAX_RUNS = 8;

/** Runs that wait for their turn; one more is Unavailable. */
export const MAX_WAITING_RUNS = 64;

/** One run. A status of 100,000 files takes a fifth of a second, on a cold disk some seconds. */
export const RUN_TIMEOUT_MS = 10_000;

/** Output of one run; past it the run is ended and the answer is cut. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** What is kept of the error output, for the sentence that says why. */
export const MAX_ERROR_BYTES = 4096;

/** Renames are looked for among at most this many files on each side: the work grows with the square. */
export const RENAME_LIMIT = 1000;

/** Commits of one git.log when the caller does not say. */
export const DEFAULT_LOG_COMMITS = 50;

/** Texts of a commit, in UTF-16 units: what a phone shows, and some more. */
export const MAX_SUBJECT_CHARS = 500;
export const MAX_AUTHOR_CHARS = 200;
export const MAX_REFS = 20;

/** Linked worktrees of one repository. */
export const MAX_WORKTREES = 100;

/** Small files of git's own: HEAD, gitdir, commondir, alternates. */
export const MAX_SMALL_FILE_BYTES = 64 * 1024;

/** Below a project root: `~/src/host/owner/repository`. */
export const MAX_PROJECT_DEPTH = 4;

/** Folders looked into under the project roots, and repositories found there. */
export const MAX_PROJECT_FOLDERS = 20_000;
export const MAX_REPOSITORIES = 500;

/** A workspace's git is looked at again after this long, watching or not. */
export const POLL_MS = 30_000;

/** After a change was seen: a commit is many changes within a moment. */
export const SETTLE_MS = 400;

/** Looking takes at most one part in this many of the time, however large the repository. */
export const IDLE_SHARE = 20;
