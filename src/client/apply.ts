/** What an update makes of the state before it. Pure: the state before stays as it is. */
import type { ChatPage, ChatUpdate, TerminalUpdate } from "../protocol/rpc.js";
import type { ChatPanel } from "../protocol/view.js";
import { MAX_HELD_ITEMS } from "./limits.js";

/** A watched chat: items `start` to `total` and what goes with them. */
export interface ChatState extends ChatPage {
  readonly panel?: ChatPanel | undefined;
}

/** Undefined when the update does not fit this text: it begins past its end. */
export function applyTerminalUpdate(
  text: string,
  update: Pick<TerminalUpdate, "start" | "text">,
): string | undefined {
  return update.start > text.length ? undefined : text.slice(0, update.start) + update.text;
}

/**
 * Undefined when the update leaves a hole before one of its items. Items before
 * `start` are not held, so their changes do not show. Past `maxItems` the
 * earliest go, with the calls and tasks that no held item names.
 */
export function applyChatUpdate(
  state: ChatState,
  update: Omit<ChatUpdate, "watchId" | "rev">,
  maxItems = MAX_HELD_ITEMS,
): ChatState | undefined {
  const start = Math.min(state.start, update.total);
  const items = state.items.slice(0, update.total - start);
  for (const { index, item } of [...update.items].sort((a, b) => a.index - b.index)) {
    if (index < start) continue;
    if (index - start > items.length || index >= update.total) return undefined;
    items[index - start] = item;
  }
  const panel = update.panel ?? state.panel;
  return trim(
    {
      status: update.status ?? state.status,
      start,
      total: update.total,
      items,
      tools: { ...state.tools, ...update.tools },
      tasks: { ...state.tasks, ...update.tasks },
      agentItems: { ...state.agentItems, ...update.agentItems },
      ...(panel !== undefined && { panel }),
    },
    maxItems,
  );
}

/** Trims in steps, so that a long chat is not walked at every update. */
const TRIM_STEP = 100;

function trim(state: ChatState, maxItems: number): ChatState {
  const over = state.items.length - maxItems;
  if (over < Math.min(TRIM_STEP, maxItems)) return state;
  const items = state.items.slice(over);
  const named = new Set(items.flatMap((item) => (item.kind === "tool" ? [item.toolUseId] : [])));
  const agentItems = keep(state.agentItems, (id) => named.has(id) || isRunning(state, id));
  for (const list of Object.values(agentItems)) {
    for (const item of list) if (item.kind === "tool") named.add(item.toolUseId);
  }
  return {
    ...state,
    start: state.start + over,
    items,
    agentItems,
    tools: keep(state.tools, (id) => named.has(id)),
    tasks: keep(state.tasks, (id, task) => isRunning(state, id) || named.has(task.toolUseId ?? "")),
  };
}

function isRunning(state: ChatState, taskId: string): boolean {
  return Object.hasOwn(state.tasks, taskId) && state.tasks[taskId]?.state === "running";
}

function keep<T>(
  record: Readonly<Record<string, T>>,
  wanted: (id: string, value: T) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([id, value]) => wanted(id, value)));
}
