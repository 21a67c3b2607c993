/** From many events to one line a session: the last that is worth telling, what waits first. Pure. */
import type { SessionEvent } from "../../protocol/rpc.js";

const TOLD = ["needs-you", "new-result", "ended"];

export function digestOf(events: readonly SessionEvent[]): SessionEvent[] {
  const last = new Map<string, SessionEvent>();
  for (const event of events) last.set(event.tabId, event);
  return [...last.values()]
    .filter((event) => TOLD.includes(event.to))
    .sort((a, b) => TOLD.indexOf(a.to) - TOLD.indexOf(b.to) || b.at - a.at);
}
