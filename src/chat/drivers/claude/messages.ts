/**
 * The live messages of Claude Code's program as a chat's events. A turn begins
 * and ends with the program's own state, not with its results: a result only
 * tells how it went. Messages of a kind that is not known are passed over.
 */

import type { ViewTask } from "../../../protocol/view.js";
import type { DriverEvent, TurnEnd } from "../../driver.js";
import { Content, textOf } from "./content.js";
import { apiFailure, type Failure } from "./failures.js";
import type { SdkMessage } from "./sdk.js";
import { recordOf } from "./tools.js";

interface Stream {
  messageId: string;
  /** Text blocks that grow, by their index. */
  readonly texts: Map<number, { kind: "text" | "thinking"; text: string }>;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number => (typeof value === "number" ? value : 0);

const TASK_STATES: Readonly<Record<string, ViewTask["state"]>> = {
  completed: "done",
  failed: "failed",
  stopped: "stopped",
  killed: "stopped",
};

export class Messages {
  readonly #emit: (event: DriverEvent) => void;
  readonly #now: () => number;
  readonly #content: Content;
  readonly #tasks = new Map<string, ViewTask>();
  #stream: Stream | undefined;
  #running = false;
  #end: TurnEnd | undefined;
  #failure: Failure | undefined;
  #costUsd = 0;

  constructor(o: { cwd: string; emit: (event: DriverEvent) => void; now: () => number }) {
    this.#emit = o.emit;
    this.#now = o.now;
    this.#content = new Content(o.cwd, o.emit);
  }

  /** A background run or a subagent goes on without a turn. */
  get busy(): boolean {
    return [...this.#tasks.values()].some((task) => task.state === "running");
  }

  handle(message: SdkMessage): void {
    const parent = message.parent_tool_use_id ?? undefined;
    switch (message.type) {
      case "stream_event":
        if (parent === undefined) this.#streamed(recordOf(message.event));
        break;
      case "assistant":
        this.#assistant(message, parent);
        break;
      case "user":
        this.#user(message, parent);
        break;
      case "result":
        this.#end = this.#endOf(message);
        break;
      case "command_lifecycle":
        this.#lifecycle(message);
        break;
      case "system":
        this.#system(message);
        break;
      default:
        break;
    }
  }

  #streamed(event: Record<string, unknown>): void {
    const index = number(event.index);
    const block = recordOf(event.content_block);
    const delta = recordOf(event.delta);
    if (event.type === "message_start") {
      const messageId = text(recordOf(event.message).id) ?? "";
      this.#stream = { messageId, texts: new Map() };
    } else if (event.type === "message_stop") {
      this.#stream = undefined;
    } else if (event.type === "content_block_start") {
      if (block.type === "text" || block.type === "thinking") {
        this.#stream?.texts.set(index, { kind: block.type, text: "" });
      }
    } else if (event.type === "content_block_delta") {
      this.#grow(index, text(delta.text) ?? text(delta.thinking) ?? "");
    } else if (event.type === "content_block_stop") {
      this.#stream?.texts.delete(index);
    }
  }

  #grow(index: number, more: string): void {
    const growing = this.#stream?.texts.get(index);
    if (this.#stream === undefined || growing === undefined || more === "") return;
    growing.text += more;
    const key = this.#content.key(this.#stream.messageId, index);
    this.#emit({ type: "text", kind: growing.kind, key, text: growing.text, streaming: true });
  }

  #assistant(message: SdkMessage, parent: string | undefined): void {
    const at = timeOf(message, this.#now);
    const error = text(message.error);
    if (error === undefined && message.is_api_error_message !== true) {
      this.#content.assistant(message, { at, parent });
      return;
    }
    const status = typeof message.api_error_status === "number" ? message.api_error_status : undefined;
    const failure = apiFailure({ status, error, text: textOf(message) });
    if (parent === undefined) this.#failure = failure;
    const key = message.uuid ?? `error-${at}`;
    if (parent === undefined) {
      this.#emit({ type: "item", item: { kind: "notice", key, at, level: "error", text: failure.message } });
    } else {
      this.#emit({ type: "agent-item", parent, item: { kind: "text", key, at, text: failure.message } });
    }
  }

  #user(message: SdkMessage, parent: string | undefined): void {
    if (message.isReplay === true) return;
    const at = timeOf(message, this.#now);
    if (this.#content.results(message, { at, parent })) return;
    const summary = message.isSynthetic === true ? textOf(message) : "";
    if (parent !== undefined || !summary.startsWith("This session is being continued")) return;
    this.#emit({
      type: "item",
      item: { kind: "compacted", key: message.uuid ?? `compacted-${at}`, at, summary },
    });
  }

