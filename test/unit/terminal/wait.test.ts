import { afterAll, describe, expect, test } from "vitest";
import { MatchMemory } from "../../../src/terminal/host/match-memory.js";
import { Matcher } from "../../../src/terminal/host/matcher.js";
import type { WaitOptions, WaitResult } from "../../../src/terminal/types.js";
import { type Waitable, waitFor } from "../../../src/terminal/wait.js";

const matcher = new Matcher();
afterAll(() => matcher.close());

interface Changeable extends Waitable {
  set(changes: Partial<Waitable>): void;
  /** How often a wait has looked. */
  looks(): number;
}

/** A terminal whose parts a test sets by hand. */
function terminal(start: Partial<Waitable>): Changeable {
  const listeners = new Set<() => void>();
  let looks = 0;
  let state: Waitable = {
    phase: "prompt",
    promptAt: 10,
    startedAt: 5,
    notice: undefined,
    rootProgram: false,
    quietMs: 0,
    untypedMs: 0,
    lastLine: "the last line",
    now: () => 20,
    lines: () => ({ lines: [], cursor: PLACE }),
    placeAt: () => undefined,
    onActivity(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...start,
  };
  const view = new Proxy({} as Changeable, {
    get(_target, name) {
      if (name === "set") {
        return (changes: Partial<Waitable>) => {
          state = { ...state, ...changes };
          for (const listener of listeners) listener();
        };
      }
      if (name === "looks") return () => looks;
      if (name === "phase") looks++;
      return Reflect.get(state, name) as unknown;
    },
  });
  return view;
}

const PLACE = { epoch: 0, line: 0, rows: [], alternateEpoch: 0, alternateRows: [] };

function wait(
  subject: Waitable,
  options: Partial<WaitOptions>,
  signal = new AbortController().signal,
): Promise<WaitResult> {
  const tools = { matcher, memory: new MatchMemory(), signal };
  return waitFor(subject, { asker: "test", ...options }, tools);
}

describe("a wait", () => {
  test("is idle at the prompt", async () => {
    expect(await wait(terminal({}), {})).toEqual({ done: true, state: "idle", message: "the last line" });
  });

  test("is not, when the prompt was there before what it waits after", async () => {
    const result = await wait(terminal({ promptAt: 10, startedAt: 5 }), { after: 15, timeoutMs: 30 });
    expect(result).toEqual({ done: false, state: "notStarted" });
  });

  test("waits for the prompt that comes after a command", async () => {
    const subject = terminal({ phase: "running", promptAt: 10, startedAt: 16 });
    const held = wait(subject, { after: 15 });
    subject.set({ phase: "prompt", promptAt: 30 });
    expect(await held).toMatchObject({ done: true, state: "idle" });
  });

  test("for the end does not care for prompts", async () => {
    const subject = terminal({});
    expect(await wait(subject, { exit: true, timeoutMs: 30 })).toEqual({ done: false, state: "waiting" });
    const held = wait(subject, { exit: true });
    subject.set({ phase: "ended" });
    expect(await held).toEqual({ done: true, state: "exited", message: "the last line" });
  });

  test("ends by silence where it is asked for, or where the root program is no shell", async () => {
    expect(await wait(terminal({ phase: "running", quietMs: 600 }), { quietMs: 500 })).toMatchObject({
      state: "idle",
    });
    const root = terminal({ phase: "running", rootProgram: true, quietMs: 2500, untypedMs: 2500 });
    expect(await wait(root, {})).toMatchObject({ state: "idle" });
    const shell = terminal({ phase: "running", quietMs: 60_000 });
    expect(await wait(shell, { timeoutMs: 30 })).toEqual({ done: false, state: "waiting" });
  });

  test("does not take the silence from before an input for an answer to it", async () => {
    const subject = terminal({ phase: "running", quietMs: 60_000, untypedMs: 10 });
    const result = await wait(subject, { after: 15, quietMs: 500, timeoutMs: 30 });
    expect(result).toEqual({ done: false, state: "waiting" });
  });

  test("ends when the program rings after it was asked, with its notice", async () => {
    const old = terminal({ phase: "running", notice: { at: 14, message: "old" } });
    expect(await wait(old, { after: 15, timeoutMs: 30 })).toMatchObject({ done: false });
    const held = wait(old, { after: 15 });
    old.set({ notice: { at: 16, message: "build done" } });
    expect(await held).toEqual({ done: true, state: "notified", message: "build done" });
  });

  test("sleeps while nothing happens", async () => {
    const subject = terminal({ promptAt: 10, quietMs: 60_000, untypedMs: 60_000 });
    await wait(subject, { after: 15, quietMs: 1, timeoutMs: 300 });
    expect(subject.looks()).toBeLessThan(40);
  });

  test("answers at once when it is called off", async () => {
    const off = new AbortController();
    const held = wait(terminal({ phase: "running" }), {}, off.signal);
    off.abort();
    expect(await held).toEqual({ done: false, state: "waiting" });
  });
});

describe("a wait for a line", () => {
  test("still matches what a program wrote last before it ended", async () => {
    const subject = terminal({ phase: "ended", lines: () => ({ lines: ["one", "done 7"], cursor: PLACE }) });
    expect(await wait(subject, { match: "^done \\d$" })).toEqual({
      done: true,
      state: "matched",
      message: "done 7",
    });
    expect(await wait(subject, { match: "never" })).toMatchObject({ done: true, state: "exited" });
  });

  test("looks at a line up to its bound alone", async () => {
    const subject = terminal({ lines: () => ({ lines: [`${"x".repeat(5000)}end`], cursor: PLACE }) });
    expect(await wait(subject, { match: "end", timeoutMs: 100 })).toMatchObject({ done: false });
  });
});
