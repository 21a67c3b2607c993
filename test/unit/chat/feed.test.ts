/** Watch plus updates equals what a reader sees, whatever happens in whatever order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deltaOf, pageOf } from "../../../src/chat/feed.js";
import { fitChatPage, jsonBytes, splitDelta } from "../../../src/chat/fit.js";
import { ChatItems } from "../../../src/chat/items.js";
import { applyChatUpdate, type ChatState } from "../../../src/client/apply.js";
import { ChatPageSchema } from "../../../src/protocol/rpc.js";
import type { ChatStatus, ViewItem, ViewToolCall } from "../../../src/protocol/view.js";

const status = (): ChatStatus => ({
  state: "idle",
  since: 1,
  requests: [],
  queued: 0,
  model: null,
  effort: null,
  permissionMode: "default",
});

const note = (key: string, text = "x"): ViewItem => ({ kind: "notice", key, at: 1, level: "info", text });
const call = (id: number, state: ViewToolCall["state"] = "running"): ViewToolCall => ({
  toolUseId: `tool-${id}`,
  name: "Bash",
  title: `command ${id}`,
  input: {},
  state,
});

type Step = (items: ChatItems) => void;

const id = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  id.map(
    (n): Step =>
      (items) =>
        items.put(note(`note-${n}`, `text ${n} ${items.version}`)),
  ),
  fc.tuple(id, fc.nat(30_000), fc.boolean()).map(
    ([n, length, streaming]): Step =>
      (items) => {
        items.putText("text", `text-${n}`, "word ".repeat(length / 5).concat("\n\nmore"), {
          streaming,
          at: 1,
        });
      },
  ),
  id.map(
    (n): Step =>
      (items) =>
        items.put({ kind: "tool", key: `tool-${n}`, at: 1, toolUseId: `tool-${n}` }),
  ),
  id.map(
    (n): Step =>
      (items) =>
        items.putTool(call(n, n % 2 === 0 ? "done" : "running")),
  ),
  fc.tuple(id, id).map(
    ([n, inner]): Step =>
      (items) => {
        items.putAgentItem(`tool-${n}`, {
          kind: "text",
          key: `inner-${inner}`,
          at: 1,
          text: `said ${inner}`,
        });
      },
  ),
  fc.tuple(id, id).map(
    ([n, inner]): Step =>
      (items) => {
        const toolUseId = `inner-tool-${n}-${inner}`;
        items.putTool({ ...call(n), toolUseId });
        items.putAgentItem(`tool-${n}`, { kind: "tool", key: toolUseId, at: 1, toolUseId });
      },
  ),
  fc.tuple(id, fc.boolean()).map(
    ([n, running]): Step =>
      (items) => {
        items.putTask({
          taskId: `task-${n}`,
          kind: "background",
          title: "t",
          state: running ? "running" : "done",
          toolUseId: `tool-${n}`,
          startedAt: 1,
          stoppable: running,
        });
        const known = items.tools.get(`tool-${n}`);
        if (known !== undefined) items.putTool({ ...known, taskId: `task-${n}` });
      },
  ),
  id.map(
    (n): Step =>
      (items) =>
        items.putPanel({ todos: [{ text: `todo ${n}`, state: "pending" }] }),
  ),
  fc.constant<Step>((items) => items.touchStatus()),
  fc.constant<Step>((items) => items.endStreams()),
);

/** What both ends must agree on: the items and all that they name. */
function view(page: ChatState) {
  const named = new Set<string>();
  const queue = page.items.flatMap((item) => (item.kind === "tool" ? [item.toolUseId] : []));
  for (const task of Object.values(page.tasks)) if (task.state === "running") named.add(task.taskId);
  for (const task of named) queue.push(...innerTools(page, task));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (named.has(next)) continue;
    named.add(next);
    queue.push(...innerTools(page, next));
    const task = page.tools[next]?.taskId;
    if (task !== undefined) queue.push(task);
  }
  const only = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => named.has(key)));
  return {
    start: page.start,
    total: page.total,
    items: page.items,
    tools: only(page.tools),
    tasks: only(page.tasks),
    agentItems: only(page.agentItems),
    panel: page.panel,
  };
}

const innerTools = (page: ChatState, parent: string): string[] =>
  (page.agentItems[parent] ?? []).flatMap((item) => (item.kind === "tool" ? [item.toolUseId] : []));

interface Watcher {
  state: ChatState;
  cursor: number;
}

function open(items: ChatItems, limit: number): Watcher {
  const page = pageOf(items, status(), limit);
  return { state: { ...page, panel: items.panel }, cursor: items.version };
}

function catchUp(items: ChatItems, watcher: Watcher, budget: number): void {
  const delta = deltaOf(items, status, watcher.cursor, watcher.state.start);
  watcher.cursor = items.version;
  if (delta === undefined) return;
  for (const { cursor: _cursor, cutTo: _cutTo, ...update } of splitDelta(delta, budget)) {
    const next = applyChatUpdate(watcher.state, update, 100_000);
    expect(next).toBeDefined();
    if (next !== undefined) watcher.state = next;
  }
}

