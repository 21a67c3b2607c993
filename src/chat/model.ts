/**
 * A chat's shown state: applies what the agent's program tells to the items, and
 * says where the chat stands.
 */
import type { AgentSender, ChatStatus, PermissionRequest, ViewItem } from "../protocol/view.js";
import type { Blobs } from "./blobs.js";
import { hasEnded, mergeCall } from "./calls.js";
import type { AgentOptions, AgentSettings, DriverEvent, TurnEnd } from "./driver.js";
import { viewImage } from "./images.js";
import { ChatItems } from "./items.js";
import {
  MAX_PANEL_AGENTS,
  MAX_PANEL_FILES,
  MAX_PANEL_TODOS,
  PANEL_PLAN_CHARS,
  PANEL_TEXT_CHARS,
  SHOWN_RESULT_CHARS,
  TASK_OUTPUT_CHARS,
  TITLE_CHARS,
} from "./limits.js";
import { Requests } from "./requests.js";
import { clip, oneLine, tail, wellFormed } from "./text.js";

/** A user's text as pages show it; the agent gets it whole. */
const SHOWN_USER_CHARS = 64 * 1024;

/** A notice, an unknown record, a compaction's summary. */
const SHOWN_NOTE_CHARS = 16 * 1024;

export interface ModelDeps {
  readonly blobs: Blobs;
  readonly now: () => number;
  /** Takes what may not be shown out of a text. */
  readonly scrub: (event: DriverEvent) => DriverEvent;
  readonly blobFailed: (error: unknown) => void;
}

export class ChatModel {
  readonly items = new ChatItems();
  readonly requests: Requests;
  settings: AgentSettings;
  options: AgentOptions | undefined;
  turn: { startedAt: number; from?: AgentSender } | undefined;
  error: { message: string; kind: string } | undefined;
  queued = 0;
  starting = false;
  closed = false;
  /** What the owner is asked about this chat: agents of other devices that want something of it. */
  consents: readonly PermissionRequest[] = [];
  readonly #deps: ModelDeps;
  #since: number;
  #state: ChatStatus["state"] = "idle";
  #serial = 0;

  constructor(
    o: { settings: AgentSettings; since: number; lostRequests: readonly string[] },
    deps: ModelDeps,
  ) {
    this.settings = o.settings;
    this.#since = o.since;
    this.requests = new Requests(o.lostRequests);
    this.#deps = deps;
  }

  get state(): ChatStatus["state"] {
    if (this.closed) return "closed";
    if (this.requests.size > 0) return "asking";
    if (this.starting && this.turn === undefined) return "starting";
    if (this.turn !== undefined || this.queued > 0) return "working";
    return this.error === undefined ? "idle" : "error";
  }

  status(): ChatStatus {
    return {
      state: this.state,
      since: this.#since,
      requests: this.#allRequests(),
      queued: this.queued,
      ...this.settings,
      ...(this.turn === undefined ? {} : { turn: this.turn }),
      ...(this.error === undefined ? {} : { error: this.error }),
    };
  }

