import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  atRest,
  type ChatFacts,
  nextStanding,
  type Signal,
  type Standing,
  type TerminalFacts,
  waitingOf,
} from "../../../src/sessions/states.js";

const chat = (state: ChatFacts["state"], more: Partial<ChatFacts> = {}): Signal => ({
  type: "chat",
  facts: { state, ...more },
});
const terminal = (phase: TerminalFacts["phase"], more: Partial<TerminalFacts> = {}): Signal => ({
  type: "terminal",
  facts: { phase, ...more },
});
const looked: Signal = { type: "looked" };

/** Each signal a second after the one before. */
function standingAfter(...signals: Signal[]): Standing {
  return signals.reduce((standing, signal, n) => nextStanding(standing, signal, 1000 * (n + 1)), atRest(0));
}

const asks = { waiting: { kind: "permission", text: "Run rm?" } } as const;

describe("a chat", () => {
  it.each<[string, Signal[], string]>([
    ["at first", [], "idle"],
    ["whose program starts", [chat("starting")], "running"],
    ["whose program started and did nothing", [chat("starting"), chat("idle")], "idle"],
    ["that works", [chat("idle"), chat("working")], "running"],
    ["whose turn ended", [chat("working"), chat("idle")], "new-result"],
    ["whose turn failed", [chat("working"), chat("error")], "new-result"],
    ["whose program could not start", [chat("starting"), chat("error")], "new-result"],
    ["that stays failed after a look", [chat("error"), looked, chat("error")], "idle"],
    ["that was looked at after its turn", [chat("working"), chat("idle"), looked], "idle"],
    ["that was looked at before its turn ended", [chat("working"), looked, chat("idle")], "new-result"],
    ["that asks", [chat("working"), chat("asking", asks)], "needs-you"],
    ["that was answered", [chat("working"), chat("asking", asks), chat("working")], "running"],
    ["that asks and was looked at", [chat("asking", asks), looked], "needs-you"],
    ["whose question was its turn's end", [chat("asking", asks), chat("idle")], "new-result"],
    ["that was closed", [chat("working"), chat("closed")], "ended"],
    ["that was closed while it asked", [chat("asking", asks), chat("closed", asks)], "ended"],
    ["that was stopped while idle", [chat("working"), chat("idle"), looked, chat("idle")], "idle"],
  ])("%s", (_what, signals, state) => {
    expect(standingAfter(...signals).state).toBe(state);
  });

  it("shows the request that waits, and no longer than it waits", () => {
    expect(standingAfter(chat("asking", asks)).waiting).toEqual(asks.waiting);
    expect(standingAfter(chat("asking", asks), chat("working")).waiting).toBeUndefined();
    expect(standingAfter(chat("asking", asks), chat("closed", asks)).waiting).toBeUndefined();
  });

  it("keeps its last line until there is another, and makes it one line", () => {
    expect(standingAfter(chat("working", { last: "a\n\u001b[31mb" }), chat("idle")).last).toBe("a b");
    expect(standingAfter(chat("working", { last: "a" }), chat("idle", { last: "b" })).last).toBe("b");
  });

  it("has needs-you while a consent waits, whatever it does", () => {
    const consent: Signal = { type: "consent", waiting: { kind: "permission", text: "Peer asks" } };
    expect(standingAfter(chat("working"), consent)).toMatchObject({
      state: "needs-you",
      waiting: consent.waiting,
    });
    expect(standingAfter(chat("asking", asks), consent).waiting).toEqual(asks.waiting);
    expect(standingAfter(chat("working"), consent, { type: "consent", waiting: undefined }).state).toBe(
      "running",
    );
  });
});

