/**
 * Making pages and updates fit a frame. A page gives up tool results first, then
 * subagents' items, then its earliest items; an update is split and gives up
 * nothing, unless one thing alone is too large: that is clipped.
 */
import type { ChatPage } from "../protocol/rpc.js";
import type { AssistantItem, ChatPanel, ChatStatus, ViewItem, ViewToolCall } from "../protocol/view.js";
import type { ChatDelta } from "./items.js";
import { clip, clipRecord } from "./text.js";

/** The JSON's size in UTF-8. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** What a tool's result is cut to, step by step, while a page is too large. */
const RESULT_STEPS_CHARS = [4096, 1024, 200, 0] as const;

/** How many of a subagent's items stay, step by step. */
const AGENT_STEPS = [30, 5, 1, 0] as const;

/** What a single text is cut to, step by step, when its item alone is too large. */
const TEXT_STEPS_CHARS = [65_536, 16_384, 4096, 1024, 200, 20, 1] as const;

/** A page within `budget` bytes of JSON; the last item always stays. */
export function fitChatPage<T extends ChatPage>(page: T, budget: number): T {
  if (jsonBytes(page) <= budget) return page;
  let fitted: T = { ...page, status: fitStatus(page.status, Math.floor(budget / 4)) };
  for (const chars of RESULT_STEPS_CHARS) {
    fitted = { ...fitted, tools: mapRecord(fitted.tools, (call) => clipCall(call, chars)) };
    if (jsonBytes(fitted) <= budget) return fitted;
  }
  for (const count of AGENT_STEPS) {
    fitted = withoutUnnamed({
      ...fitted,
      agentItems: count === 0 ? {} : mapRecord(fitted.agentItems, (list) => lastOf(list, count)),
    });
    if (jsonBytes(fitted) <= budget) return fitted;
  }
  return dropEarliest(fitted, budget);
}

/** Raises `start` until the rest fits: the fewest items go, found by halving. */
function dropEarliest<T extends ChatPage>(page: T, budget: number): T {
  const from = (drop: number): T =>
    withoutUnnamed({ ...page, start: page.start + drop, items: page.items.slice(drop) });
  let [low, high] = [0, Math.max(0, page.items.length - 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (jsonBytes(from(middle)) <= budget) high = middle;
    else low = middle + 1;
  }
  return clipLast(from(low), budget);
}

function clipLast<T extends ChatPage>(page: T, budget: number): T {
  let fitted = page;
  for (const chars of TEXT_STEPS_CHARS) {
    if (jsonBytes(fitted) <= budget) return fitted;
    fitted = {
      ...page,
      items: page.items.map((item) => clipItem(item, chars)),
      tools: mapRecord(page.tools, (call) => bareCall(call)),
      tasks: {},
      status: fitStatus(page.status, 0),
    };
  }
  return fitted;
}

/** Without the calls and tasks that nothing left names, as a smaller page has them. */
function withoutUnnamed<T extends ChatPage>(page: T): T {
  const named = new Set<string>();
  const queue: (ViewItem | AssistantItem)[] = [...page.items];
  const name = (id: string): void => {
    if (named.has(id)) return;
    named.add(id);
    queue.push(...(page.agentItems[id] ?? []));
    const task = page.tools[id]?.taskId;
    if (task !== undefined) name(task);
  };
  for (const task of Object.values(page.tasks)) if (task.state === "running") name(task.taskId);
  for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
    if (item.kind === "tool") name(item.toolUseId);
  }
  return {
    ...page,
    tools: filterRecord(page.tools, named),
    tasks: filterRecord(page.tasks, named),
    agentItems: filterRecord(page.agentItems, named),
  };
}

type Piece =
  | { at: "items"; value: { index: number; item: ViewItem } }
  | { at: "tools" | "tasks" | "agentItems"; id: string; value: unknown };

/** An update as one or more that fit `budget` each; status and panel come with the last. */
export function splitDelta(delta: ChatDelta, budget: number): ChatDelta[] {
  if (jsonBytes(delta) <= budget) return [delta];
  const parts: ChatDelta[] = [];
  let part = emptyPart(delta);
  let used = jsonBytes(part);
  for (const piece of piecesOf(delta)) {
    const fitted = fitPiece(piece, budget - jsonBytes(emptyPart(delta)));
    const bytes = jsonBytes(fitted.value) + (fitted.at === "items" ? 2 : jsonBytes(fitted.id) + 2);
    if (used + bytes > budget && used > jsonBytes(emptyPart(delta))) {
      parts.push(part);
      part = emptyPart(delta);
      used = jsonBytes(part);
    }
    addPiece(part, fitted);
    used += bytes;
  }
  return closeParts(parts, part, delta, budget);
}

function closeParts(parts: ChatDelta[], part: ChatDelta, delta: ChatDelta, budget: number): ChatDelta[] {
  const end = {
    ...(delta.status === undefined ? {} : { status: fitStatus(delta.status, Math.floor(budget / 3)) }),
    ...(delta.panel === undefined ? {} : { panel: fitPanel(delta.panel, Math.floor(budget / 3)) }),
  };
  if (jsonBytes({ ...part, ...end }) <= budget) return [...parts, { ...part, ...end }];
  return [...parts, part, { ...emptyPart(delta), ...end }];
}

const emptyPart = (delta: ChatDelta): ChatDelta => ({
  cursor: delta.cursor,
  total: delta.total,
  items: [],
  tools: {},
  tasks: {},
  agentItems: {},
});