  /** Those of the agent and those about it, oldest first. */
  #allRequests(): PermissionRequest[] {
    const own = this.requests.shown();
    if (this.consents.length === 0) return own;
    return [...own, ...this.consents].sort((a, b) => a.at - b.at);
  }

  /** To be called after anything that status() tells changed. */
  statusChanged(): void {
    const { state } = this;
    if (state !== this.#state) {
      this.#state = state;
      this.#since = this.#deps.now();
    }
    this.items.touchStatus();
  }

  notice(level: "info" | "warn" | "error", text: string, key = this.#key("notice")): void {
    this.items.put({
      kind: "notice",
      key,
      at: this.#deps.now(),
      level,
      text: clip(wellFormed(text), SHOWN_NOTE_CHARS),
    });
  }

  /** Who of the agents wrote to this chat. */
  noteAgent(from: AgentSender, device: string): void {
    const name = from.name ?? from.agent ?? from.kind;
    const others = this.items.panel.agents.filter((known) => known.name !== name || known.device !== device);
    const agents = [...others, { name, device, at: this.#deps.now() }].slice(-MAX_PANEL_AGENTS);
    this.items.putPanel({ agents });
  }

  apply(raw: DriverEvent): void {
    const event = this.#deps.scrub(raw);
    switch (event.type) {
      case "item":
        this.items.put(clipItem(event.item));
        break;
      case "text":
        this.#putText(event);
        break;
      case "tool":
        this.#putTool(event);
        break;
      case "agent-item":
        this.items.putAgentItem(event.parent, event.item);
        break;
      case "task":
        this.#putTask(event);
        break;
      case "turn-started":
        this.startTurn(event.at);
        break;
      case "turn-ended":
        this.endTurn(event.end);
        break;
      case "request":
        this.#ask(event);
        break;
      case "request-gone":
        this.settleRequest(event.requestId, "it was answered at the agent, or its turn ended");
        break;
      case "settings":
        this.settings = { ...this.settings, ...event.settings };
        this.statusChanged();
        break;
      case "options":
        this.options = event.options;
        break;
      case "panel":
        this.#putPanel(event);
        break;
      case "file-changed":
        this.#countFile(event);
        break;
      case "session":
      case "taken":
      case "refused":
      case "title":
      case "exited":
        break; // the chat's own business
    }
  }

  startTurn(at?: number, from?: AgentSender): void {
    if (this.turn !== undefined) return;
    this.turn = { startedAt: at ?? this.#deps.now(), ...(from === undefined ? {} : { from }) };
    this.error = undefined;
    this.statusChanged();
  }

  /** Ends the turn that runs; what it left open is shown as cut off. */
  endTurn(end: TurnEnd): void {
    const { turn } = this;
    this.turn = undefined;
    this.error =
      end.error === undefined ? undefined : { ...end.error, message: clip(end.error.message, 1000) };
    this.#closeOpen();
    if (turn !== undefined) this.#putTurn(turn.startedAt, end);
    this.statusChanged();
  }

  /** Removes a request from every device; its tool goes on. */
  settleRequest(requestId: string, how: string): void {
    const toolUseId = this.requests.toolOf(requestId);
    if (!this.requests.settle(requestId, how)) return;
    const call = toolUseId === undefined ? undefined : this.items.tools.get(toolUseId);
    if (call?.state === "asking") this.items.putTool({ ...call, state: "running" });
    this.statusChanged();
  }

  /** The program is gone: nothing runs any more. */
  closeAll(how: string): void {
    for (const id of this.requests.ids()) this.settleRequest(id, how);
    this.#closeOpen();
    for (const task of this.items.tasks.values()) {
      if (task.state !== "running") continue;
      this.items.putTask({ ...task, state: "stopped", endedAt: this.#deps.now(), stoppable: false });
    }
    this.statusChanged();
  }

  #closeOpen(): void {
    this.items.endStreams();
    for (const call of this.items.tools.values()) {
      if (hasEnded(call) || this.items.runsOn(call.toolUseId)) continue;
      if (this.items.homeOf(call.toolUseId) === undefined && call.state === "pending") continue;
      this.items.putTool({ ...call, state: "interrupted", endedAt: this.#deps.now() });
    }
  }

  #putTurn(startedAt: number, end: TurnEnd): void {
    const now = this.#deps.now();
    this.items.put({
      kind: "turn",
      key: this.#key("turn"),
      at: now,
      durationMs: Math.max(0, now - startedAt),
      result: end.result,
      ...(end.usage === undefined ? {} : { usage: end.usage }),
      ...(end.costUsd === undefined ? {} : { costUsd: Math.max(0, end.costUsd) }),
    });
  }

  #putText(event: Extract<DriverEvent, { type: "text" }>): void {
    if (event.text === "") return;
    const at = event.at ?? this.#deps.now();
    this.items.putText(event.kind, event.key, event.text, { streaming: event.streaming, at });
  }

  #putTool(event: Extract<DriverEvent, { type: "tool" }>): void {
    const { call, parent } = event;
    const at = call.startedAt ?? this.#deps.now();
    const merged = mergeCall(this.items.tools.get(call.toolUseId), call, this.#deps.now());
    this.items.putTool(merged);
    if (call.result !== undefined) this.#keep(call.toolUseId, call.result);
    if (!event.show) return;
    const item = { kind: "tool", key: call.toolUseId, at, toolUseId: call.toolUseId } as const;
    if (parent !== undefined) this.items.putAgentItem(parent, item);
    else if (!this.items.has(item.key)) this.items.put(item);
  }

  #keep(
    owner: string,
    result: { text: string; images: readonly { mediaType: string; data: Buffer }[] },
  ): void {
    const { blobs, blobFailed } = this.#deps;
    if (result.text.length > SHOWN_RESULT_CHARS) blobs.putText(owner, result.text).catch(blobFailed);
    for (const [index, image] of result.images.entries())
      blobs.putImage(owner, index, image).catch(blobFailed);
  }

  #putTask({ task }: Extract<DriverEvent, { type: "task" }>): void {
    this.items.putTask({
      ...task,
      title: oneLine(task.title, TITLE_CHARS),
      ...(task.output === undefined ? {} : { output: tail(wellFormed(task.output), TASK_OUTPUT_CHARS) }),
    });
    const call = task.toolUseId === undefined ? undefined : this.items.tools.get(task.toolUseId);
    if (call !== undefined && call.taskId !== task.taskId)
      this.items.putTool({ ...call, taskId: task.taskId });
  }

  #ask({ request }: Extract<DriverEvent, { type: "request" }>): void {
    if (!this.requests.add(request, this.#deps.now())) return;
    const call = request.toolUseId === undefined ? undefined : this.items.tools.get(request.toolUseId);
    if (call !== undefined && !hasEnded(call)) this.items.putTool({ ...call, state: "asking" });
    this.statusChanged();
  }

  #putPanel({ panel }: Extract<DriverEvent, { type: "panel" }>): void {
    const { todos, plan, ...rest } = panel;
    this.items.putPanel({
      ...rest,
      ...(todos === undefined
        ? {}
        : {
            todos: todos
              .slice(0, MAX_PANEL_TODOS)
              .map(({ text, state }) => ({ text: clip(wellFormed(text), PANEL_TEXT_CHARS), state })),
          }),
      ...(plan === undefined
        ? {}
        : { plan: { ...plan, text: clip(wellFormed(plan.text), PANEL_PLAN_CHARS) } }),
    });
  }

  #countFile(event: Extract<DriverEvent, { type: "file-changed" }>): void {
    const { files } = this.items.panel;
    const known = files.find((file) => file.path === event.path);
    const next = {
      path: event.path,
      added: (known?.added ?? 0) + event.added,
      removed: (known?.removed ?? 0) + event.removed,
    };
    this.items.putPanel({
      files: [...files.filter((file) => file.path !== event.path), next].slice(-MAX_PANEL_FILES),
    });
  }

  #key(kind: string): string {
    this.#serial += 1;
    return `${kind}-${this.#deps.now().toString(36)}-${this.#serial}`;
  }
}

/** A user's message as an item; the images' bytes go to the blobs. */
export function userItem(o: {
  id: string;
  text: string;
  at: number;
  from?: AgentSender | undefined;
  images: readonly { mediaType: string; data: Buffer }[];
}): Extract<ViewItem, { kind: "user" }> {
  return {
    kind: "user",
    key: o.id,
    at: o.at,
    text: clip(wellFormed(o.text), SHOWN_USER_CHARS),
    images: o.images.map((image) => viewImage(image.mediaType, image.data)),
    state: "queued",
    ...(o.from === undefined ? {} : { from: o.from }),
  };
}

function clipItem(item: ViewItem): ViewItem {
  switch (item.kind) {
    case "user":
      return { ...item, text: clip(wellFormed(item.text), SHOWN_USER_CHARS) };
    case "notice":
    case "unknown":
      return { ...item, text: clip(wellFormed(item.text), SHOWN_NOTE_CHARS) };
    case "compacted":
      return item.summary === undefined
        ? item
        : { ...item, summary: clip(wellFormed(item.summary), SHOWN_NOTE_CHARS) };
    case "text":
    case "thinking":
    case "tool":
    case "turn":
      return item;
  }
}
