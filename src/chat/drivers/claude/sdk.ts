/**
 * The part of @anthropic-ai/claude-agent-sdk that this driver uses, as far as it
 * was measured; the package itself is loaded at run time, because its program
 * takes 384 MB and stays out of this package's install. Fields of messages are
 * optional on purpose: programs of other versions leave some out.
 */
import type { ChildProcess } from "node:child_process";
import { pathToFileURL } from "node:url";

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly source?: { readonly type?: string; readonly media_type?: string; readonly data?: string };
}

export interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly session_id?: string;
  readonly parent_tool_use_id?: string | null;
  readonly timestamp?: string;
  readonly message?: {
    readonly id?: string;
    readonly role?: string;
    readonly model?: string;
    readonly content?: string | readonly ContentBlock[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  readonly [field: string]: unknown;
}

export interface SdkUserMessage {
  readonly type: "user";
  readonly uuid: string;
  readonly parent_tool_use_id: null;
  readonly message: { readonly role: "user"; readonly content: string | readonly object[] };
  readonly priority?: "now";
}

export type PermissionResult =
  | { behavior: "allow"; updatedInput: Record<string, unknown>; updatedPermissions?: readonly unknown[] }
  | { behavior: "deny"; message: string; interrupt?: boolean };

export interface PermissionContext {
  readonly signal: AbortSignal;
  readonly suggestions?: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly suppressAlwaysAllowRule?: boolean;
  readonly toolUseID?: string;
  readonly agentID?: string;
  readonly requestId?: string;
}

export interface PermissionUpdate {
  readonly type: string;
  readonly rules?: readonly { readonly toolName: string; readonly ruleContent?: string }[];
  readonly behavior?: string;
  readonly directories?: readonly string[];
  readonly mode?: string;
  readonly destination?: string;
}

export interface InitializationResult {
  readonly models?: readonly {
    readonly value: string;
    readonly resolvedModel?: string;
    readonly displayName?: string;
    readonly supportedEffortLevels?: readonly string[];
  }[];
  readonly commands?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly argumentHint?: string;
  }[];
  readonly account?: Readonly<Record<string, unknown>>;
}

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SdkOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pathToClaudeCodeExecutable: string;
  readonly spawnClaudeCodeProcess: (request: SpawnRequest) => ChildProcess;
  readonly permissionMode: string;
  readonly allowDangerouslySkipPermissions: boolean;
  readonly canUseTool: (
    tool: string,
    input: Record<string, unknown>,
    context: PermissionContext,
  ) => Promise<PermissionResult>;
  readonly settingSources: readonly string[];
  readonly systemPrompt: { readonly type: "preset"; readonly preset: "claude_code" };
  readonly includePartialMessages: true;
  readonly perTaskStopAffordance: true;
  readonly forwardSubagentText: true;
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly resume?: string;
  readonly sessionId?: string;
  readonly title?: string;
}

export interface SdkQuery extends AsyncIterable<SdkMessage> {
  initializationResult(): Promise<InitializationResult>;
  interrupt(): Promise<unknown>;
  setModel(model: string | undefined): Promise<unknown>;
  setPermissionMode(mode: string): Promise<{ mode?: string } | undefined>;
  applyFlagSettings?(settings: { effortLevel: string | null }): Promise<unknown>;
  stopTask?(taskId: string): Promise<unknown>;
  renameSession?(title: string): Promise<unknown>;
  getContextUsage?(o: { detail: "summary" }): Promise<{ totalTokens?: number; maxTokens?: number }>;
  close(): void;
}

export interface Sdk {
  query(o: { prompt: AsyncIterable<SdkUserMessage>; options: SdkOptions }): SdkQuery;
}

const loaded = new Map<string, Promise<Sdk>>();

/** Loads the SDK's module once; rejects when the file is no such module. */
export function loadSdk(file: string): Promise<Sdk> {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const loading = import(pathToFileURL(file).href).then((module: Partial<Sdk>) => {
    if (typeof module.query !== "function") throw new Error("The module has no query()");
    return module as Sdk;
  });
  loaded.set(file, loading);
  loading.catch(() => loaded.delete(file)); // it may be installed later
  return loading;
}