  #lifecycle(message: SdkMessage): void {
    const messageId = text(message.command_uuid);
    if (messageId === undefined || message.state !== "started") return;
    if (this.#end !== undefined && this.#running) {
      this.#endTurn();
      this.#startTurn();
    }
    this.#emit({ type: "taken", messageId });
  }

  #system(message: SdkMessage): void {
    switch (message.subtype) {
      case "init":
        if (message.session_id !== undefined) this.#emit({ type: "session", sessionId: message.session_id });
        this.#settings(message);
        break;
      case "session_state_changed":
        this.#stateChanged(text(message.state));
        break;
      case "status":
        this.#settings(message);
        if (message.compact_result === "failed")
          this.#note("warn", text(message.compact_error) ?? "Shortening failed");
        break;
      case "session_title_changed":
        if (text(message.title) !== undefined)
          this.#emit({ type: "title", title: text(message.title) ?? "" });
        break;
      case "api_retry":
        this.#retried(message);
        break;
      case "compact_boundary":
        this.#compacted(message);
        break;
      case "notification":
        if (message.priority === "high") this.#note("info", text(message.text) ?? "");
        break;
      default:
        this.#task(message);
    }
  }

  #settings(message: SdkMessage): void {
    const mode = text(message.permissionMode);
    if (mode !== undefined) this.#emit({ type: "settings", settings: { permissionMode: mode } });
  }

  #stateChanged(state: string | undefined): void {
    if (state === "running" || state === "requires_action") this.#startTurn();
    else if (state === "idle" && this.#running) this.#endTurn();
  }

  #startTurn(): void {
    if (this.#running) return;
    this.#running = true;
    this.#end = undefined;
    this.#failure = undefined;
    this.#emit({ type: "turn-started" });
  }

  #endTurn(): void {
    this.#running = false;
    this.#stream = undefined;
    this.#emit({ type: "turn-ended", end: this.#end ?? { result: "done" } });
    this.#end = undefined;
  }

  /** `success` is not success: what tells is is_error and terminal_reason. */
  #endOf(message: SdkMessage): TurnEnd {
    const usage = recordOf(message.usage);
    const total = number(message.total_cost_usd);
    const costUsd = Math.max(0, total - this.#costUsd);
    this.#costUsd = total;
    const known = {
      costUsd,
      usage: { inputTokens: inputTokens(usage), outputTokens: number(usage.output_tokens) },
    };
    this.#tellUsage(message, known.usage, total);
    const reason = text(message.terminal_reason) ?? "";
    if (reason.startsWith("aborted")) return { ...known, result: "interrupted" };
    if (message.is_error !== true) return { ...known, result: "done" };
    const said = text(message.result) ?? "";
    const error = this.#failure ?? {
      kind: "api",
      message: said === "" ? "The turn failed; send the message again" : said,
    };
    return { ...known, result: "error", error };
  }

  #tellUsage(
    message: SdkMessage,
    usage: { inputTokens: number; outputTokens: number },
    costUsd: number,
  ): void {
    const models = Object.values(recordOf(message.modelUsage)).map(recordOf);
    const max = Math.max(0, ...models.map((model) => number(model.contextWindow)));
    const sum = (field: string): number => models.reduce((all, model) => all + number(model[field]), 0);
    const inputs = sum("inputTokens") + sum("cacheReadInputTokens") + sum("cacheCreationInputTokens");
    this.#emit({
      type: "panel",
      panel: {
        usage: { inputTokens: inputs, outputTokens: sum("outputTokens"), costUsd },
        ...(max > 0 ? { context: { used: Math.min(max, usage.inputTokens + usage.outputTokens), max } } : {}),
      },
    });
  }

  #retried(message: SdkMessage): void {
    const { attempt, max_retries: max, error_status: status } = message;
    const why = apiFailure({
      status: typeof status === "number" ? status : undefined,
      error: text(message.error),
      text: typeof status === "number" ? "" : "connection",
    });
    const key = `retry-${message.uuid ?? this.#now()}`;
    const said = `${why.message.split(":", 1)[0]}; trying again (${number(attempt)} of ${number(max)})`;
    this.#emit({ type: "item", item: { kind: "notice", key, at: this.#now(), level: "warn", text: said } });
  }

  #compacted(message: SdkMessage): void {
    const at = timeOf(message, this.#now);
    this.#emit({ type: "item", item: { kind: "compacted", key: message.uuid ?? `compacted-${at}`, at } });
  }

  #note(level: "info" | "warn", said: string): void {
    if (said === "") return;
    const at = this.#now();
    this.#emit({
      type: "item",
      item: { kind: "notice", key: `note-${at}-${said.length}`, at, level, text: said },
    });
  }

  #task(message: SdkMessage): void {
    const taskId = text(message.task_id);
    if (taskId === undefined) return;
    const known = this.#tasks.get(taskId);
    if (message.subtype === "task_started") this.#taskStarted(taskId, message);
    else if (known === undefined) return;
    else if (message.subtype === "task_updated")
      this.#taskUpdated(known, recordOf(message.patch).status, undefined);
    else if (message.subtype === "task_notification") {
      this.#taskUpdated(known, message.status, text(message.summary));
    } else if (message.subtype === "task_progress") {
      this.#putTask({ ...known, output: text(message.description) ?? known.output ?? "" });
    }
  }

  #taskStarted(taskId: string, message: SdkMessage): void {
    const isAgent = message.task_type === "local_agent";
    const toolUseId = text(message.tool_use_id);
    this.#putTask({
      taskId,
      kind: isAgent ? "subagent" : message.is_backgrounded === true ? "background" : "shell",
      title: text(message.description) ?? taskId,
      state: "running",
      startedAt: this.#now(),
      stoppable: true,
      ...(toolUseId === undefined ? {} : { toolUseId }),
    });
  }

  #taskUpdated(known: ViewTask, status: unknown, output: string | undefined): void {
    const state = TASK_STATES[String(status)] ?? known.state;
    const ended = state !== "running";
    this.#putTask({
      ...known,
      state,
      stoppable: !ended,
      ...(ended && known.endedAt === undefined ? { endedAt: this.#now() } : {}),
      ...(output === undefined ? {} : { output }),
    });
  }

  #putTask(task: ViewTask): void {
    this.#tasks.set(task.taskId, task);
    this.#emit({ type: "task", task });
  }
}

function inputTokens(usage: Record<string, unknown>): number {
  return (
    number(usage.input_tokens) +
    number(usage.cache_read_input_tokens) +
    number(usage.cache_creation_input_tokens)
  );
}

/** When it was said, by the program's clock. */
export function timeOf(message: SdkMessage, now: () => number): number {
  const at = Date.parse(message.timestamp ?? "");
  return Number.isNaN(at) ? now() : at;
}
