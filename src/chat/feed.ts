/**
 * A chat as its watchers take it: a page now, and what changed since a version.
 * A watcher sees the items from `start` on, with the calls, tasks and subagents
 * that these name, and every task that still runs.
 */
import type { ChatPage } from "../protocol/rpc.js";
import type { ChatPanel, ChatStatus } from "../protocol/view.js";
import type { ChatDelta, ChatItems } from "./items.js";

export interface ChatFeed {
  /** Grows with every change. */
  readonly cursor: number;
  readonly statusCursor: number;
  snapshot(limit: number, before?: number): ChatPage & { panel: ChatPanel; cursor: number };
  /** Undefined when nothing changed for a watcher whose window begins at `start`. */
  since(cursor: number, start: number): ChatDelta | undefined;
  /** Within `budget` bytes of JSON: what goes first is in fit.ts. */
  fitPage<T extends ChatPage>(page: T, budget: number): T;
  split(delta: ChatDelta, budget: number): ChatDelta[];
  /** Called after each change, at most once a turn of the event loop. */
  onChange(listener: () => void): () => void;
}

/** The items before `before` (the end when absent), at most `limit`, with all that they name. */
export function pageOf(items: ChatItems, status: ChatStatus, limit: number, before?: number): ChatPage {
  const total = items.total;
  const end = Math.min(before ?? total, total);
  const start = Math.max(0, end - limit);
  const page: ChatPage = {
    status,
    start,
    total,
    items: items.items.slice(start, end),
    tools: {},
    tasks: {},
    agentItems: {},
  };
  for (const item of page.items) if (item.kind === "tool") addTool(items, page, item.toolUseId);
  for (const task of items.tasks.values()) if (task.state === "running") addTask(items, page, task.taskId);
  return page;
}

function addTool(items: ChatItems, page: ChatPage, id: string): void {
  if (Object.hasOwn(page.tools, id)) return;
  const call = items.tools.get(id);
  if (call !== undefined) page.tools[id] = call;
  if (call?.taskId !== undefined) addTask(items, page, call.taskId);
  addAgent(items, page, id);
}

function addTask(items: ChatItems, page: ChatPage, id: string): void {
  const task = items.tasks.get(id);
  if (task === undefined || Object.hasOwn(page.tasks, id)) return;
  page.tasks[id] = task;
  addAgent(items, page, id);
}

function addAgent(items: ChatItems, page: ChatPage, id: string): void {
  const list = items.agentItems.get(id);
  if (list === undefined || Object.hasOwn(page.agentItems, id)) return;
  page.agentItems[id] = list;
  for (const item of list) if (item.kind === "tool") addTool(items, page, item.toolUseId);
}

/** What a watcher at `cursor` with a window from `start` has not seen. */
export function deltaOf(
  items: ChatItems,
  status: () => ChatStatus,
  cursor: number,
  start: number,
): ChatDelta | undefined {
  items.settle();
  const changes = items.changes.since(cursor);
  if (changes === undefined) return wholeDelta(items, status(), start);
  const delta = emptyDelta(items);
  const cuts = changes.flatMap((change) => (change.kind === "cut" ? [Number(change.id)] : []));
  if (cuts.length > 0) delta.cutTo = Math.min(...cuts);
  const from = Math.min(start, ...cuts);
  let seen = cuts.length > 0;
  for (const { kind, id } of changes)
    seen = addChange(items, delta, { kind, id, start: from }, status) || seen;
  delta.items.sort((a, b) => a.index - b.index);
  return seen ? delta : undefined;
}

const emptyDelta = (items: ChatItems): ChatDelta => ({
  cursor: items.version,
  total: items.items.length,
  items: [],
  tools: {},
  tasks: {},
  agentItems: {},
});

type Told = { kind: string; id: string; start: number };

/** True when the change belongs to the watcher's window. */
function addChange(items: ChatItems, delta: ChatDelta, told: Told, status: () => ChatStatus): boolean {
  const { kind, id, start } = told;
  const visible = (items.homeOf(id) ?? -1) >= Math.min(start, items.items.length);
  if (kind === "status") {
    delta.status = status();
    return true;
  }
  if (kind === "panel") {
    delta.panel = items.panel;
    return true;
  }
  if (kind === "cut") return true;
  if (kind === "item") return addItem(items, delta, Number(id), start);
  if (kind === "tool") return visible && put(delta.tools, id, items.tools.get(id));
  if (kind === "task") return put(delta.tasks, id, items.tasks.get(id));
  return (visible || items.tasks.has(id)) && put(delta.agentItems, id, items.agentItems.get(id));
}

function addItem(items: ChatItems, delta: ChatDelta, index: number, start: number): boolean {
  const item = items.items[index];
  if (item === undefined || index < start) return false;
  delta.items.push({ index, item });
  return true;
}

function put<T>(record: Record<string, T>, id: string, value: T | undefined): boolean {
  if (value === undefined) return false;
  record[id] = value;
  return true;
}

/** For a watcher so far behind that single changes are forgotten: its whole window again. */
function wholeDelta(items: ChatItems, status: ChatStatus, start: number): ChatDelta {
  const page = pageOf(items, status, Math.max(0, items.items.length - start));
  return {
    cursor: items.version,
    status,
    total: page.total,
    items: page.items.map((item, at) => ({ index: page.start + at, item })),
    tools: page.tools,
    tasks: page.tasks,
    agentItems: page.agentItems,
    panel: items.panel,
  };
}
