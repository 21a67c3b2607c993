/**
 * Keeps one watcher of a chat up to date: at most ten updates a second, the next
 * one only when the link took the last, always against what this watcher has.
 * A long text that streams is sent less often as it grows, because it is sent whole.
 */

import type { ChatPage, ChatUpdate } from "../protocol/rpc.js";
import type { ChatPanel } from "../protocol/view.js";
import type { OpenedWatch } from "./hub.js";

/** What changed since a version; `cutTo`: the list was that short in between. */
export type ChatDelta = Omit<ChatUpdate, "watchId" | "rev"> & { cursor: number; cutTo?: number };

/** The part of a chat that a watch needs. */
export interface ChatFeed {
  /** Grows with every change. */
  readonly cursor: number;
  /** The cursor of the last change of the status: a request, a turn's end. Such an update does not wait. */
  readonly statusCursor: number;
  snapshot(limit: number): ChatPage & { panel: ChatPanel; cursor: number };
  /** Undefined when nothing changed in a window that begins at item `start`. */
  since(cursor: number, start: number): ChatDelta | undefined;
  fitPage<T extends ChatPage>(page: T, budget: number): T;
  /** The delta as one or more that take `budget` bytes of JSON each. */
  split(delta: ChatDelta, budget: number): ChatDelta[];
  onChange(listener: () => void): () => void;
}

export interface ChatWatchOptions {
  /** Items of the first page. */
  readonly limit: number;
  /** Bytes of JSON that the answer's result may take. */
  readonly pageBudgetBytes: number;
  /** Bytes of JSON that one update's params may take. */
  readonly updateBudgetBytes: number;
  /** Resolves once the page is on its way. */
  readonly answered: Promise<void>;
  /** Resolves when the link may take more; rejects when it is gone. */
  deliver(update: ChatUpdate): Promise<void>;
}

/** Updates of one watch while texts stream: 8 a second, so that 2 are left for what is urgent. */
const INTERVAL_MS = 125;

/** All updates of one watch in any second. */
const MAX_UPDATES_PER_SECOND = 10;

/** What a watch may send of one streaming text, as a multiple of its size, so that long answers stay cheap. */
const STREAM_FACTOR = 6;

/** What it may send beyond that: short answers stream freely. */
const STREAM_FREE_CHARS = 8 * 1024;

/** A streaming text is never older than this at a watcher. */
const STREAM_MAX_STALE_MS = 5_000;

/** What an update takes beside its parts: watchId and rev. */
const ENVELOPE_BYTES = 200;

export type WatchedPage = ChatPage & { panel: ChatPanel; watchId: string };

/** Answers with the page now and keeps the watch's link up to date until the watch ends. */
export function watchChat(feed: ChatFeed, watch: OpenedWatch, options: ChatWatchOptions): WatchedPage {
  const pacer = new ChatPacer(feed, watch, options);
  watch.onStop(() => pacer.close());
  return pacer.page;
}

class ChatPacer {
  readonly page: WatchedPage;
  readonly #feed: ChatFeed;
  readonly #watch: OpenedWatch;
  readonly #options: ChatWatchOptions;
  readonly #stopListening: () => void;
  readonly #spent = new StreamBudget();
  #cursor: number;
  /** The index of the watcher's first item. */
  #start: number;
  #rev = 0;
  #running = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  /** When the last ten updates went. */
  #sentAt: number[] = [];

  constructor(feed: ChatFeed, watch: OpenedWatch, options: ChatWatchOptions) {
    this.#feed = feed;
    this.#watch = watch;
    this.#options = options;
    const { cursor, ...page } = feed.snapshot(options.limit);
    this.page = feed.fitPage({ ...page, watchId: watch.id }, options.pageBudgetBytes);
    this.#cursor = cursor;
    this.#start = this.page.start;
    this.#stopListening = feed.onChange(() => this.#poke());
  }

