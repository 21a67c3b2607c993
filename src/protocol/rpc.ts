/**
 * The nexus remote protocol: JSON-RPC 2.0 over the sealed link. The device
 * that runs the sessions serves; the one that shows them asks. RPC_METHODS is
 * the whole list of what may be asked, each with its shapes and the right it
 * takes; a session is named by the serving device's own workspace and tab ids.
 */
import { z } from "zod";
import type { Capability } from "./capabilities.js";
import {
  AgentSenderSchema,
  AssistantItemSchema,
  ChatPanelSchema,
  ChatStatusSchema,
  DiffHunkSchema,
  ViewItemSchema,
  ViewTaskSchema,
  ViewToolCallSchema,
} from "./view.js";

export { type Capability, CapabilitySchema } from "./capabilities.js";
export { RpcErrorCode } from "./errors.js";
export { type AgentSender, AgentSenderSchema, type DiffHunk, DiffHunkSchema } from "./view.js";

// --- JSON-RPC 2.0 -----------------------------------------------------------

export const RpcIdSchema = z.union([z.number().int(), z.string()]);
export type RpcId = z.infer<typeof RpcIdSchema>;

export const RpcRequestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: RpcIdSchema,
  method: z.string(),
  params: z.unknown().optional(),
});
export type RpcRequest = z.infer<typeof RpcRequestSchema>;

export const RpcErrorSchema = z.object({
  code: z.number().int(),
  message: z.string(),
  data: z.unknown().optional(),
});
export type RpcError = z.infer<typeof RpcErrorSchema>;

/** The error alternative stands first: `result` may be anything, so the other would match it too. */
export const RpcResponseSchema = z.union([
  z.object({ jsonrpc: z.literal("2.0"), id: RpcIdSchema, error: RpcErrorSchema }),
  z.object({ jsonrpc: z.literal("2.0"), id: RpcIdSchema, result: z.unknown() }),
]);
export type RpcResponse = z.infer<typeof RpcResponseSchema>;

export const RpcNotificationSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.unknown().optional(),
});
export type RpcNotification = z.infer<typeof RpcNotificationSchema>;

export const RpcMessageSchema = z.union([RpcRequestSchema, RpcResponseSchema, RpcNotificationSchema]);
export type RpcMessage = z.infer<typeof RpcMessageSchema>;

// --- Bounds of the methods ----------------------------------------------------

/** Messages between agents that one chain may take; a request past it is refused. */
export const MAX_AGENT_HOPS = 8;

/** How long the owner may be asked about an agent's request before it counts as no. */
export const AGENT_CONSENT_MS = 90_000;

/** Requests with `from` that one agent (a tab of a device) may make in a minute. */
export const MAX_AGENT_REQUESTS_PER_MINUTE = 20;

/** A wait answers `done: false` after this long at the latest; the caller asks again. */
export const MAX_WAIT_MS = 10_000;

/** Images of one message. */
export const MAX_ATTACHMENTS = 4;

/** One image, before base64: with its base64 and its request it fits a frame. */
export const MAX_ATTACHMENT_BYTES = 560 * 1024;

/** Entries of one files.list. */
export const MAX_LIST_ENTRIES = 2000;

/** Text of one files.read. */
export const MAX_READ_BYTES = 512 * 1024;

/** Items of one chat.read; earlier ones come by `before`. */
export const MAX_READ_ITEMS = 500;

// --- Sessions -----------------------------------------------------------------

/** A folder that the owner opened to their devices. */
export const RemoteWorkspaceSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Absolute, on the serving device. */
  path: z.string(),
  /** Set for a task: a git worktree of that workspace. */
  parentId: z.string().optional(),
  /** The workspace of the agent that directs the others. */
  manager: z.boolean().optional(),
  /** Its branch against its upstream and how many files are changed; looked at now and then. */
  git: z
    .object({
      /** null: no branch is checked out. */
      branch: z.string().nullable(),
      ahead: z.number().int().nonnegative(),
      behind: z.number().int().nonnegative(),
      uncommitted: z.number().int().nonnegative(),
    })
    .optional(),
});
export type RemoteWorkspace = z.infer<typeof RemoteWorkspaceSchema>;

