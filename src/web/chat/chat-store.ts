/**
 * All that this page knows of one chat: the watched end of it, and earlier items
 * as they were read. Items lie without a hole from `first` to the end.
 */
import { signal } from "@preact/signals";
import type { ChatState } from "../../client/index.js";
import type { ChatPage } from "../../protocol/rpc.js";
import type {
  AssistantItem,
  ChatPanel,
  ChatStatus,
  ViewItem,
  ViewTask,
  ViewToolCall,
} from "../../protocol/view.js";

export interface ChatView {
  readonly first: number;
  readonly items: readonly ViewItem[];
  readonly tools: Readonly<Record<string, ViewToolCall>>;
  readonly tasks: Readonly<Record<string, ViewTask>>;
  readonly agentItems: Readonly<Record<string, readonly AssistantItem[]>>;
  readonly status: ChatStatus;
  readonly panel: ChatPanel | undefined;
}

/** The watched state laid over what was known. A hole between the two drops what was before it. Pure. */
export function overlay(known: ChatView | undefined, state: ChatState): ChatView {
  const joins =
    known !== undefined && state.start >= known.first && state.start <= known.first + known.items.length;
  const before = joins ? known : undefined;
  return {
    first: before?.first ?? state.start,
    items:
      before === undefined
        ? state.items
        : [...before.items.slice(0, state.start - before.first), ...state.items],
    tools: { ...before?.tools, ...state.tools },
    tasks: { ...before?.tasks, ...state.tasks },
    agentItems: { ...before?.agentItems, ...state.agentItems },
    status: state.status,
    panel: state.panel ?? known?.panel,
  };
}

/** An earlier page put before what is known; one that does not join is of no use. Pure. */
export function prepend(known: ChatView, page: ChatPage): ChatView {
  const end = page.start + page.items.length;
  if (page.start >= known.first || end < known.first) return known;
  return {
    ...known,
    first: page.start,
    items: [...page.items.slice(0, known.first - page.start), ...known.items],
    tools: { ...page.tools, ...known.tools },
    tasks: { ...page.tasks, ...known.tasks },
    agentItems: { ...page.agentItems, ...known.agentItems },
  };
}

export class ChatStore {
  readonly view = signal<ChatView | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);

  apply(state: ChatState): void {
    this.problem.value = undefined;
    this.view.value = overlay(this.view.value, state);
  }

  prepend(page: ChatPage): void {
    if (this.view.value !== undefined) this.view.value = prepend(this.view.value, page);
  }
}
