/**
 * What a chat looks like on the wire: the schemas that rpc.ts builds pages and
 * updates from. Items are addressed by index, all else by id, so an update can
 * be applied twice. Readers keep going past fields they do not know.
 */
import { z } from "zod";

const Milliseconds = z.number();

/**
 * The agent that sends a request, when one does (`nexus chat send` in its own
 * tab): where a reply goes. The sending device is the one that sealed the
 * frame; agent, tab and name are that device's claims. A control method with
 * `from` takes the `agents` capability instead of its own, and the owner may
 * be asked first (AGENT_CONSENT_MS).
 */
export const AgentSenderSchema = z.object({
  /** tab: a Claude or Codex chat; terminal: an agent in a terminal; manager: the agent manager. */
  kind: z.enum(["tab", "terminal", "manager"]),
  agent: z.string().min(1).max(40).optional(),
  workspaceId: z.string(),
  tabId: z.string(),
  /** Its tab's title, to show as the sender. */
  name: z.string().max(200).optional(),
  /** Messages between agents that led to this one, the first being 1; past MAX_AGENT_HOPS it is refused. */
  hops: z.number().int().positive(),
});
export type AgentSender = z.infer<typeof AgentSenderSchema>;

/** A piece of a diff as jsdiff's structuredPatch has it; lines start with " ", "-", "+" or "\". */
export const DiffHunkSchema = z.object({
  oldStart: z.number().int().nonnegative(),
  oldLines: z.number().int().nonnegative(),
  newStart: z.number().int().nonnegative(),
  newLines: z.number().int().nonnegative(),
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof DiffHunkSchema>;

/** An image that is there to be asked for by its index (chat.image); sizes in pixels. */
export const ViewImageSchema = z.object({
  mediaType: z.string(),
  width: z.number().int().positive().optional(),
  height: z.number().int().positive().optional(),
});
export type ViewImage = z.infer<typeof ViewImageSchema>;

/** One thing the agent, or an agent of another device, waits on a person for. */
export const PermissionRequestSchema = z.object({
  requestId: z.string(),
  kind: z.enum(["permission", "question", "plan", "consent"]),
  toolUseId: z.string().optional(),
  toolName: z.string(),
  /** One line that is enough to decide on. */
  title: z.string(),
  /** The command, the path, the plan's text. */
  detail: z.string().optional(),
  /** The tool's input, in the shape an answer's `updatedInput` may send back. */
  input: z.record(z.string(), z.unknown()),
  /** What `always` picks from, by index. */
  suggestions: z.array(z.object({ label: z.string() })),
  questions: z
    .array(
      z.object({
        id: z.string(),
        text: z.string(),
        options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
        multi: z.boolean(),
        allowOther: z.boolean(),
      }),
    )
    .optional(),
  /** The subagent that asks. */
  agent: z.string().optional(),
  at: Milliseconds,
  expiresAt: Milliseconds.optional(),
});
export type PermissionRequest = z.infer<typeof PermissionRequestSchema>;

/** Where a chat stands. */
export const ChatStatusSchema = z.object({
  state: z.enum(["starting", "working", "asking", "idle", "error", "closed"]),
  /** When it came to that state. */
  since: Milliseconds,
  requests: z.array(PermissionRequestSchema),
  /** The turn that runs; `from` when an agent's message began it. */
  turn: z.object({ startedAt: Milliseconds, from: AgentSenderSchema.optional() }).optional(),
  /** Messages taken that the agent has not read yet. */
  queued: z.number().int().nonnegative(),
  error: z.object({ message: z.string(), kind: z.string() }).optional(),
  model: z.string().nullable(),
  effort: z.string().nullable(),
  permissionMode: z.string(),
});
export type ChatStatus = z.infer<typeof ChatStatusSchema>;

/** `key` is stable for the item's life; `at` is when it began. */
const ItemHead = { key: z.string(), at: Milliseconds };

const TextItemSchema = z.object({
  kind: z.literal("text"),
  ...ItemHead,
  text: z.string(),
  /** More of it is on its way. */
  streaming: z.boolean().optional(),
});
const ThinkingItemSchema = z.object({
  kind: z.literal("thinking"),
  ...ItemHead,
  text: z.string(),
  streaming: z.boolean().optional(),
});
const ToolItemSchema = z.object({ kind: z.literal("tool"), ...ItemHead, toolUseId: z.string() });

/** What an agent or a subagent says and does. */
export const AssistantItemSchema = z.discriminatedUnion("kind", [
  TextItemSchema,
  ThinkingItemSchema,
  ToolItemSchema,
]);
export type AssistantItem = z.infer<typeof AssistantItemSchema>;

/** One row of a chat. */
export const ViewItemSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("user"),
    ...ItemHead,
    text: z.string(),
    images: z.array(ViewImageSchema),
    /** Set when an agent sent it: it is that agent's message, not the user's. */
    from: AgentSenderSchema.optional(),
    state: z.enum(["queued", "sent", "failed"]),
  }),
  TextItemSchema,
  ThinkingItemSchema,
  ToolItemSchema,
  z.object({
    kind: z.literal("notice"),
    ...ItemHead,
    level: z.enum(["info", "warn", "error"]),
    text: z.string(),
  }),
  z.object({
    kind: z.literal("turn"),
    ...ItemHead,
    durationMs: z.number().nonnegative(),
    usage: z
      .object({ inputTokens: z.number().nonnegative(), outputTokens: z.number().nonnegative() })
      .optional(),
    costUsd: z.number().nonnegative().optional(),
    result: z.enum(["done", "interrupted", "error"]),
  }),
  z.object({ kind: z.literal("compacted"), ...ItemHead, summary: z.string().optional() }),
  /** A record kind that this version does not know: shown as it is, never dropped. */
  z.object({ kind: z.literal("unknown"), ...ItemHead, type: z.string(), text: z.string() }),
]);
export type ViewItem = z.infer<typeof ViewItemSchema>;