describe("a terminal", () => {
  const long = { lastCommand: { startedAt: 0, endedAt: 10_001 } };
  const short = { lastCommand: { startedAt: 0, endedAt: 10_000 } };
  const agent = (state: "working" | "asking" | "idle", more = {}): Signal =>
    terminal("running", { agent: { name: "claude", state, ...more } });

  it.each<[string, Signal[], string]>([
    ["at its prompt", [terminal("prompt")], "idle"],
    ["that runs a program", [terminal("prompt"), terminal("running")], "running"],
    ["whose short command ended", [terminal("running"), terminal("prompt", short)], "idle"],
    ["whose long command ended", [terminal("running"), terminal("prompt", long)], "new-result"],
    [
      "whose long command ended and was looked at",
      [terminal("running"), terminal("prompt", long), looked],
      "idle",
    ],
    [
      "that tells of the same command again",
      [terminal("running"), terminal("prompt", long), looked, terminal("prompt", long)],
      "idle",
    ],
    ["whose long command ended before the daemon started", [terminal("prompt", long)], "idle"],
    [
      "that runs the next command after a long one",
      [terminal("running"), terminal("prompt", long), terminal("running", long)],
      "running",
    ],
    ["that ended", [terminal("running"), terminal("ended", { exit: { code: 3 } })], "ended"],
    ["whose agent works", [terminal("running"), agent("working")], "running"],
    ["whose agent waits for a message", [agent("idle")], "idle"],
    ["whose agent's turn ended", [agent("working"), agent("idle")], "new-result"],
    ["whose agent asks", [agent("working"), agent("asking", { waiting: asks.waiting })], "needs-you"],
    ["whose agent left", [agent("asking", { waiting: asks.waiting }), terminal("prompt")], "idle"],
  ])("%s", (_what, signals, state) => {
    expect(standingAfter(...signals).state).toBe(state);
  });

  it("changes its last line only with its state", () => {
    const first = standingAfter(terminal("running", { lastLine: "one" }));
    expect(first.last).toBe("one");
    const flood = nextStanding(first, terminal("running", { lastLine: "two" }), 5000);
    expect(flood.last).toBe("one");
    expect(nextStanding(flood, terminal("prompt", { lastLine: "three" }), 6000).last).toBe("three");
  });

  it.each<[Partial<TerminalFacts>, string]>([
    [{ exit: { code: 3 } }, "exit code 3"],
    [{ exit: { code: 0 } }, "exit code 0"],
    [{ exit: { code: null, signal: "SIGKILL" } }, "ended by SIGKILL"],
    [{ endedReason: "Its host process is gone" }, "Its host process is gone"],
    [{}, "ended"],
  ])("says how it ended: %j", (facts, last) => {
    expect(standingAfter(terminal("running", { lastLine: "x" }), terminal("ended", facts)).last).toBe(last);
  });

  it("names the agent that runs in it", () => {
    expect(standingAfter(agent("working")).agent).toBe("claude");
    expect(standingAfter(agent("working"), terminal("prompt")).agent).toBeUndefined();
  });
});

describe("looking", () => {
  it("counts for as long as it goes on: what comes meanwhile is no new result", () => {
    const watching = standingAfter({ type: "looking" }, chat("working"), chat("idle"));
    expect(watching.state).toBe("idle");
    const left = nextStanding(watching, { type: "away" }, 9000);
    expect(left.state).toBe("idle");
    expect(
      [chat("working"), chat("idle")].reduce((s, signal) => nextStanding(s, signal, 9500), left).state,
    ).toBe("new-result");
  });

  it("goes on until the last one is away", () => {
    const both = standingAfter(
      { type: "looking" },
      { type: "looking" },
      { type: "away" },
      chat("working"),
      chat("idle"),
    );
    expect(both.state).toBe("idle");
  });
});

describe("any session", () => {
  const waiting = fc.option(
    fc.record({
      kind: fc.constantFrom("permission" as const, "question" as const, "plan" as const),
      text: fc.string({ maxLength: 10 }),
    }),
    { nil: undefined },
  );
  const signal: fc.Arbitrary<Signal> = fc.oneof(
    fc
      .record({
        state: fc.constantFrom<ChatFacts["state"]>(
          "starting",
          "working",
          "asking",
          "idle",
          "error",
          "closed",
        ),
        ask: waiting,
      })
      .map(({ state, ask }) => chat(state, ask === undefined ? {} : { waiting: ask })),
    fc.constantFrom("prompt" as const, "running" as const, "ended" as const).map((phase) => terminal(phase)),
    waiting.map((ask): Signal => ({ type: "consent", waiting: ask })),
    fc.constantFrom<Signal>(looked, { type: "looking" }, { type: "away" }),
  );

  it("keeps since for as long as its state, and a waiting request only with needs-you", () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 40 }), (signals) => {
        let before = atRest(0);
        signals.forEach((one, n) => {
          const now = n + 1;
          const next = nextStanding(before, one, now);
          expect(next.since).toBe(next.state === before.state ? before.since : now);
          if (next.waiting !== undefined) expect(next.state).toBe("needs-you");
          if (next.looking > 0) expect(next.state).not.toBe("new-result");
          expect(next.looking).toBeGreaterThanOrEqual(0);
          before = next;
        });
        expect(nextStanding(before, looked, 999).state).not.toBe("new-result");
      }),
    );
  });
});

describe("waitingOf", () => {
  const request = (at: number, kind: "permission" | "consent" | "question" = "permission") => ({
    requestId: `r${at}`,
    kind,
    toolName: "Bash",
    title: `title ${at}`,
    input: {},
    suggestions: [],
    at,
  });

  it("shows the oldest request, a consent as a permission, and none when none waits", () => {
    expect(waitingOf([])).toBeUndefined();
    expect(waitingOf([request(2), request(1, "question")])).toEqual({ kind: "question", text: "title 1" });
    expect(waitingOf([request(1, "consent")])).toEqual({ kind: "permission", text: "title 1" });
  });
});
