/**
 * What a chat shows: its items by index, tool calls, tasks and subagents' items
 * by id, the panel. Every change takes the next version, so that a watcher is
 * told exactly what changed since the version it has.
 */
import type {
  AssistantItem,
  ChatPanel,
  ChatStatus,
  ViewItem,
  ViewTask,
  ViewToolCall,
} from "../protocol/view.js";
import { ChangeLog } from "./changes.js";
import { AGENT_TEXT_CHARS, MAX_AGENT_ITEMS, MAX_PANEL_TASKS } from "./limits.js";
import { head, pieceEnd, wellFormed } from "./text.js";

/** What changed between two versions; `items` go to their index. */
export interface ChatDelta {
  cursor: number;
  status?: ChatStatus;
  total: number;
  /** The list was as short as this in between: what a watcher holds past it is no more. */
  cutTo?: number;
  items: { index: number; item: ViewItem }[];
  tools: Record<string, ViewToolCall>;
  tasks: Record<string, ViewTask>;
  agentItems: Record<string, AssistantItem[]>;
  panel?: ChatPanel;
}

/** A text block that still grows: `text` whole so far, `done` of it in items that are finished. */
interface Block {
  kind: "text" | "thinking";
  at: number;
  text: string;
  streaming: boolean;
  done: number;
  piece: number;
}

export const emptyPanel = (): ChatPanel => ({ todos: [], tasks: [], files: [], agents: [] });

export class ChatItems {
  readonly items: ViewItem[] = [];
  readonly tools = new Map<string, ViewToolCall>();
  readonly tasks = new Map<string, ViewTask>();
  readonly agentItems = new Map<string, AssistantItem[]>();
  readonly changes = new ChangeLog();
  panel: ChatPanel = emptyPanel();
  /** The version of the last change of the chat's status. */
  statusVersion = 0;
  readonly #indexes = new Map<string, number>();
  /** The item that a tool call belongs to, by index; a subagent's call belongs to the item that runs it. */
  readonly #homes = new Map<string, number>();
  /** Who runs a subagent's call: the call or task above it. */
  readonly #parents = new Map<string, string>();
  readonly #blocks = new Map<string, Block>();
  readonly #unsettled = new Set<string>();

  get version(): number {
    return this.changes.version;
  }

  get total(): number {
    this.settle();
    return this.items.length;
  }

  has(key: string): boolean {
    return this.#indexes.has(key) || this.#blocks.has(key);
  }

  get(key: string): ViewItem | undefined {
    const index = this.#indexes.get(key);
    return index === undefined ? undefined : this.items[index];
  }

  /** Puts an item at the end, or in the place of the one with its key. */
  put(item: ViewItem): void {
    this.settle();
    const index = this.#indexes.get(item.key) ?? this.items.length;
    this.#indexes.set(item.key, index);
    this.items[index] = item;
    this.changes.add("item", String(index));
    if (item.kind === "tool") this.#settleTool(item.toolUseId, index);
  }

  /** A block of text, whole so far. Becomes items when somebody looks. */
  putText(kind: "text" | "thinking", key: string, text: string, o: { streaming: boolean; at: number }): void {
    const block = this.#blocks.get(key);
    if (block === undefined) {
      this.settle();
      this.#blocks.set(key, { kind, at: o.at, text, streaming: o.streaming, done: 0, piece: 0 });
    } else {
      block.text = text;
      block.streaming = o.streaming;
    }
    this.#unsettled.add(key);
    this.changes.touch();
  }