export const SessionStateSchema = z.enum(["needs-you", "running", "new-result", "idle", "ended"]);
export type SessionState = z.infer<typeof SessionStateSchema>;

/** A chat or a terminal of the serving device. */
export const RemoteSessionSchema = z.object({
  workspaceId: z.string(),
  tabId: z.string(),
  kind: z.enum(["claude", "codex", "terminal"]),
  title: z.string(),
  state: SessionStateSchema,
  /** When it came to that state, in Unix milliseconds. */
  since: z.number().optional(),
  /** The last thing it said, one line. */
  last: z.string().optional(),
  /** The profile its agent runs with. */
  profile: z.string().optional(),
  /** Set while it needs a person. */
  waiting: z
    .object({
      kind: z.enum(["permission", "question", "plan"]),
      text: z.string(),
      /** What terminal.answer answers, when an agent in a terminal asks. */
      requestId: z.string().optional(),
    })
    .optional(),
});
export type RemoteSession = z.infer<typeof RemoteSessionSchema>;

const SessionsSchema = z.object({
  workspaces: z.array(RemoteWorkspaceSchema),
  sessions: z.array(RemoteSessionSchema),
});

/** A session by the serving device's ids. */
const TabRef = { workspaceId: z.string(), tabId: z.string() };

/** The keys that terminal.input presses by name, after its text. */
export const TERMINAL_KEYS = [
  "enter",
  "tab",
  "shift-tab",
  "esc",
  "space",
  "backspace",
  "delete",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "pageup",
  "pagedown",
  "ctrl-a",
  "ctrl-b",
  "ctrl-c",
  "ctrl-d",
  "ctrl-e",
  "ctrl-f",
  "ctrl-g",
  "ctrl-h",
  "ctrl-i",
  "ctrl-j",
  "ctrl-k",
  "ctrl-l",
  "ctrl-m",
  "ctrl-n",
  "ctrl-o",
  "ctrl-p",
  "ctrl-q",
  "ctrl-r",
  "ctrl-s",
  "ctrl-t",
  "ctrl-u",
  "ctrl-v",
  "ctrl-w",
  "ctrl-x",
  "ctrl-y",
  "ctrl-z",
] as const;
export const TerminalKeySchema = z.enum(TERMINAL_KEYS);
export type TerminalKey = z.infer<typeof TerminalKeySchema>;

/** How a chat stands for someone who waits on it. */
export const ChatWaitStateSchema = z.enum(["working", "asking", "idle", "error", "closed"]);
export type ChatWaitState = z.infer<typeof ChatWaitStateSchema>;

/** A session went from one state to another. */
export const SessionEventSchema = z.object({
  /** Counts from 1 since the daemon started (see `boot` in link.ready). */
  seq: z.number().int().positive(),
  at: z.number(),
  workspaceId: z.string(),
  tabId: z.string(),
  title: z.string(),
  kind: z.enum(["terminal", "claude", "codex"]),
  agent: z.string().optional(),
  /** null: first seen. */
  from: z.string().nullable(),
  /** A SessionState, or "closed" when the tab went. */
  to: z.string(),
  message: z.string().optional(),
});
export type SessionEvent = z.infer<typeof SessionEventSchema>;

/** The image types that travel. */
export const ImageMediaTypeSchema = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageMediaType = z.infer<typeof ImageMediaTypeSchema>;

/** What a chat runs with and may be set to. */
export const ChatSettingsSchema = z.object({
  agent: z.enum(["claude", "codex"]),
  /** null until the program told. */
  model: z.string().nullable(),
  effort: z.string().nullable(),
  permissionMode: z.string(),
  options: z.object({
    models: z.array(z.object({ id: z.string(), label: z.string() })),
    /** What the present model takes; empty when it takes none. */
    efforts: z.array(z.string()),
    /** A dangerous one is set only where the owner's config allows it. */
    modes: z.array(z.object({ id: z.string(), label: z.string(), dangerous: z.boolean().optional() })),
  }),
  /** The profile it runs with and its account, or what is wrong with it. */
  profile: z
    .object({
      id: z.string(),
      name: z.string(),
      account: z.string().optional(),
      problem: z.string().optional(),
    })
    .optional(),
});
export type ChatSettings = z.infer<typeof ChatSettingsSchema>;

