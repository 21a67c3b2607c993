/** Which items of a chat stand in the document: from, up to `to`, or to the end. Pure. */
import { CHAT_PAGE_ITEMS, MAX_SHOWN_ITEMS } from "../limits.js";

export interface Range {
  readonly from: number;
  /** Undefined: to the end, also as it grows. */
  readonly to: number | undefined;
}

/** At the end of the chat. */
export function follow(end: number, first: number): Range {
  return { from: Math.max(first, end - CHAT_PAGE_ITEMS * 2), to: undefined };
}

/** A page further up; what is then too far below leaves. */
export function earlier(range: Range, first: number, end: number): Range {
  const from = Math.max(first, range.from - CHAT_PAGE_ITEMS);
  const to = Math.min(range.to ?? end, from + MAX_SHOWN_ITEMS);
  return { from, to: to >= end ? undefined : to };
}

/** A page further down; what is then too far above leaves. */
export function later(range: Range, end: number): Range {
  const to = Math.min(end, (range.to ?? end) + CHAT_PAGE_ITEMS);
  return { from: Math.max(range.from, to - MAX_SHOWN_ITEMS), to: to >= end ? undefined : to };
}
