import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyChatUpdate, applyTerminalUpdate, type ChatState } from "../../../src/client/apply.js";
import type { ChatUpdate } from "../../../src/protocol/rpc.js";
import type { ViewItem, ViewTask, ViewToolCall } from "../../../src/protocol/view.js";

const text = (key: string): ViewItem => ({ kind: "text", key, at: 1, text: key });
const tool = (id: string): ViewItem => ({ kind: "tool", key: id, at: 1, toolUseId: id });
const call = (id: string): ViewToolCall => ({
  toolUseId: id,
  name: "Bash",
  title: id,
  input: {},
  state: "done",
});
const task = (id: string, state: ViewTask["state"], toolUseId: string): ViewTask => ({
  taskId: id,
  kind: "subagent",
  title: id,
  state,
  toolUseId,
  startedAt: 1,
  stoppable: true,
});

const status: ChatState["status"] = {
  state: "idle",
  since: 1,
  requests: [],
  queued: 0,
  model: null,
  effort: null,
  permissionMode: "default",
};

function chat(start: number, keys: readonly string[]): ChatState {
  const items = keys.map(text);
  return { status, start, total: start + items.length, items, tools: {}, tasks: {}, agentItems: {} };
}

type Update = Omit<ChatUpdate, "watchId" | "rev">;
const update = (total: number, items: [number, string][], more: Partial<Update> = {}): Update => ({
  total,
  items: items.map(([index, key]) => ({ index, item: text(key) })),
  tools: {},
  tasks: {},
  agentItems: {},
  ...more,
});
const keys = (state: ChatState | undefined): string[] | undefined => state?.items.map((item) => item.key);

describe("applyTerminalUpdate", () => {
  it.each([
    ["abc", 3, "d", "abcd"],
    ["abc", 1, "x", "ax"],
    ["abc", 0, "", ""],
    ["a😀b", 3, "c", "a😀c"],
  ])("%j from %i on with %j is %j", (before, start, tail, after) => {
    expect(applyTerminalUpdate(before, { start, text: tail })).toBe(after);
  });

  it("does not fit past the end of the text", () => {
    expect(applyTerminalUpdate("abc", { start: 4, text: "d" })).toBeUndefined();
  });

  it("brings any text to any other by the tail in which they differ", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        let start = 0;
        while (start < before.length && before[start] === after[start]) start++;
        expect(applyTerminalUpdate(before, { start, text: after.slice(start) })).toBe(after);
      }),
    );
  });
});

