/** The bounds of what there is: workspaces, tabs, events and the pace at which changes are told. */

/** Open chats and terminals: the design's 110 with room, and a list that stays one frame. */
export const MAX_OPEN_TABS = 200;

/** Closed tabs are told apart from unknown ones this long, for those who wait on them. */
export const CLOSED_TAB_KEEP_MS = 10 * 60_000;

/** Closed tabs remembered at most: ten times all that can be open. */
export const MAX_CLOSED_TABS = 2000;

/** Workspaces with their worktrees and the repositories under the project roots. */
export const MAX_WORKSPACES = 1000;

/** A title that a program or an agent set, in characters; the wire takes 200. */
export const MAX_TITLE_CHARS = 200;

/** A title that a program set reaches the disk at most this often. */
export const TITLE_SAVE_MS = 60_000;

/** The one line of `last` and `waiting.text`, in characters: what a phone's row shows, and a little more. */
export const MAX_LINE_CHARS = 300;

/** A command that ran longer than this is worth a look when it ends. */
export const LONG_COMMAND_MS = 10_000;

/** Events that can be read back. */
export const MAX_EVENTS = 5000;

/** Between two updates of the list: changes of state at most four a second. */
export const STATE_PACE_MS = 250;

/** Titles, last lines and git, at most once in this time. */
export const QUIET_PACE_MS = 5_000;

/** What needs a person goes at once; one that flaps still leaves the link some air. */
export const URGENT_PACE_MS = 20;