/** A slash command, for a picker. */
export const ChatCommandSchema = z.object({
  name: z.string(),
  description: z.string(),
  /** command: by chat.command; send: as the text of chat.send; settings: by chat.configure. */
  runs: z.enum(["command", "send", "settings"]),
  /** For settings: which of them. */
  sets: z.enum(["model", "effort", "permissionMode"]).optional(),
  /** What follows the name, as a help text writes it. */
  args: z.string().optional(),
});
export type ChatCommand = z.infer<typeof ChatCommandSchema>;

/** A chat of the past that chat.resume opens. */
export const PastSessionSchema = z.object({
  sessionId: z.string(),
  title: z.string(),
  /** Its last change, in Unix milliseconds. */
  at: z.number(),
  /** Its log. */
  bytes: z.number().int().nonnegative().optional(),
  cwd: z.string().optional(),
  profile: z.string().optional(),
});
export type PastSession = z.infer<typeof PastSessionSchema>;

/** One letter of `git status --porcelain`: M, A, D, R, C, U, T or ?. */
const GitLetter = z.string().length(1);

export const GitFileSchema = z.object({
  path: z.string(),
  /** Where it was renamed or copied from. */
  oldPath: z.string().optional(),
  staged: GitLetter.optional(),
  unstaged: GitLetter.optional(),
});
export type GitFile = z.infer<typeof GitFileSchema>;

// --- Pages and updates -----------------------------------------------------------

/** Items `start` to `total` of a chat, with the calls, tasks and subagents' items that they name. */
export const ChatPageSchema = z.object({
  status: ChatStatusSchema,
  start: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  items: z.array(ViewItemSchema),
  tools: z.record(z.string(), ViewToolCallSchema),
  tasks: z.record(z.string(), ViewTaskSchema),
  /** By the id of the tool call or task that runs the subagent. */
  agentItems: z.record(z.string(), z.array(AssistantItemSchema)),
});
export type ChatPage = z.infer<typeof ChatPageSchema>;

/** What changed in a watched chat: items go to their index, the list ends at `total`, the rest goes by id. */
export const ChatUpdateSchema = z.object({
  watchId: z.string(),
  /** 1, 2, 3 … without gaps: a gap means that an update was lost. */
  rev: z.number().int().positive(),
  status: ChatStatusSchema.optional(),
  total: z.number().int().nonnegative(),
  items: z.array(z.object({ index: z.number().int().nonnegative(), item: ViewItemSchema })),
  tools: z.record(z.string(), ViewToolCallSchema),
  tasks: z.record(z.string(), ViewTaskSchema),
  agentItems: z.record(z.string(), z.array(AssistantItemSchema)),
  /** Whole, when it changed. */
  panel: ChatPanelSchema.optional(),
});
export type ChatUpdate = z.infer<typeof ChatUpdateSchema>;

/** From UTF-16 offset `start` on, the watcher's text is now `text`. */
export const TerminalUpdateSchema = z.object({
  watchId: z.string(),
  /** 1, 2, 3 … without gaps. */
  rev: z.number().int().positive(),
  start: z.number().int().nonnegative(),
  text: z.string(),
});
export type TerminalUpdate = z.infer<typeof TerminalUpdateSchema>;

/** The whole list again. */
export const SessionsUpdateSchema = SessionsSchema.extend({ watchId: z.string() });
export type SessionsUpdate = z.infer<typeof SessionsUpdateSchema>;

const Ok = z.object({});
const WatchRef = z.object({ watchId: z.string() });
const AgentKind = z.enum(["claude", "codex"]);
/** A model, effort, mode or profile: by id or by the name that menus show. */
const Choice = z.string().min(1).max(100);
const Title = z.string().min(1).max(200);
const Path = z.string().max(4096);
const WaitMs = z.number().int().positive().max(MAX_WAIT_MS);
const ItemLimit = z.number().int().positive().max(MAX_READ_ITEMS);
const LineLimit = z.number().int().positive().max(5000);