function piecesOf(delta: ChatDelta): Piece[] {
  const byId = (at: "tools" | "tasks" | "agentItems"): Piece[] =>
    Object.entries(delta[at]).map(([id, value]) => ({ at, id, value }));
  return [
    ...delta.items.map((value): Piece => ({ at: "items", value })),
    ...byId("tools"),
    ...byId("tasks"),
    ...byId("agentItems"),
  ];
}

function addPiece(part: ChatDelta, piece: Piece): void {
  if (piece.at === "items") part.items.push(piece.value);
  else (part[piece.at] as Record<string, unknown>)[piece.id] = piece.value;
}

function fitPiece(piece: Piece, budget: number): Piece {
  const room = budget - 2 - (piece.at === "items" ? 0 : jsonBytes(piece.id) + 2);
  if (jsonBytes(piece.value) <= room) return piece;
  if (piece.at === "items") {
    for (const chars of TEXT_STEPS_CHARS) {
      const value = { ...piece.value, item: clipItem(piece.value.item, chars) };
      if (jsonBytes(value) <= room) return { at: "items", value };
    }
    return piece;
  }
  return { ...piece, value: fitValue(piece.at, piece.value, room) };
}

function fitValue(at: "tools" | "tasks" | "agentItems", value: unknown, room: number): unknown {
  if (at === "tools") return fitToolCall(value as ViewToolCall, room);
  if (at === "tasks") return { ...(value as object), output: "" };
  let list = value as AssistantItem[];
  while (list.length > 0 && jsonBytes(list) > room) list = list.slice(Math.ceil(list.length / 4));
  return list;
}

/** A call within `budget` bytes: first its result is cut, then its patch and input go. */
export function fitToolCall(call: ViewToolCall, budget: number): ViewToolCall {
  let fitted = call;
  const length = call.result?.text.length ?? 0;
  for (let chars = length; jsonBytes(fitted) > budget && chars > 64; chars = Math.floor(chars * 0.8)) {
    fitted = clipCall(call, Math.floor(chars * 0.8));
  }
  return jsonBytes(fitted) <= budget ? fitted : bareCall(call);
}

function clipCall(call: ViewToolCall, chars: number): ViewToolCall {
  const { result } = call;
  if (result === undefined || result.text.length <= chars) return call;
  return {
    ...call,
    result: { ...result, text: chars === 0 ? "" : clip(result.text, chars), truncated: true },
  };
}

function bareCall(call: ViewToolCall): ViewToolCall {
  const { patch: _patch, ...rest } = clipCall(call, 0);
  return {
    ...rest,
    name: clip(call.name, 100),
    input: clipRecord(call.input, 64, 512),
    title: clip(call.title, 100),
  };
}

function clipItem<T extends ViewItem | AssistantItem>(item: T, chars: number): T {
  if ("text" in item && item.text.length > chars) return { ...item, text: clip(item.text, chars) };
  if (item.kind === "compacted" && item.summary !== undefined) {
    return { ...item, summary: clip(item.summary, chars) };
  }
  return item;
}

/** Requests that a status keeps when even their one lines are too much. */
const MAX_BARE_REQUESTS = 50;

/** Requests keep their one line; the rest of what they show is cut to the budget. */
export function fitStatus(status: ChatStatus, budget: number): ChatStatus {
  const { error } = status;
  let fitted = status;
  for (const chars of [4096, 512, 64, 0]) {
    if (jsonBytes(fitted) <= budget) return fitted;
    fitted = {
      ...status,
      ...(error === undefined
        ? {}
        : { error: { ...error, message: clip(error.message, Math.max(200, chars)) } }),
      // The oldest stay: they are answered first, and the others come up then.
      requests: status.requests.slice(0, chars === 0 ? MAX_BARE_REQUESTS : undefined).map((request) => {
        const { detail, questions, ...rest } = request;
        return {
          ...rest,
          title: clip(rest.title, Math.max(100, chars)),
          toolName: clip(rest.toolName, 100),
          ...(rest.agent === undefined ? {} : { agent: clip(rest.agent, 100) }),
          suggestions: rest.suggestions.slice(0, 20).map(({ label }) => ({ label: clip(label, 200) })),
          input: chars === 0 ? {} : clipRecord(rest.input, chars, chars * 4),
          ...(detail === undefined ? {} : { detail: clip(detail, chars + 1) }),
          ...(questions === undefined || chars === 0 ? {} : { questions }),
        };
      }),
    };
  }
  return fitted;
}

export function fitPanel(panel: ChatPanel, budget: number): ChatPanel {
  if (jsonBytes(panel) <= budget) return panel;
  const { extensions: _extensions, ...rest } = panel;
  const fitted: ChatPanel = {
    ...rest,
    todos: lastOf(panel.todos, 20).map((todo) => ({ ...todo, text: clip(todo.text, 100) })),
    files: lastOf(panel.files, 20),
    tasks: lastOf(panel.tasks, 20),
    agents: lastOf(panel.agents, 5),
  };
  const { plan } = panel;
  if (plan !== undefined) fitted.plan = { text: clip(plan.text, 2048) };
  return jsonBytes(fitted) <= budget ? fitted : { todos: [], tasks: [], files: [], agents: [] };
}

const lastOf = <T>(list: readonly T[], count: number): T[] => list.slice(Math.max(0, list.length - count));

const mapRecord = <T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([id, value]) => [id, change(value)]));

const filterRecord = <T>(record: Record<string, T>, keep: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([id]) => keep.has(id)));
