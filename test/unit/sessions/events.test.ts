import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/protocol/rpc.js";
import { Events } from "../../../src/sessions/events.js";
import type { SessionsView } from "../../../src/sessions/view.js";

const ALL: SessionsView = { chatRead: true, terminalRead: true, sees: () => true };

function event(n: number, kind: SessionEvent["kind"] = "claude"): Omit<SessionEvent, "seq"> {
  return {
    at: n,
    workspaceId: "w",
    tabId: `t${n % 3}`,
    title: "x",
    kind,
    from: null,
    to: "idle",
    message: `m${n}`,
  };
}

function filled(count: number): Events {
  const events = new Events();
  for (let n = 1; n <= count; n++) events.append(event(n));
  return events;
}

const seqs = (page: { events: SessionEvent[] }): number[] => page.events.map(({ seq }) => seq);

describe("Events", () => {
  it("counts from 1 and gives the last ones without since", () => {
    const events = filled(5);
    expect(events.cursor).toBe(5);
    expect(events.read({ limit: 2, view: ALL })).toMatchObject({ cursor: 5, more: false });
    expect(seqs(events.read({ limit: 2, view: ALL }))).toEqual([4, 5]);
    expect(new Events().read({ limit: 2, view: ALL })).toEqual({ events: [], cursor: 0, more: false });
  });

  it.each([
    [0, 2, [1, 2], true],
    [3, 2, [4, 5], false],
    [5, 2, [], false],
    [6, 9, [1, 2, 3, 4, 5], false],
    [99, 2, [1, 2], true],
  ])("since %i, limit %i", (since, limit, expected, more) => {
    const page = filled(5).read({ since, limit, view: ALL });
    expect(seqs(page)).toEqual(expected);
    expect(page).toMatchObject({ more, cursor: 5 });
  });

  it("keeps the last 5,000", () => {
    const events = filled(5003);
    const page = events.read({ since: 0, limit: 1, view: ALL });
    expect(seqs(page)).toEqual([4]);
    expect(seqs(events.read({ since: 5002, limit: 500, view: ALL }))).toEqual([5003]);
    expect(events.read({ limit: 10_000, view: ALL }).events).toHaveLength(5000);
  });

  it("shows a message only with the right to read that kind, and never a tab that is hidden", () => {
    const events = new Events();
    for (const [n, kind] of (["claude", "codex", "terminal"] as const).entries())
      events.append(event(n, kind));
    const messages = (view: SessionsView): boolean[] =>
      events.read({ since: 0, limit: 9, view }).events.map((one) => "message" in one);
    expect(messages({ ...ALL, chatRead: false })).toEqual([false, false, true]);
    expect(messages({ ...ALL, terminalRead: false })).toEqual([true, true, false]);
    expect(messages(ALL)).toEqual([true, true, true]);
    const hidden = { ...ALL, sees: (tabId: string) => tabId === "t1" };
    expect(seqs(events.read({ since: 0, limit: 9, view: hidden }))).toEqual([2]);
    expect(seqs(events.read({ limit: 1, view: hidden }))).toEqual([2]);
    expect(events.read({ since: 0, limit: 1, view: hidden }).more).toBe(false);
  });

  it("gives every event once to one who reads on from the last that it got", () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (count, limit, of) => {
          const events = filled(count);
          const view = { ...ALL, sees: (tabId: string) => Number(tabId.slice(1)) < of };
          const got: number[] = [];
          let since = 0;
          for (;;) {
            const page = events.read({ since, limit, view });
            got.push(...seqs(page));
            if (!page.more) break;
            since = got.at(-1) ?? 0;
          }
          const all = Array.from({ length: count }, (_, n) => n + 1);
          expect(got).toEqual(all.filter((n) => n % 3 < of));
        },
      ),
    );
  });

  it("tells of each event as it comes", () => {
    const events = new Events();
    const heard: number[] = [];
    const stop = events.onEvent(({ seq }) => heard.push(seq));
    events.append(event(1));
    stop();
    events.append(event(2));
    expect(heard).toEqual([1]);
  });
});