interface MethodShape {
  readonly capability: Capability;
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

// --- The methods -----------------------------------------------------------------

export const RPC_METHODS = {
  "sessions.list": { capability: "sessions", params: Ok, result: SessionsSchema },
  /** The list, and a sessions.update at each change until sessions.unwatch. */
  "sessions.watch": {
    capability: "sessions",
    params: Ok,
    result: SessionsSchema.extend({ watchId: z.string() }),
  },
  "sessions.unwatch": { capability: "sessions", params: WatchRef, result: Ok },
  /**
   * The first `limit` events after `since`, `more` when others follow; without
   * `since` the last `limit`. A `since` past `cursor` (the daemon started anew)
   * reads from the start.
   */
  "events.read": {
    capability: "sessions",
    params: z.object({
      since: z.number().int().nonnegative().optional(),
      limit: z.number().int().positive().max(500).optional(),
    }),
    result: z.object({
      events: z.array(SessionEventSchema),
      cursor: z.number().int().nonnegative(),
      more: z.boolean(),
    }),
  },
  "profiles.list": {
    capability: "sessions",
    params: z.object({ agent: AgentKind.optional() }),
    result: z.object({
      profiles: z.array(
        z.object({ id: z.string(), name: z.string(), agent: AgentKind, isDefault: z.boolean() }),
      ),
    }),
  },
  /** The past chats of the workspace's folder, latest first; `query` must be in the title. */
  "history.list": {
    capability: "chat.read",
    params: z.object({
      workspaceId: z.string(),
      agent: AgentKind,
      query: z.string().max(200).optional(),
      limit: z.number().int().positive().max(200).optional(),
    }),
    result: z.object({ sessions: z.array(PastSessionSchema) }),
  },

  /** The last `limit` items, or the `limit` before index `before`. */
  "chat.read": {
    capability: "chat.read",
    params: z.object({
      ...TabRef,
      before: z.number().int().nonnegative().optional(),
      limit: ItemLimit.optional(),
    }),
    result: ChatPageSchema,
  },
  /** The last page, and a chat.update at each change until chat.unwatch. */
  "chat.watch": {
    capability: "chat.read",
    params: z.object({ ...TabRef, limit: ItemLimit.optional() }),
    result: ChatPageSchema.extend({ watchId: z.string(), panel: ChatPanelSchema.optional() }),
  },
  "chat.unwatch": { capability: "chat.read", params: WatchRef, result: Ok },
  "chat.settings": { capability: "chat.read", params: z.object(TabRef), result: ChatSettingsSchema },
  "chat.commands": {
    capability: "chat.read",
    params: z.object(TabRef),
    result: z.object({ commands: z.array(ChatCommandSchema) }),
  },
  "chat.panel": { capability: "chat.read", params: z.object(TabRef), result: ChatPanelSchema },
  /** One tool call with as much of its result as a frame takes. */
  "chat.tool": {
    capability: "chat.read",
    params: z.object({ ...TabRef, toolUseId: z.string() }),
    result: ViewToolCallSchema,
  },
  /**
   * Waits at most `timeoutMs` until the chat works no longer. With `after` (the
   * `at` of a chat.send) a message not yet shown counts as work.
   */
  "chat.wait": {
    capability: "chat.read",
    params: z.object({ ...TabRef, timeoutMs: WaitMs.optional(), after: z.number().optional() }),
    result: z.object({
      done: z.boolean(),
      state: ChatWaitStateSchema,
      /** Its answer, its question, or what went wrong. */
      message: z.string().optional(),
    }),
  },
  /** An image of a user's message or of a tool's result, small enough for a frame. */
  "chat.image": {
    capability: "chat.read",
    params: z.object({
      ...TabRef,
      ref: z.discriminatedUnion("kind", [
        z.object({
          kind: z.literal("user"),
          itemKey: z.string(),
          index: z.number().int().nonnegative(),
        }),
        z.object({
          kind: z.literal("tool"),
          toolUseId: z.string(),
          index: z.number().int().nonnegative(),
        }),
      ]),
    }),
    result: z.object({
      mediaType: ImageMediaTypeSchema,
      /** Base64. */
      data: z.string(),
      width: z.number().int().positive().optional(),
      height: z.number().int().positive().optional(),
    }),
  },

  /** Sends a message; a turn that runs reads it at its next step. `text` may be empty only with attachments. */
  "chat.send": {
    capability: "chat.control",
    params: z.object({
      ...TabRef,
      text: z.string(),
      /** Ids that chat.attach gave. */
      attachments: z.array(z.string()).max(MAX_ATTACHMENTS).optional(),
      from: AgentSenderSchema.optional(),
    }),
    /** When it was taken, by this device's clock; for chat.wait's `after`. */
    result: z.object({ at: z.number().optional() }),
  },
  /** Takes one image for this device's next chat.send to the tab; kept 10 minutes. */
  "chat.attach": {
    capability: "chat.control",
    params: z.object({
      ...TabRef,
      mediaType: ImageMediaTypeSchema,
      /** Base64 of at most MAX_ATTACHMENT_BYTES. */
      data: z
        .string()
        .min(1)
        .max(Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4),
    }),
    result: z.object({ attachmentId: z.string() }),
  },
  /** Answers a request of ChatStatus.requests; Ok once the agent took the answer. */
  "chat.answer": {
    capability: "chat.control",
    params: z.object({
      ...TabRef,
      requestId: z.string(),
      decision: z.enum(["allow", "deny"]),
      /** With deny: the reason, which the agent reads. */
      message: z.string().optional(),
      /** With allow: the input to run with, such as a question's answers. */
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      /** With deny: the turn ends too. */
      stop: z.boolean().optional(),
      /** With allow: the suggestions to keep from now on, by index. */
      always: z.array(z.number().int().nonnegative()).optional(),
      from: AgentSenderSchema.optional(),
    }),
    result: Ok,
  },
  "chat.interrupt": {
    capability: "chat.control",
    params: z.object({ ...TabRef, from: AgentSenderSchema.optional() }),
    result: Ok,
  },
  /** Sets what is given and answers with what the chat runs with then. */
  "chat.configure": {
    capability: "chat.control",
    params: z.object({
      ...TabRef,
      model: Choice.optional(),
      effort: Choice.optional(),
      permissionMode: Choice.optional(),
      from: AgentSenderSchema.optional(),
    }),
    result: ChatSettingsSchema,
  },
  /** Runs a command that chat.commands lists with `runs: "command"`. */
  "chat.command": {
    capability: "chat.control",
    params: z.object({ ...TabRef, name: Choice, args: z.string().max(10_000).optional() }),
    result: z.object({
      message: z.string().optional(),
      /** The tab that it opened. */
      tabId: z.string().optional(),
    }),
  },
  "chat.stopTask": {
    capability: "chat.control",
    params: z.object({ ...TabRef, taskId: z.string() }),
    result: Ok,
  },
  "chat.rename": {
    capability: "chat.control",
    params: z.object({ ...TabRef, title: Title }),
    result: z.object({ title: z.string() }),
  },
  /** Opens a past chat; one that is open already answers with its tab. */
  "chat.resume": {
    capability: "chat.control",
    params: z.object({ workspaceId: z.string(), agent: AgentKind, sessionId: z.string() }),
    result: z.object({ tabId: z.string() }),
  },
  /** Opens a chat and sends it `prompt`, after `model` and `effort` were set. */
  "chat.new": {
    capability: "chat.control",
    params: z.object({
      workspaceId: z.string(),
      agent: AgentKind,
      prompt: z.string().optional(),
      model: Choice.optional(),
      effort: Choice.optional(),
      permissionMode: Choice.optional(),
      /** By id or name; the workspace's own otherwise. */
      profile: Choice.optional(),
      /** Inside the workspace; its folder otherwise. */
      folder: z.string().min(1).max(4096).optional(),
      from: AgentSenderSchema.optional(),
    }),
    result: z.object({
      tabId: z.string(),
      /** The tab is open, but model or effort could not be set and the prompt was not sent. */
      error: z.string().optional(),
    }),
  },
  "chat.close": {
    capability: "chat.control",
    params: z.object({ ...TabRef, from: AgentSenderSchema.optional() }),
    result: Ok,
  },

  /** The screen and the rows above it as text; with `ansi`, with SGR escapes and no others. */
  "terminal.read": {
    capability: "terminal.read",
    params: z.object({ ...TabRef, lines: LineLimit.optional(), ansi: z.boolean().optional() }),
    result: z.object({ text: z.string() }),
  },
  /** The text, and a terminal.update at each change until terminal.unwatch. */
  "terminal.watch": {
    capability: "terminal.read",
    params: z.object({ ...TabRef, lines: LineLimit.optional(), ansi: z.boolean().optional() }),
    result: z.object({ text: z.string(), watchId: z.string() }),
  },
  "terminal.unwatch": { capability: "terminal.read", params: WatchRef, result: Ok },
  /** Types: `text` as a paste, then `keys`, then Enter. */
  "terminal.input": {
    capability: "terminal.control",
    params: z.object({
      ...TabRef,
      text: z
        .string()
        .max(64 * 1024)
        .optional(),
      keys: z.array(TerminalKeySchema).max(64).optional(),
      enter: z.boolean().optional(),
      from: AgentSenderSchema.optional(),
    }),
    /** When it was typed, by this device's clock; for terminal.wait's `after`. */
    result: z.object({ at: z.number().optional() }),
  },
  /**
   * Waits at most `timeoutMs`: with `exit` for the program's end, with `match`
   * for a line, else for the prompt, the end of an agent's turn, or quiet.
   */
  "terminal.wait": {
    capability: "terminal.read",
    params: z.object({
      ...TabRef,
      timeoutMs: WaitMs.optional(),
      /** A terminal.input's `at`: what ended before it does not count. */
      after: z.number().optional(),
      exit: z.boolean().optional(),
      /** A regular expression. */
      match: z.string().min(1).max(1000).optional(),
      /** Silence that counts as idle for a program that is neither shell nor agent. */
      quietMs: z.number().int().positive().max(600_000).optional(),
    }),
    result: z.object({
      done: z.boolean(),
      /** idle, completed, needsInput, permissionPending, error, notStarted, notified, exited, matched or waiting. */
      state: z.string(),
      message: z.string().optional(),
    }),
  },
  /** Answers the request that an agent in a terminal holds (`waiting.requestId`); nothing is typed. */
  "terminal.answer": {
    capability: "chat.control",
    params: z.object({
      ...TabRef,
      requestId: z.string(),
      decision: z.enum(["allow", "allowAlways", "deny", "denyStop"]),
      from: AgentSenderSchema.optional(),
    }),
    result: Ok,
  },
  "terminal.shells": {
    capability: "terminal.control",
    params: z.object({ workspaceId: z.string() }),
    result: z.object({
      shells: z.array(z.object({ id: z.string(), name: z.string(), isDefault: z.boolean() })),
    }),
  },
  /** Opens a shell; `command` is typed into it. */
  "terminal.open": {
    capability: "terminal.control",
    params: z.object({
      workspaceId: z.string(),
      /** An id of terminal.shells. */
      shell: Title.optional(),
      /** Inside the workspace. */
      folder: z.string().min(1).max(4096).optional(),
      command: z.string().min(1).max(10_000).optional(),
      title: Title.optional(),
      cols: z.number().int().min(20).max(500).optional(),
      rows: z.number().int().min(5).max(200).optional(),
      from: AgentSenderSchema.optional(),
    }),
    result: z.object({ tabId: z.string() }),
  },
  "terminal.rename": {
    capability: "terminal.control",
    params: z.object({ ...TabRef, title: Title }),
    result: z.object({ title: z.string() }),
  },
  /** One that runs a program closes only with `force`. */
  "terminal.close": {
    capability: "terminal.control",
    params: z.object({
      ...TabRef,
      force: z.boolean().optional(),
      from: AgentSenderSchema.optional(),
    }),
    result: Ok,
  },

  /** A folder's entries, folders first; "" is the workspace's own. */
  "files.list": {
    capability: "files",
    params: z.object({ workspaceId: z.string(), path: Path }),
    result: z.object({
      /** Absolute. */
      path: z.string(),
      entries: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(["file", "dir", "link"]),
          size: z.number().int().nonnegative().optional(),
        }),
      ),
      truncated: z.boolean().optional(),
    }),
  },
  /** A file's start as text, an image made small, or that it is binary. */
  "files.read": {
    capability: "files",
    params: z.object({
      workspaceId: z.string(),
      path: Path.min(1),
      maxBytes: z.number().int().positive().max(MAX_READ_BYTES).optional(),
    }),
    result: z.discriminatedUnion("kind", [
      z.object({
        kind: z.literal("text"),
        path: z.string(),
        text: z.string(),
        size: z.number().int().nonnegative(),
        truncated: z.boolean(),
      }),
      z.object({
        kind: z.literal("image"),
        path: z.string(),
        mediaType: ImageMediaTypeSchema,
        /** Base64. */
        data: z.string(),
        size: z.number().int().nonnegative(),
      }),
      z.object({
        kind: z.literal("binary"),
        path: z.string(),
        size: z.number().int().nonnegative(),
      }),
    ]),
  },

  "git.status": {
    capability: "git",
    params: z.object({ workspaceId: z.string() }),
    result: z.object({
      /** null: no branch is checked out. */
      branch: z.string().nullable(),
      upstream: z.string().optional(),
      ahead: z.number().int().nonnegative(),
      behind: z.number().int().nonnegative(),
      files: z.array(GitFileSchema),
      truncated: z.boolean().optional(),
    }),
  },
  /**
   * A file's changes in hunks: unstaged, staged, of one `commit`, or of the
   * branch against its merge base. With `commit` or `base` the path "." lists
   * the files that changed, with counts.
   */
  "git.diff": {
    capability: "git",
    params: z.object({
      workspaceId: z.string(),
      path: z.string().min(1).max(4096),
      staged: z.boolean().optional(),
      /** A full hash that git.log gave. */
      commit: z
        .string()
        .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
        .optional(),
      base: z.boolean().optional(),
    }),
    result: z.object({
      path: z.string(),
      oldPath: z.string().optional(),
      binary: z.boolean().optional(),
      hunks: z.array(DiffHunkSchema),
      /** For path ".": what changed; counts are absent for binary files. */
      files: z
        .array(
          z.object({
            path: z.string(),
            oldPath: z.string().optional(),
            added: z.number().int().nonnegative().optional(),
            removed: z.number().int().nonnegative().optional(),
          }),
        )
        .optional(),
      truncated: z.boolean().optional(),
    }),
  },
  /** The branch's commits, latest first. */
  "git.log": {
    capability: "git",
    params: z.object({
      workspaceId: z.string(),
      limit: z.number().int().positive().max(200).optional(),
      skip: z.number().int().nonnegative().optional(),
    }),
    result: z.object({
      commits: z.array(
        z.object({
          hash: z.string(),
          subject: z.string(),
          author: z.string(),
          /** Unix milliseconds. */
          at: z.number(),
          refs: z.array(z.string()).optional(),
        }),
      ),
    }),
  },
} as const satisfies Record<string, MethodShape>;

export type RpcMethod = keyof typeof RPC_METHODS;
export type RpcParams<M extends RpcMethod> = z.infer<(typeof RPC_METHODS)[M]["params"]>;
export type RpcResult<M extends RpcMethod> = z.infer<(typeof RPC_METHODS)[M]["result"]>;

/** What a serving device sends without being asked, for as long as a watch is open. */
export const RPC_NOTIFICATIONS = {
  "sessions.update": SessionsUpdateSchema,
  "chat.update": ChatUpdateSchema,
  "terminal.update": TerminalUpdateSchema,
} as const;

export type RpcNotificationMethod = keyof typeof RPC_NOTIFICATIONS;
export type RpcNotificationParams<M extends RpcNotificationMethod> = z.infer<(typeof RPC_NOTIFICATIONS)[M]>;

/** Object.hasOwn, so that "toString" and "__proto__" are no methods. */
export function isRpcMethod(method: string): method is RpcMethod {
  return Object.hasOwn(RPC_METHODS, method);
}