  /** After this no update is delivered any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#wake?.();
  }

  #poke(): void {
    if (this.#urgent()) this.#wake?.();
    if (this.#running || this.#closed) return;
    this.#running = true;
    this.#run()
      .catch(() => this.#watch.close()) // the link ended
      .finally(() => {
        this.#running = false;
        if (!this.#closed && this.#feed.cursor !== this.#cursor) this.#poke();
      });
  }

  async #run(): Promise<void> {
    await this.#options.answered;
    while (!this.#closed && this.#feed.cursor !== this.#cursor) {
      const wait = this.#waitMs();
      if (wait > 0) {
        await this.#pause(wait);
        continue;
      }
      const delta = this.#feed.since(this.#cursor, this.#start);
      if (delta === undefined) {
        this.#cursor = this.#feed.cursor;
        return;
      }
      if (this.#spent.tooEarly(delta, performance.now() - this.#lastSentAt)) await this.#pause(INTERVAL_MS);
      else await this.#send(delta);
    }
  }

  #urgent(): boolean {
    return this.#feed.statusCursor > this.#cursor;
  }

  /** Until the next update may go. */
  #waitMs(): number {
    const now = performance.now();
    const tenth = this.#sentAt.at(-MAX_UPDATES_PER_SECOND);
    const hard = tenth === undefined ? 0 : tenth + 1000 - now;
    return this.#urgent() ? hard : Math.max(hard, this.#lastSentAt + INTERVAL_MS - now);
  }

  async #send(delta: ChatDelta): Promise<void> {
    const { cutTo, ...whole } = delta;
    this.#cursor = delta.cursor;
    this.#spent.sent(delta);
    this.#lastSentAt = performance.now();
    this.#sentAt = [...this.#sentAt.slice(1 - MAX_UPDATES_PER_SECOND), this.#lastSentAt];
    if (cutTo !== undefined && cutTo < delta.total) await this.#deliver(cutAt(delta, cutTo));
    this.#start = Math.min(this.#start, cutTo ?? delta.total, delta.total);
    for (const part of this.#feed.split(whole, this.#options.updateBudgetBytes - ENVELOPE_BYTES)) {
      await this.#deliver(part);
    }
  }

  async #deliver(part: ChatDelta): Promise<void> {
    if (this.#closed) return;
    const { cursor: _cursor, ...update } = part;
    this.#rev += 1;
    await this.#options.deliver({ watchId: this.#watch.id, rev: this.#rev, ...update });
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, ms);
      this.#timer.unref();
    });
  }
}

/** An update that only shortens the list. */
const cutAt = (delta: ChatDelta, total: number): ChatDelta => ({
  cursor: delta.cursor,
  total,
  items: [],
  tools: {},
  tasks: {},
  agentItems: {},
});

/** What was sent of the text that streams: its updates together stay a few times its size. */
class StreamBudget {
  #key = "";
  #bytes = 0;

  /** True while nothing but a growing text changed, and it was sent often enough for its size. */
  tooEarly(delta: ChatDelta, sinceLastMs: number): boolean {
    const item = growingAlone(delta);
    if (item === undefined || sinceLastMs >= STREAM_MAX_STALE_MS) return false;
    const spent = item.key === this.#key ? this.#bytes : 0;
    const size = item.text.length;
    return spent + size > STREAM_FACTOR * size + STREAM_FREE_CHARS;
  }

  sent(delta: ChatDelta): void {
    const item = delta.items.map((entry) => entry.item).findLast((entry) => "streaming" in entry);
    if (item === undefined || !("text" in item)) return;
    this.#bytes = (item.key === this.#key ? this.#bytes : 0) + item.text.length;
    this.#key = item.key;
  }
}

function growingAlone(delta: ChatDelta): { key: string; text: string } | undefined {
  const [entry] = delta.items;
  const alone =
    delta.items.length === 1 &&
    delta.panel === undefined &&
    delta.status === undefined &&
    Object.keys(delta.tools).length === 0 &&
    Object.keys(delta.tasks).length === 0 &&
    Object.keys(delta.agentItems).length === 0;
  const item = entry?.item;
  if (!alone || item === undefined || !("streaming" in item) || !("text" in item)) return undefined;
  return item.streaming === true ? item : undefined;
}
