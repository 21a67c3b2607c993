import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { deltaOf, pageOf } from "../../../src/chat/feed.js";
import { fitChatPage, splitDelta } from "../../../src/chat/fit.js";
import { ChatItems } from "../../../src/chat/items.js";
import { applyChatUpdate, type ChatState } from "../../../src/client/apply.js";
import { type ChatUpdate, ChatUpdateSchema } from "../../../src/protocol/rpc.js";
import type { ChatStatus } from "../../../src/protocol/view.js";
import { type ChatFeed, watchChat } from "../../../src/watches/chat.js";
import { WatchHub } from "../../../src/watches/hub.js";
import { waitFor } from "../../support/wait-for.js";

const STATUS: ChatStatus = {
  state: "idle",
  since: 1,
  requests: [],
  queued: 0,
  model: null,
  effort: null,
  permissionMode: "default",
};

class Source {
  readonly items = new ChatItems();
  readonly #listeners = new Set<() => void>();
  readonly feed: ChatFeed;

  constructor() {
    const { items } = this;
    this.feed = {
      get cursor() {
        return items.version;
      },
      get statusCursor() {
        return items.statusVersion;
      },
      snapshot: (limit) => ({ ...pageOf(items, STATUS, limit), panel: items.panel, cursor: items.version }),
      since: (cursor, start) => deltaOf(items, () => STATUS, cursor, start),
      fitPage: fitChatPage,
      split: splitDelta,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  do(change: (items: ChatItems) => void): void {
    change(this.items);
    for (const listener of this.#listeners) listener();
  }

  note(key: string, text = key): void {
    this.do((items) => items.put({ kind: "notice", key, at: 1, level: "info", text }));
  }
}

interface Watched {
  updates: ChatUpdate[];
  state: ChatState;
  stop(): void;
}

function watch(
  source: Source,
  o: { limit?: number; deliver?: () => Promise<void>; answered?: Promise<void> } = {},
): Watched {
  const opened = new WatchHub().open(
    { id: "link", onClose: () => undefined },
    { kind: "chat", capability: "chat.read", tabId: "t" },
  );
  onTestFinished(() => opened.close());
  const watched: Watched = {
    updates: [],
    stop: () => opened.close(),
    state: pageOf(source.items, STATUS, 0),
  };
  watched.state = watchChat(source.feed, opened, {
    limit: o.limit ?? 100,
    pageBudgetBytes: 700_000,
    updateBudgetBytes: 50_000,
    answered: o.answered ?? Promise.resolve(),
    deliver: async (update) => {
      expect(ChatUpdateSchema.safeParse(update).success).toBe(true);
      watched.updates.push(update);
      watched.state = applyChatUpdate(watched.state, update, 1e6) ?? watched.state;
      await o.deliver?.();
    },
  });
  return watched;
}

const quiet = (source: Source, watched: Watched) =>
  waitFor("the watcher to have it all", () => {
    const read = pageOf(source.items, STATUS, source.items.total - watched.state.start);
    return JSON.stringify(read.items) === JSON.stringify(watched.state.items);
  });

describe("a chat's watcher", () => {
  test("has at quiet what a reader sees, with revisions without a gap", async () => {
    const source = new Source();
    const watched = watch(source);
    for (let n = 0; n < 400; n++) {
      source.note(`note-${n % 70}`, `text ${n}`);
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await quiet(source, watched);
    expect(watched.updates.map(({ rev }) => rev)).toEqual(watched.updates.map((_, at) => at + 1));
  });

  test("gets at most ten updates a second while much happens", async () => {
    const source = new Source();
    const watched = watch(source);
    const end = performance.now() + 1500;
    for (let n = 0; performance.now() < end; n++) {
      source.note("same", `text ${n}`);
      if (n % 3 === 0) source.do((items) => items.touchStatus());
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(watched.updates.length).toBeLessThanOrEqual(21);
    await quiet(source, watched);
  });

  test("that does not drain gets one update with the last state, not a queue", async () => {
    const source = new Source();
    let drain: (() => void) | undefined;
    const watched = watch(source, { deliver: () => new Promise((resolve) => (drain = resolve)) });
    source.note("a", "first");
    await waitFor("the first update", () => watched.updates.length === 1);
    for (let n = 0; n < 200; n++) source.note("a", `text ${n}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(watched.updates).toHaveLength(1);
    drain?.();
    await waitFor("the second update", () => watched.updates.length === 2);
    expect(watched.updates[1]?.items).toMatchObject([{ item: { text: "text 199" } }]);
  });

  test("gets nothing before its page is on its way, and nothing after its end", async () => {
    const source = new Source();
    let answer: (() => void) | undefined;
    const watched = watch(source, { answered: new Promise((resolve) => (answer = resolve)) });
    source.note("a");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(watched.updates).toEqual([]);
    answer?.();
    await waitFor("the update", () => watched.updates.length === 1);
    watched.stop();
    source.note("b");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(watched.updates).toHaveLength(1);
  });

  test("sees what is urgent at once, also between two paced updates", async () => {
    const source = new Source();
    const watched = watch(source);
    source.note("a");
    await waitFor("the first", () => watched.updates.length === 1);
    const at = performance.now();
    source.do((items) => items.touchStatus());
    await waitFor("the status", () => watched.updates.length === 2);
    expect(performance.now() - at).toBeLessThan(100);
  });

  test("of a long streamed text is sent a few times its size in all", async () => {
    const source = new Source();
    const watched = watch(source);
    const words = Array.from({ length: 6000 }, (_, n) => `word${n}${n % 120 === 119 ? ".\n\n" : " "}`);
    let text = "";
    for (let at = 0; at < words.length; at += 20) {
      text += words.slice(at, at + 20).join("");
      const whole = text;
      source.do((items) => items.putText("text", "m:0", whole, { streaming: true, at: 1 }));
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    const whole = text;
    source.do((items) => items.putText("text", "m:0", whole, { streaming: false, at: 1 }));
    source.do((items) => items.touchStatus());
    await quiet(source, watched);
    const bytes = watched.updates.reduce((sum, update) => sum + Buffer.byteLength(JSON.stringify(update)), 0);
    expect(bytes / Buffer.byteLength(text)).toBeLessThan(9);
    expect(watched.state.items.map((item) => ("text" in item ? item.text : "")).join("")).toBe(text);
  });

  test("keeps its window when the list gets shorter and grows again", async () => {
    const source = new Source();
    for (let n = 0; n < 10; n++) source.note(`old-${n}`);
    const watched = watch(source, { limit: 3 });
    source.do((items) => items.cut(0));
    source.note("new");
    await waitFor("the new list", () => watched.state.items.length === 1);
    expect(watched.state).toMatchObject({ start: 0, total: 1, items: [{ key: "new" }] });
  });
});

test("any mix of changes and pauses ends with what a reader sees", async () => {
  const op = fc.oneof(
    fc
      .nat(5)
      .map(
        (n) => (items: ChatItems) =>
          items.put({ kind: "notice", key: `n${n}`, at: 1, level: "info", text: `${items.version}` }),
      ),
    fc.tuple(fc.nat(3), fc.nat(9000)).map(
      ([n, length]) =>
        (items: ChatItems) =>
          items.putText("text", `t${n}`, "word\n\n".repeat(length / 6), {
            streaming: length % 2 === 0,
            at: 1,
          }),
    ),
    fc.constant((items: ChatItems) => items.endStreams()),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(op, fc.nat(3)), { maxLength: 30 }), async (steps) => {
      const source = new Source();
      const watched = watch(source);
      for (const [change, pause] of steps) {
        source.do(change);
        if (pause === 3) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      source.do((items) => items.endStreams());
      source.do((items) => items.touchStatus());
      await quiet(source, watched);
      watched.stop();
    }),
    { numRuns: 15 },
  );
});