describe("a watcher", () => {
  test("has what chat.read gives, after any steps and updates in between", () => {
    const act = fc.oneof({ weight: 4, arbitrary: step }, { weight: 1, arbitrary: fc.constant(undefined) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 15 }),
        fc.array(act, { maxLength: 60 }),
        fc.nat(12),
        (before, after, limit) => {
          const items = new ChatItems();
          for (const run of before) run(items);
          const watcher = open(items, limit + 1);
          for (const run of after) {
            if (run === undefined) catchUp(items, watcher, 700_000);
            else run(items);
          }
          catchUp(items, watcher, 700_000);
          const { start, total } = watcher.state;
          const read = { ...pageOf(items, status(), total - start), panel: items.panel };
          expect(view(watcher.state)).toEqual(view(read));
          expect(ChatPageSchema.safeParse(read).success).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("has the same when every update is split over small frames", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const items = new ChatItems();
        const watcher = open(items, 100);
        for (const run of steps) run(items);
        catchUp(items, watcher, 60_000);
        const read = { ...pageOf(items, status(), 1000), panel: items.panel };
        expect(view(watcher.state)).toEqual(view(read));
      }),
      { numRuns: 100 },
    );
  });

  test("far behind gets its whole window again", () => {
    const items = new ChatItems();
    items.put(note("first"));
    const watcher = open(items, 10);
    for (let n = 0; n < 20_000; n++) items.put(note(`note-${n % 50}`, String(n)));
    catchUp(items, watcher, 700_000);
    expect(watcher.state.items).toEqual(pageOf(items, status(), 1000).items);
  });
});

test("pages joined are the whole chat", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (steps, limit) => {
      const items = new ChatItems();
      for (const run of steps) run(items);
      const joined: ViewItem[] = [];
      for (let before = items.total; before > 0; ) {
        const page = pageOf(items, status(), limit, before);
        joined.unshift(...page.items);
        before = page.start;
      }
      expect(joined).toEqual(items.items);
    }),
  );
});

test("a log of deltas gives the same chat again", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const items = new ChatItems();
      const copy = new ChatItems();
      let cursor = 0;
      for (const [at, run] of steps.entries()) {
        run(items);
        if (at % 3 !== 0) continue;
        const delta = deltaOf(items, status, cursor, 0);
        cursor = items.version;
        if (delta !== undefined) copy.restore(JSON.parse(JSON.stringify(delta)));
      }
      const rest = deltaOf(items, status, cursor, 0);
      if (rest !== undefined) copy.restore(rest);
      const read = (from: ChatItems) => view({ ...pageOf(from, status(), 1000), panel: from.panel });
      expect(read(copy)).toEqual(read(items));
    }),
  );
});

test("clearing a chat leaves nothing of it at a watcher", () => {
  const items = new ChatItems();
  for (let n = 0; n < 10; n++) items.put(note(`note-${n}`));
  const { version } = items;
  items.cut(0);
  items.put(note("fresh"));
  const delta = deltaOf(items, status, version, 5);
  expect(delta?.cutTo).toBe(0);
  expect(delta?.total).toBe(1);
});

describe("a page that is too large", () => {
  const big = (): ChatItems => {
    const items = new ChatItems();
    for (let n = 0; n < 40; n++) {
      items.putTool({ ...call(n, "done"), result: { text: `${n}"\u0001`.repeat(2000), images: [] } });
      items.put({ kind: "tool", key: `tool-${n}`, at: 1, toolUseId: `tool-${n}` });
      items.putAgentItem(`tool-${n}`, { kind: "text", key: "a", at: 1, text: "said ".repeat(500) });
    }
    items.put(note("last", "z".repeat(5000)));
    return items;
  };

  test.each([200_000, 60_000, 10_000, 3_000, 1_000])("fits %i bytes and keeps its last item", (budget) => {
    const items = big();
    const page = fitChatPage(pageOf(items, status(), 500), budget);
    expect(jsonBytes(page)).toBeLessThanOrEqual(budget);
    expect(page.start + page.items.length).toBe(page.total);
    expect(page.items.at(-1)?.key).toBe("last");
    expect(ChatPageSchema.safeParse(page).success).toBe(true);
  });

  test("gives up results first, then subagents' items, then its earliest items", () => {
    const items = big();
    const whole = pageOf(items, status(), 500);
    const lessResults = fitChatPage(whole, 250_000);
    expect(lessResults.items).toHaveLength(41);
    expect(Object.keys(lessResults.agentItems)).toHaveLength(40);
    expect(lessResults.tools["tool-0"]?.result?.truncated).toBe(true);
    const noAgents = fitChatPage(whole, 40_000);
    expect(noAgents.items).toHaveLength(41);
    expect(noAgents.agentItems).toEqual({});
    expect(fitChatPage(whole, 4_000).start).toBeGreaterThan(0);
  });
});

test("an update that is split has its status and panel last, and the final total always", () => {
  const items = new ChatItems();
  for (let n = 0; n < 20; n++) items.put(note(`note-${n}`, "x".repeat(1000)));
  items.putPanel({ todos: [] });
  items.touchStatus();
  const delta = deltaOf(items, status, 0, 0);
  const parts = delta === undefined ? [] : splitDelta(delta, 5_000);
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts) {
    expect(jsonBytes(part)).toBeLessThanOrEqual(5_000);
    expect(part.total).toBe(20);
  }
  expect(parts.slice(0, -1).every((part) => part.status === undefined && part.panel === undefined)).toBe(
    true,
  );
  expect(parts.at(-1)?.status).toBeDefined();
});