  /** Turns grown blocks into items: once per look, however many words came in between. */
  settle(): void {
    if (this.#unsettled.size === 0) return;
    const keys = [...this.#unsettled];
    this.#unsettled.clear();
    for (const key of keys) {
      const block = this.#blocks.get(key);
      if (block !== undefined) this.#settleBlock(key, block);
    }
  }

  /** Whether any text block may still grow. */
  streaming(): boolean {
    return [...this.#blocks.values()].some((block) => block.streaming);
  }

  /** Ends what still streams: the texts stay as they are. */
  endStreams(): void {
    for (const [key, block] of this.#blocks) {
      if (!block.streaming) continue;
      block.streaming = false;
      this.#unsettled.add(key);
    }
    this.settle();
    this.#blocks.clear();
  }

  putTool(call: ViewToolCall): void {
    this.tools.set(call.toolUseId, call);
    this.changes.add("tool", call.toolUseId);
  }

  putTask(task: ViewTask): void {
    this.tasks.set(task.taskId, task);
    this.changes.add("task", task.taskId);
    if (this.panel.tasks.includes(task.taskId)) return;
    this.putPanel({ tasks: [...this.panel.tasks, task.taskId].slice(-MAX_PANEL_TASKS) });
  }

  putAgentItem(parent: string, item: AssistantItem): void {
    const list = this.agentItems.get(parent) ?? [];
    const clipped =
      item.kind === "tool" ? item : { ...item, text: head(wellFormed(item.text), AGENT_TEXT_CHARS) };
    const index = list.findIndex((known) => known.key === item.key);
    const next = index === -1 ? [...list, clipped] : list.with(index, clipped);
    this.agentItems.set(parent, next.slice(-MAX_AGENT_ITEMS));
    this.changes.add("agent", parent);
    const home = this.homeOf(parent);
    if (item.kind === "tool") this.#parents.set(item.toolUseId, parent);
    if (item.kind === "tool" && home !== undefined) this.#settleTool(item.toolUseId, home);
  }

  putPanel(change: Partial<ChatPanel>): void {
    this.panel = { ...this.panel, ...change };
    this.changes.add("panel", "");
  }

  touchStatus(): void {
    this.changes.add("status", "");
    this.statusVersion = this.changes.version;
  }

  /** Applies what an earlier life of this chat wrote down. */
  restore(delta: Omit<ChatDelta, "cursor" | "status">): void {
    if (delta.cutTo !== undefined) this.cut(delta.cutTo);
    for (const { index, item } of delta.items) {
      if (index > this.items.length) continue; // a hole: its line was lost with a crash
      this.items[index] = item;
      this.#indexes.set(item.key, index);
    }
    if (delta.total < this.items.length) this.cut(delta.total);
    for (const [id, call] of Object.entries(delta.tools)) this.tools.set(id, call);
    for (const [id, task] of Object.entries(delta.tasks)) this.tasks.set(id, task);
    for (const [id, list] of Object.entries(delta.agentItems)) this.agentItems.set(id, list);
    if (delta.panel !== undefined) this.panel = delta.panel;
    for (const { index, item } of delta.items) {
      if (item.kind === "tool") this.#settleTool(item.toolUseId, index);
    }
    this.changes.touch();
  }

  /** Shortens the list to `total` items, and forgets what only the others named. */
  cut(total: number): void {
    this.endStreams();
    for (const item of this.items.splice(total)) this.#indexes.delete(item.key);
    for (const [id, home] of this.#homes) {
      if (home < total) continue;
      this.#homes.delete(id);
      this.tools.delete(id);
      this.agentItems.delete(id);
    }
    this.changes.add("cut", String(total));
  }

  /** The index of the item that shows this tool call, task or subagent. */
  homeOf(id: string): number | undefined {
    const task = this.tasks.get(id);
    return (
      this.#homes.get(id) ?? (task?.toolUseId === undefined ? undefined : this.#homes.get(task.toolUseId))
    );
  }

  /** Whether a task that still runs is behind this call, or behind one above it. */
  runsOn(toolUseId: string): boolean {
    for (let id: string | undefined = toolUseId; id !== undefined; id = this.#parents.get(id)) {
      const taskId = this.tools.get(id)?.taskId ?? id;
      if (this.tasks.get(taskId)?.state === "running") return true;
    }
    return false;
  }

  #settleTool(toolUseId: string, home: number): void {
    if (this.#homes.get(toolUseId) === home) return;
    this.#homes.set(toolUseId, home);
    const call = this.tools.get(toolUseId);
    if (call !== undefined) this.changes.add("tool", toolUseId);
    if (call?.taskId !== undefined && this.tasks.has(call.taskId)) this.changes.add("task", call.taskId);
    if (call?.taskId !== undefined && this.agentItems.has(call.taskId))
      this.changes.add("agent", call.taskId);
    for (const inner of this.agentItems.get(toolUseId) ?? []) {
      if (inner.kind === "tool") this.#settleTool(inner.toolUseId, home);
    }
    if (this.agentItems.has(toolUseId)) this.changes.add("agent", toolUseId);
  }

  #settleBlock(key: string, block: Block): void {
    const rest = block.text.slice(block.done);
    const end = pieceEnd(rest);
    this.#putPiece(
      key,
      block,
      end === undefined ? rest : rest.slice(0, end),
      end === undefined && block.streaming,
    );
    if (end === undefined) {
      if (!block.streaming) this.#blocks.delete(key);
      return;
    }
    block.done += end;
    block.piece += 1;
    this.#settleBlock(key, block);
  }

  #putPiece(key: string, block: Block, text: string, streaming: boolean): void {
    const pieceKey = block.piece === 0 ? key : `${key}.${block.piece}`;
    const item: ViewItem = {
      kind: block.kind,
      key: pieceKey,
      at: block.at,
      text: wellFormed(text),
      ...(streaming ? { streaming } : {}),
    };
    const index = this.#indexes.get(pieceKey) ?? this.items.length;
    this.#indexes.set(pieceKey, index);
    this.items[index] = item;
    this.changes.add("item", String(index));
  }
}
