/**
 * Keeps a chat's state and items on disk: the state whole before anything that
 * must not be lost goes on, the items' changes about once a second.
 */
import { deltaOf, pageOf } from "./feed.js";
import type { ChatDelta } from "./items.js";
import { LOG_EVERY_MS, LOG_SLACK_BYTES } from "./limits.js";
import type { ChatModel } from "./model.js";
import type { ChatFile, ChatStore } from "./store.js";

/** Items of one line when the log is written anew. */
const REWRITE_ITEMS = 200;

export interface JournalDeps {
  readonly store: ChatStore;
  readonly model: ChatModel;
  readonly file: () => ChatFile;
  readonly failed: (error: unknown) => void;
}

export class Journal {
  readonly #deps: JournalDeps;
  #written = 0;
  #baseBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** Fills the model from the log. */
  async load(): Promise<void> {
    const { store, model } = this.#deps;
    for await (const delta of store.lines()) model.items.restore(delta);
    this.#written = model.items.version;
    this.#baseBytes = store.logBytes;
  }

  /** On disk when it resolves. */
  saveState(): Promise<void> {
    return this.#deps.store.save(this.#deps.file());
  }

  /** Items changed: they are written soon. */
  poke(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch(this.#deps.failed);
    }, LOG_EVERY_MS);
    this.#timer.unref();
  }

  /** Writes what changed since the last time. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#append());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  /** Writes all of it anew, in lines of a bearable size. */
  rewrite(): Promise<void> {
    const rewritten = this.#flushing.then(() => this.#rewrite());
    this.#flushing = rewritten.catch(() => undefined);
    return rewritten;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.flush();
    await this.saveState();
    await this.#deps.store.close();
  }

  async #append(): Promise<void> {
    const { store, model } = this.#deps;
    const delta = deltaOf(model.items, () => model.status(), this.#written, 0);
    this.#written = model.items.version;
    if (delta === undefined) return;
    delete delta.status;
    await store.append(delta);
    if (store.logBytes < LOG_SLACK_BYTES + 2 * this.#baseBytes) return;
    await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    const { store, model } = this.#deps;
    const { version } = model.items;
    await store.rewrite(snapshot(model));
    this.#written = version; // what changed meanwhile is written once more
    this.#baseBytes = store.logBytes;
  }
}

/** All of a chat as deltas of a bearable size. */
function* snapshot(model: ChatModel): Generator<ChatDelta> {
  const { items } = model;
  const { total } = items;
  for (let start = 0; start === 0 || start < total; start += REWRITE_ITEMS) {
    const end = Math.min(total, start + REWRITE_ITEMS);
    const page = pageOf(items, model.status(), REWRITE_ITEMS, end);
    yield {
      cursor: 0,
      total: end,
      items: page.items.map((item, at) => ({ index: page.start + at, item })),
      tools: page.tools,
      tasks: end === total ? Object.fromEntries(items.tasks) : {},
      agentItems: page.agentItems,
      ...(end === total ? { panel: items.panel } : {}),
    };
  }
}
