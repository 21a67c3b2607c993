/**
 * What a chat asks of an agent's program, and what that program tells the chat.
 * The engine knows no agent: Claude Code, Codex's app-server and phi's bridge
 * each come as an AgentDriver.
 */
import type {
  AgentSender,
  AssistantItem,
  ChatPanel,
  PermissionRequest,
  ViewItem,
  ViewTask,
  ViewToolCall,
} from "../protocol/view.js";

/** An image with its bytes, on its way to or from an agent. */
export interface ImageData {
  readonly mediaType: string;
  readonly data: Buffer;
}

/** A message for the agent; `id` is a UUID, the message's name for good. */
export interface OutgoingMessage {
  readonly id: string;
  readonly text: string;
  readonly images: readonly ImageData[];
  readonly from?: AgentSender;
  /** now: ends the reply that runs and is read at once. */
  readonly priority?: "now";
}

/** Ids as the agent's own menus name them; null leaves the choice to the program. */
export interface AgentSettings {
  readonly model: string | null;
  readonly effort: string | null;
  readonly permissionMode: string;
}

export interface AgentModel {
  readonly id: string;
  readonly label: string;
  /** Other names for it, such as the full name behind an alias. */
  readonly aliases: readonly string[];
  readonly efforts: readonly string[];
}

export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  readonly args?: string;
}

/** What an agent offers in a folder with a profile. */
export interface AgentOptions {
  /** The first is the program's own choice. */
  readonly models: readonly AgentModel[];
  /** The strictest first. */
  readonly modes: readonly { id: string; label: string; dangerous?: boolean }[];
  readonly commands: readonly AgentCommand[];
  /** The account, as one line without secrets. */
  readonly account?: string;
  /** What is wrong with the account, and what to do. */
  readonly problem?: string;
}

/** The person's answer to a request. */
export type RequestAnswer =
  | { decision: "allow"; updatedInput?: Record<string, unknown>; always: readonly number[] }
  | { decision: "deny"; message?: string; stop: boolean };

/** How a turn ended. */
export interface TurnEnd {
  readonly result: "done" | "interrupted" | "error";
  readonly usage?: { inputTokens: number; outputTokens: number };
  readonly costUsd?: number;
  /** In plain words, with what to do. */
  readonly error?: { message: string; kind: string };
}

/** A request as the driver has it: `input` whole, however large. */
export type AgentRequest = Omit<PermissionRequest, "at">;

/** A tool's call, whole; the engine clips what pages show. */
export interface AgentToolCall extends Omit<Partial<ViewToolCall>, "result"> {
  readonly toolUseId: string;
  readonly result?: { text: string; images: readonly ImageData[] };
}

export type PanelChange = Partial<Pick<ChatPanel, "todos" | "plan" | "context" | "usage" | "extensions">>;

/** What a program tells. `parent` is the tool call or task whose subagent speaks. */
export type DriverEvent =
  | { type: "session"; sessionId: string }
  | { type: "turn-started"; at?: number }
  | { type: "turn-ended"; end: TurnEnd }
  /** The agent has read the message. */
  | { type: "taken"; messageId: string }
  /** The program dropped the message without reading it. */
  | { type: "refused"; messageId: string; why: string }
  /** Puts an item by its key: the first time at the end. */
  | { type: "item"; item: ViewItem }
  /** A text or thinking block, whole so far; long ones become several items. */
  | { type: "text"; kind: "text" | "thinking"; key: string; text: string; streaming: boolean; at?: number }
  | { type: "tool"; call: AgentToolCall; parent?: string; show: boolean }
  | { type: "agent-item"; parent: string; item: AssistantItem }
  | { type: "task"; task: ViewTask }
  | { type: "request"; request: AgentRequest }
  /** The request is gone: answered elsewhere, or its turn ended. */
  | { type: "request-gone"; requestId: string }
  | { type: "settings"; settings: Partial<AgentSettings> }
  | { type: "options"; options: AgentOptions }
  | { type: "panel"; panel: PanelChange }
  | { type: "file-changed"; path: string; added: number; removed: number }
  | { type: "title"; title: string }
  /** The program ended without being asked to. */
  | { type: "exited"; why: string };

