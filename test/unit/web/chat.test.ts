import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatState } from "../../../src/client/index.js";
import type { ViewItem } from "../../../src/protocol/view.js";
import { overlay, prepend } from "../../../src/web/chat/chat-store.js";
import { earlier, follow, later, type Range } from "../../../src/web/chat/range.js";
import { MAX_SHOWN_ITEMS } from "../../../src/web/limits.js";

const STATUS = {
  state: "idle",
  since: 1,
  requests: [],
  queued: 0,
  model: null,
  effort: null,
  permissionMode: "default",
} as const;

function stateOf(start: number, total: number, mark = ""): ChatState {
  const items = Array.from(
    { length: total - start },
    (_, at): ViewItem => ({ kind: "text", key: `k${start + at}`, at: 0, text: `${start + at}${mark}` }),
  );
  return { status: { ...STATUS, requests: [] }, start, total, items, tools: {}, tasks: {}, agentItems: {} };
}

const texts = (view: { items: readonly ViewItem[] }): string[] =>
  view.items.map((item) => (item.kind === "text" ? item.text : ""));

test("earlier items stay when the watch is opened anew further down", () => {
  const before = overlay(undefined, stateOf(40, 100));
  const after = overlay(before, stateOf(90, 120, "!"));
  expect(after.first).toBe(40);
  expect(texts(after)).toEqual([...texts(stateOf(40, 90)), ...texts(stateOf(90, 120, "!"))]);
});

test("a hole between what was known and what came drops the earlier part", () => {
  const after = overlay(overlay(undefined, stateOf(0, 10)), stateOf(60, 70));
  expect(after.first).toBe(60);
  expect(after.items).toHaveLength(10);
});

test("a list that was cut is cut here too", () => {
  expect(texts(overlay(overlay(undefined, stateOf(0, 10)), stateOf(0, 4)))).toEqual(["0", "1", "2", "3"]);
});

test("earlier pages go before, and one that does not join is left out", () => {
  const known = overlay(undefined, stateOf(40, 50));
  expect(texts(prepend(known, stateOf(20, 40)))).toEqual(texts(stateOf(20, 50)));
  expect(prepend(known, stateOf(0, 10))).toBe(known);
  expect(prepend(known, stateOf(45, 50))).toBe(known);
});

test("however one scrolls, the window stays inside the chat and never grows past its bound", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(fc.boolean(), { maxLength: 100 }), (end, ups) => {
      let range: Range = follow(end, 0);
      for (const up of ups) range = up ? earlier(range, 0, end) : later(range, end);
      expect(range.from).toBeGreaterThanOrEqual(0);
      expect((range.to ?? end) - range.from).toBeLessThanOrEqual(MAX_SHOWN_ITEMS);
      expect(range.to ?? end).toBeLessThanOrEqual(end);
    }),
  );
});
