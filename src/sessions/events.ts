/** The last 5,000 changes of state, numbered from 1 since the daemon started. */
import { EventEmitter } from "node:events";
import type { SessionEvent } from "../protocol/rpc.js";
import { MAX_EVENTS } from "./limits.js";
import { type SessionsView, tellsTextOf } from "./view.js";

export interface ReadEvents {
  /** Events after this number; the last ones when absent. One past the newest reads from the start. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly view: SessionsView;
}

export interface EventPage {
  readonly events: SessionEvent[];
  /** The newest number. */
  readonly cursor: number;
  readonly more: boolean;
}

export class Events {
  readonly #ring: SessionEvent[] = [];
  readonly #changes = new EventEmitter<{ change: [SessionEvent] }>();
  #seq = 0;

  append(event: Omit<SessionEvent, "seq">): SessionEvent {
    this.#seq++;
    const numbered = { ...event, seq: this.#seq };
    this.#ring[this.#seq % MAX_EVENTS] = numbered;
    this.#changes.emit("change", numbered);
    return numbered;
  }

  /** The newest number; 0 before the first. */
  get cursor(): number {
    return this.#seq;
  }

  read({ since, limit, view }: ReadEvents): EventPage {
    const cursor = this.#seq;
    if (since === undefined) {
      const newest = take(this.#backward(cursor), limit + 1, view);
      return { events: newest.slice(0, limit).reverse(), cursor, more: false };
    }
    const found = take(this.#forward(since > cursor ? 0 : since), limit + 1, view);
    return { events: found.slice(0, limit), cursor, more: found.length > limit };
  }

  /** Called with each event as it comes; the answer ends it. */
  onEvent(listener: (event: SessionEvent) => void): () => void {
    this.#changes.on("change", listener);
    return () => void this.#changes.off("change", listener);
  }

  *#forward(since: number): Iterable<SessionEvent> {
    for (let seq = Math.max(since + 1, this.#oldest()); seq <= this.#seq; seq++) yield* this.#at(seq);
  }

  *#backward(from: number): Iterable<SessionEvent> {
    for (let seq = from; seq >= this.#oldest(); seq--) yield* this.#at(seq);
  }

  #at(seq: number): SessionEvent[] {
    const event = this.#ring[seq % MAX_EVENTS];
    return event === undefined ? [] : [event];
  }

  #oldest(): number {
    return Math.max(1, this.#seq - MAX_EVENTS + 1);
  }
}

/** The first `count` events that the view shows, without the texts that it does not. */
function take(events: Iterable<SessionEvent>, count: number, view: SessionsView): SessionEvent[] {
  const taken: SessionEvent[] = [];
  for (const event of events) {
    if (taken.length >= count) break;
    if (!view.sees(event.tabId)) continue;
    if (tellsTextOf(view, event.kind)) taken.push(event);
    else {
      const { message: _, ...rest } = event;
      taken.push(rest);
    }
  }
  return taken;
}
