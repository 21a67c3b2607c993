/** The bounds of chats that no client needs to know. Names carry the unit; each says why that number. */

/** A text block longer than this goes on in a further item at its next paragraph: a streamed item is sent whole. */
export const SOFT_TEXT_ITEM_CHARS = 6 * 1024;

/** Where a text block without any paragraph is split at a line's end, and past a tenth more anywhere. */
export const HARD_TEXT_ITEM_CHARS = 32 * 1024;

/** A tool's result as pages show it; chat.tool gives more. A page of 100 such results still fits after trimming. */
export const SHOWN_RESULT_CHARS = 8 * 1024;

/** A tool's result as it is kept for chat.tool: about what a frame takes. */
export const KEPT_RESULT_CHARS = 1024 * 1024;

/** One string of a tool's input as pages show it. */
export const SHOWN_INPUT_STRING_CHARS = 2 * 1024;

/** A tool's whole input as pages show it, as JSON. */
export const SHOWN_INPUT_BYTES = 8 * 1024;

/** One string of a request's input: long enough to decide on a file's content by its start. */
export const REQUEST_STRING_CHARS = 8 * 1024;

/** A request's whole input as JSON; several requests and a page share a frame. */
export const REQUEST_INPUT_BYTES = 32 * 1024;

/** A request's command or plan. */
export const REQUEST_DETAIL_CHARS = 16 * 1024;

/** Requests of one chat that wait at once; agents ask one by one, subagents in parallel. */
export const MAX_OPEN_REQUESTS = 32;

/** Settled request ids that are remembered, so that a late answer hears what became of them. */
export const MAX_SETTLED_REQUESTS = 256;

/** One line: titles of tools, tasks and requests. */
export const TITLE_CHARS = 300;

/** Lines of one diff hunk list that pages show. */
export const SHOWN_PATCH_LINES = 400;

/** Items of one subagent that are kept; each change sends them all. */
export const MAX_AGENT_ITEMS = 100;

/** Text of one item of a subagent. */
export const AGENT_TEXT_CHARS = 4 * 1024;

/** A task's printed tail. */
export const TASK_OUTPUT_CHARS = 4 * 1024;

export const MAX_PANEL_TODOS = 100;
export const MAX_PANEL_FILES = 300;
export const MAX_PANEL_TASKS = 100;
export const MAX_PANEL_AGENTS = 50;
export const PANEL_TEXT_CHARS = 500;
export const PANEL_PLAN_CHARS = 32 * 1024;

/** Changes that a chat remembers one by one; a watcher further behind is compared with everything. */
export const MAX_CHANGE_LOG = 4096;

/** Messages of one chat that wait to be read. */
export const MAX_QUEUED_MESSAGES = 64;

/** An idle chat's program ends after this long and starts again with the next message: it holds 200 MB. */
export const IDLE_STOP_MS = 10 * 60_000;

/** Programs that start at the same time: each takes a core for a second. */
export const MAX_CONCURRENT_STARTS = 2;

/** How long a program may take from its start until it answers. */
export const START_TIMEOUT_MS = 60_000;

/** How long a program may take to end by itself before it is killed. */
export const STOP_TIMEOUT_MS = 5_000;

/** How long an agent may take to accept an answer, an interrupt or a setting. */
export const AGENT_REPLY_TIMEOUT_MS = 15_000;

/** Chats that are open at once. */
export const MAX_OPEN_CHATS = 100;

/** How long a closed chat answers chat.wait with `closed`. */
export const CLOSED_CHAT_MS = 10 * 60_000;

/** An attachment waits this long for its message. */
export const ATTACHMENT_TTL_MS = 10 * 60_000;

/** Attachments of one device that wait at once: two messages' worth. */
export const MAX_ATTACHMENTS_PER_DEVICE = 8;

/** Attachments of all devices: 64 × 560 KiB stays under 40 MB of memory. */
export const MAX_ATTACHMENTS_HELD = 64;

/** Images and long results of one chat on disk; the oldest go first. */
export const MAX_BLOB_BYTES = 128 * 1024 * 1024;

/** How often changed items are written to disk while a turn runs. */
export const LOG_EVERY_MS = 1_000;

/** The items' log is written anew when it is this much larger than what it says. */
export const LOG_SLACK_BYTES = 8 * 1024 * 1024;

/** The answer that chat.wait gives: the tail of it. */
export const WAIT_MESSAGE_CHARS = 64 * 1024;

/** Entries of a list that a program supplies: models, commands. */
export const MAX_LISTED = 200;

/** A text in such a list. */
export const LISTED_CHARS = 500;

/** One line of a session's `last`. */
export const LAST_CHARS = 500;

/** How much of a past chat's log becomes its items, from its end. */
export const MAX_PAST_BYTES = 64 * 1024 * 1024;
export const MAX_PAST_ITEMS = 20_000;

/** Text of a past chat that is held in memory; the earliest items go first. */
export const MAX_PAST_TEXT_CHARS = 24 * 1024 * 1024;

/** What is read from each end of a past chat's log to learn its title. */
export const TITLE_SCAN_BYTES = 128 * 1024;

/** Past chats whose titles are remembered, by path, size and time. */
export const MAX_TITLES_CACHED = 20_000;

/** Logs that are looked at when past chats are listed, the latest. */
export const MAX_HISTORY_FILES = 20_000;
