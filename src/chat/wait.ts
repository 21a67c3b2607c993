/** Waiting for a chat to be done with its turn, and what it says then. */
import type { ChatWaitState, RpcResult } from "../protocol/rpc.js";
import type { ChatStatus } from "../protocol/view.js";
import type { ChatItems } from "./items.js";
import { LAST_CHARS, WAIT_MESSAGE_CHARS } from "./limits.js";
import { oneLine, tail } from "./text.js";

export type WaitResult = RpcResult<"chat.wait">;

/** How a chat's state looks to one who waits. */
export function waitState(state: ChatStatus["state"]): ChatWaitState {
  return state === "starting" ? "working" : state;
}

export function waitResult(status: ChatStatus, items: ChatItems): WaitResult {
  const state = waitState(status.state);
  if (state === "working") return { done: false, state };
  const message = messageOf(state, status, items);
  return { done: true, state, ...(message === undefined || message === "" ? {} : { message }) };
}

function messageOf(state: ChatWaitState, status: ChatStatus, items: ChatItems): string | undefined {
  if (state === "asking") {
    const asked = status.requests.map((request) =>
      [request.title, request.detail].filter(Boolean).join("\n"),
    );
    return tail(asked.join("\n\n"), WAIT_MESSAGE_CHARS);
  }
  if (state === "error") return status.error?.message;
  return state === "idle" ? lastAnswer(items) : undefined;
}

/** The texts after the last message or tool call, as one; the last text at all when there are none. */
export function lastAnswer(items: ChatItems): string | undefined {
  items.settle();
  const texts: string[] = [];
  let continues = false;
  for (let at = items.items.length - 1; at >= 0; at--) {
    const item = items.items[at];
    if (item?.kind === "text") texts.unshift(texts.length > 0 && !continues ? `${item.text}\n\n` : item.text);
    if (item?.kind === "text") continues = PIECE_KEY.test(item.key);
    else if (texts.length > 0 && (item?.kind === "tool" || item?.kind === "user" || item?.kind === "turn"))
      break;
  }
  return texts.length === 0 ? undefined : tail(texts.join(""), WAIT_MESSAGE_CHARS);
}

/** The key of an item that goes on with the text of the one before it. */
const PIECE_KEY = /\.\d+$/;

/** One line: the last paragraph that the agent wrote. */
export function lastLine(items: ChatItems): string | undefined {
  items.settle();
  for (let at = items.items.length - 1; at >= 0; at--) {
    const item = items.items[at];
    if (item?.kind !== "text") continue;
    const paragraph =
      tail(item.text.trimEnd(), 4 * LAST_CHARS)
        .split(/\n\s*\n/)
        .at(-1) ?? "";
    return oneLine(paragraph, LAST_CHARS) || undefined;
  }
  return undefined;
}