/** The program behind one chat, from its start to its end. */
export interface AgentSession {
  /** Ready for messages; rejects with a sentence for the user. */
  start(): Promise<void>;
  /** Handed to the program; `taken` follows when the agent reads it. */
  send(message: OutgoingMessage): Promise<void>;
  /** Ends the running turn; no-op without one. */
  interrupt(): Promise<void>;
  /** Resolves when the agent took the answer; rejects when the request is gone. */
  answer(requestId: string, answer: RequestAnswer): Promise<void>;
  configure(settings: Partial<AgentSettings>): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  rename(title: string): Promise<void>;
  /** The agent's own way to shorten its memory, and to start over. */
  compact(instructions: string): Promise<void>;
  /** Background work that would be lost if the program ended. */
  busy(): boolean;
  /** Ends the program; idempotent, safe mid-start. */
  close(): Promise<void>;
}

export interface AgentProfile {
  readonly id: string;
  readonly name: string;
  readonly agent: "claude" | "codex";
  readonly driver: "claude" | "codex" | "phi";
  readonly configDir?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

/** What a session is opened with. */
export interface SessionSpec {
  readonly tabId: string;
  readonly workspaceId: string;
  readonly cwd: string;
  readonly profile: AgentProfile;
  readonly settings: AgentSettings;
  readonly title?: string;
  /** The session to go on with; a new one otherwise. */
  readonly sessionId?: string;
  /** What the tab's programs get in their environment (NEXUS_SOCKET and the like). */
  readonly tabEnv: Readonly<Record<string, string>>;
  /** Modes that the owner allows here although they are dangerous. */
  readonly dangerousModes: readonly string[];
  readonly emit: (event: DriverEvent) => void;
}

/** A piece of a past chat, in its order. */
export type PastEvent = Extract<
  DriverEvent,
  { type: "item" | "text" | "tool" | "agent-item" | "task" | "panel" | "file-changed" | "title" }
>;

export interface PastChat {
  readonly events: AsyncIterable<PastEvent> | Iterable<PastEvent>;
  /** Bytes of its log that lie before the first event. */
  readonly skippedBytes: number;
  /** Where reading ended, to go on from later. */
  readonly cursor: number;
  readonly title?: string;
}

export interface PastEntry {
  readonly sessionId: string;
  readonly title: string;
  readonly at: number;
  readonly bytes?: number;
  readonly cwd?: string;
  readonly profile?: string;
}

/** Where a past chat is: the profile and folder that it ran with. */
export interface PastPlace {
  readonly profile: AgentProfile;
  readonly cwd: string;
}

/** What stands in the way of a folder's own settings. */
export interface FolderTrust {
  readonly trusted: boolean;
  /** What would run, one line each; empty when the folder brings nothing. */
  readonly wouldRun: readonly string[];
}

/** One kind of agent. */
export interface AgentDriver {
  open(spec: SessionSpec): AgentSession;
  /** The options without a chat's own program; cached by the driver. */
  options(profile: AgentProfile, cwd: string): Promise<AgentOptions>;
  /** Settings that a new chat starts with. */
  defaults(profile: AgentProfile): AgentSettings;
  /** Past chats of the folder and what lies under it, latest first. */
  history(
    profile: AgentProfile,
    folder: string,
    o: { query?: string; limit: number; signal?: AbortSignal },
  ): Promise<PastEntry[]>;
  /** Where a session of that folder lies; undefined when it is not that folder's. */
  findPast(profile: AgentProfile, folder: string, sessionId: string): Promise<PastPlace | undefined>;
  /** A past chat's items, or those past `cursor`. */
  readPast(place: PastPlace, sessionId: string, cursor?: number): Promise<PastChat>;
  /** How far the session's log reaches now, for readPast. */
  position(place: PastPlace, sessionId: string | undefined): Promise<number | undefined>;
  /** A past tool call's whole result and images; undefined when its log is gone. */
  recall(place: PastPlace, sessionId: string, toolUseId: string): Promise<RecalledTool | undefined>;
  /** The images of a past user message. */
  recallMessage(place: PastPlace, sessionId: string, key: string): Promise<readonly ImageData[] | undefined>;
  /** Whether a message reached the agent although nobody saw it being taken. */
  wasTaken(place: PastPlace, sessionId: string, messageId: string): Promise<boolean>;
  trust(profile: AgentProfile, cwd: string): Promise<FolderTrust>;
  /** Values that no answer, log or state file may hold. */
  secrets(profile: AgentProfile): readonly string[];
  close(): Promise<void>;
}

export interface RecalledTool {
  readonly text: string;
  readonly images: readonly ImageData[];
}