/** A tool call and as much of its result as fits; chat.tool gives more. */
export const ViewToolCallSchema = z.object({
  toolUseId: z.string(),
  name: z.string(),
  /** One line: the command, the path, the query. */
  title: z.string(),
  /** Clipped. */
  input: z.record(z.string(), z.unknown()),
  state: z.enum(["pending", "asking", "running", "done", "error", "denied", "interrupted"]),
  startedAt: Milliseconds.optional(),
  endedAt: Milliseconds.optional(),
  result: z
    .object({ text: z.string(), truncated: z.boolean().optional(), images: z.array(ViewImageSchema) })
    .optional(),
  /** What it changed in files. */
  patch: z.array(z.object({ path: z.string(), hunks: z.array(DiffHunkSchema) })).optional(),
  exitCode: z.number().int().optional(),
  /** The task that runs it. */
  taskId: z.string().optional(),
});
export type ViewToolCall = z.infer<typeof ViewToolCallSchema>;

/** A subagent, a background run or a shell that belongs to a chat. */
export const ViewTaskSchema = z.object({
  taskId: z.string(),
  kind: z.enum(["subagent", "background", "shell"]),
  title: z.string(),
  state: z.enum(["running", "done", "failed", "stopped"]),
  toolUseId: z.string().optional(),
  startedAt: Milliseconds,
  endedAt: Milliseconds.optional(),
  /** The tail of what it printed. */
  output: z.string().optional(),
  stoppable: z.boolean(),
});
export type ViewTask = z.infer<typeof ViewTaskSchema>;

const ExtensionLevel = z.string();

/** What extensions put beside a chat: plain text, control characters gone. */
export const ExtensionPanelSchema = z.object({
  status: z.array(z.object({ ext: z.string(), key: z.string(), level: ExtensionLevel, text: z.string() })),
  widgets: z.array(
    z.object({
      ext: z.string(),
      id: z.string(),
      position: z.enum(["above_input", "right_bar"]),
      title: z.string().optional(),
      lines: z.array(z.string()),
    }),
  ),
  notes: z.array(z.object({ ext: z.string(), level: ExtensionLevel, text: z.string(), at: Milliseconds })),
  panel: z
    .object({
      ext: z.string(),
      id: z.string(),
      title: z.string().optional(),
      lines: z.array(z.string()),
      footer: z.string().optional(),
      requestId: z.string(),
    })
    .optional(),
});
export type ExtensionPanel = z.infer<typeof ExtensionPanelSchema>;

/** A chat's side panel. */
export const ChatPanelSchema = z.object({
  todos: z.array(z.object({ text: z.string(), state: z.enum(["pending", "active", "done"]) })),
  plan: z.object({ text: z.string(), explanation: z.string().optional() }).optional(),
  /** Task ids, newest last. */
  tasks: z.array(z.string()),
  /** Files this chat changed, with lines added and removed. */
  files: z.array(
    z.object({
      path: z.string(),
      added: z.number().int().nonnegative(),
      removed: z.number().int().nonnegative(),
    }),
  ),
  /** Tokens in the model's window. */
  context: z.object({ used: z.number().nonnegative(), max: z.number().nonnegative() }).optional(),
  usage: z
    .object({
      inputTokens: z.number().nonnegative(),
      outputTokens: z.number().nonnegative(),
      costUsd: z.number().nonnegative().optional(),
    })
    .optional(),
  /** The agents that messaged it. */
  agents: z.array(z.object({ name: z.string(), device: z.string(), at: Milliseconds })),
  extensions: ExtensionPanelSchema.optional(),
});
export type ChatPanel = z.infer<typeof ChatPanelSchema>;