describe("applyChatUpdate", () => {
  it("puts items at their index, grows, and cuts at the total", () => {
    expect(
      keys(
        applyChatUpdate(
          chat(0, ["a", "b"]),
          update(3, [
            [1, "B"],
            [2, "c"],
          ]),
        ),
      ),
    ).toEqual(["a", "B", "c"]);
    expect(keys(applyChatUpdate(chat(0, ["a", "b", "c"]), update(1, [])))).toEqual(["a"]);
    expect(keys(applyChatUpdate(chat(5, ["f", "g"]), update(8, [[7, "h"]])))).toEqual(["f", "g", "h"]);
  });

  it("takes items in whatever order they come", () => {
    expect(
      keys(
        applyChatUpdate(
          chat(0, []),
          update(2, [
            [1, "b"],
            [0, "a"],
          ]),
        ),
      ),
    ).toEqual(["a", "b"]);
  });

  it("gives the same when it is applied twice", () => {
    const change = update(
      4,
      [
        [2, "C"],
        [3, "d"],
      ],
      { tools: { t: call("t") } },
    );
    const once = applyChatUpdate(chat(1, ["b", "c"]), change);
    expect(once && applyChatUpdate(once, change)).toEqual(once);
  });

  it("leaves items that are not held alone", () => {
    expect(keys(applyChatUpdate(chat(5, ["f"]), update(6, [[1, "B"]])))).toEqual(["f"]);
  });

  it("waits for the rest of an update that was split: the total is already the last one", () => {
    const first = applyChatUpdate(chat(0, ["a"]), update(3, [[1, "b"]]));
    expect(keys(first)).toEqual(["a", "b"]);
    expect(first && keys(applyChatUpdate(first, update(3, [[2, "c"]])))).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["a hole before an item", update(9, [[4, "e"]])],
    ["an item past the total", update(2, [[2, "c"]])],
  ])("does not fit with %s", (_what, change) => {
    expect(applyChatUpdate(chat(0, ["a", "b"]), change)).toBeUndefined();
  });

  it("begins anew when the chat was cut before what is held", () => {
    const after = applyChatUpdate(chat(5, ["f", "g"]), update(2, []));
    expect(after).toMatchObject({ start: 2, total: 2, items: [] });
  });

  it("keeps status and panel until others come, and merges the rest by id", () => {
    const before: ChatState = {
      ...chat(0, ["a"]),
      tools: { a: call("a") },
      panel: { todos: [], tasks: [], files: [], agents: [] },
    };
    const after = applyChatUpdate(before, update(1, [], { tools: { b: call("b") } }));
    expect(after?.status).toBe(before.status);
    expect(after?.panel).toBe(before.panel);
    expect(Object.keys(after?.tools ?? {})).toEqual(["a", "b"]);
    const working = { ...status, state: "working" as const };
    expect(applyChatUpdate(before, update(1, [], { status: working }))?.status.state).toBe("working");
  });

  it("leaves the state before as it was", () => {
    const before = chat(0, ["a", "b"]);
    const copy = structuredClone(before);
    applyChatUpdate(
      before,
      update(
        3,
        [
          [0, "A"],
          [2, "c"],
        ],
        { tools: { t: call("t") } },
      ),
    );
    expect(before).toEqual(copy);
  });

  it("takes ids that are names of every object", () => {
    const tools = JSON.parse(`{"__proto__": ${JSON.stringify(call("__proto__"))}}`) as Update["tools"];
    const after = applyChatUpdate(
      chat(0, []),
      update(0, [], { tools, tasks: { constructor: task("c", "done", "") } }),
    );
    expect(Object.keys(after?.tools ?? {})).toEqual(["__proto__"]);
    expect(({} as { toolUseId?: string }).toolUseId).toBeUndefined();
  });

  it("lets the earliest items go past its bound, with the calls that only they named", () => {
    const items = ["t0", "t1", "t2", "t3"].map(tool);
    const before: ChatState = {
      ...chat(0, []),
      total: 4,
      items,
      tools: { t0: call("t0"), t3: call("t3"), inner: call("inner") },
      tasks: {
        gone: task("gone", "done", "t0"),
        runs: task("runs", "running", "t0"),
        kept: task("kept", "done", "t3"),
      },
      agentItems: { t0: [], t3: [{ kind: "tool", key: "i", at: 1, toolUseId: "inner" }] },
    };
    const after = applyChatUpdate(before, update(4, []), 2);
    expect(after).toMatchObject({ start: 2, total: 4 });
    expect(keys(after)).toEqual(["t2", "t3"]);
    expect(Object.keys(after?.tools ?? {})).toEqual(["t3", "inner"]);
    expect(Object.keys(after?.tasks ?? {})).toEqual(["runs", "kept"]);
    expect(Object.keys(after?.agentItems ?? {})).toEqual(["t3"]);
  });

  it("held over any updates is what the server has, from the first item held on", () => {
    const lists = fc.array(fc.array(fc.string({ maxLength: 3 }), { minLength: 5, maxLength: 12 }));
    fc.assert(
      fc.property(fc.nat(5), lists, (start, states) => {
        let server = ["0", "1", "2", "3", "4", "5", "6", "7"];
        let held: ChatState | undefined = chat(start, server.slice(start));
        for (const next of states) {
          const changed = next.flatMap((key, i): [number, string][] => (server[i] === key ? [] : [[i, key]]));
          held = held && applyChatUpdate(held, update(next.length, changed));
          server = next;
          expect(keys(held)).toEqual(server.slice(start));
        }
      }),
    );
  });
});
