import { describe, expect, it } from "vitest";
import type { AgentMethod } from "../../../src/policy/agents.js";
import { ConsentRules, type ConsentsFile, EMPTY_CONSENTS } from "../../../src/policy/consent-rules.js";
import { Consents } from "../../../src/policy/consents.js";
import { AgentGate, type GateCall, type GateWorld, type Subject } from "../../../src/policy/gate.js";
import { notFound, unavailable } from "../../../src/protocol/errors.js";
import { refusalOf } from "../../../src/protocol/refusal.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";

const OWNER = { deviceId: "local", name: "this machine", mayConsent: true };

/** A gate before sessions that the test describes, and what happened in their order. */
function gateTo(subject: Partial<Subject> = {}) {
  const clock = new ManualClock();
  const kept = new MemoryKept<ConsentsFile>(EMPTY_CONSENTS);
  const rules = new ConsentRules(kept, clock.now);
  const consents = new Consents(rules, clock);
  const steps: string[] = [];
  const state = { subject: {} as Partial<Subject>, gone: false, changed: false, holds: true };
  const world: GateWorld = {
    async subject() {
      steps.push("target");
      if (state.gone) throw notFound("tab");
      const found = {
        workspaceId: "w",
        tabId: "t",
        kind: "chat" as const,
        title: "a chat",
        wants: "send a message to",
        text: "hello",
        beyond: false,
      };
      return { ...found, ...subject, ...state.subject };
    },
    async recheck() {
      steps.push("again");
      if (state.gone) throw notFound("tab");
      if (state.changed) throw unavailable("changed");
    },
    async openAhead() {
      steps.push("ahead");
    },
    async closeAhead() {
      steps.push("away");
    },
  };
  const gate = new AgentGate({ rules, consents, world, clock });
  const asker = new AbortController();
  const call = (change: Partial<GateCall> = {}): GateCall => ({
    caller: { kind: "device", deviceId: "laptop", name: "laptop", can: () => state.holds },
    method: "chat.send",
    params: { workspaceId: "w", tabId: "t", text: "hello" },
    from: { kind: "tab", workspaceId: "w2", tabId: "x", hops: 1 },
    signal: asker.signal,
    newTabId: "new",
    trace: {},
    ...change,
  });
  /** Runs a request; the outcome in a word. */
  const run = async (change: Partial<GateCall> = {}): Promise<string> => {
    const asked = call(change);
    try {
      await gate.run(
        asked,
        () => steps.push("allowed"),
        async () => steps.push("acts"),
      );
      return "done";
    } catch (error) {
      return refusalOf(error) ?? (error as Error).message;
    }
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const answer = async (decision: "allow" | "deny") => {
    await settle();
    await consents.answer(consents.list()[0]?.id ?? "", { decision }, OWNER);
  };
  return { gate, rules, consents, clock, steps, state, call, run, answer, settle };
}

describe("the gate", () => {
  it("finds the target, asks, checks again and acts once, in this order", async () => {
    const { run, answer, steps } = gateTo();
    const running = run();
    await answer("allow");
    expect(await running).toBe("done");
    expect(steps).toEqual(["target", "again", "allowed", "acts"]);
  });

  it("asks about nothing that is not there", async () => {
    const { run, state, consents } = gateTo();
    state.gone = true;
    expect(await run()).toContain("No such tab");
    expect(consents.list()).toEqual([]);
  });

  it.each([
    ["the right was taken", ({ state }) => (state.holds = false)],
    ["the target is gone", ({ state }) => (state.gone = true)],
    ["the target changed", ({ state }) => (state.changed = true)],
    ["agents were stopped", ({ rules }) => rules.stop("me")],
    [
      "the owner decided otherwise meanwhile",
      ({ rules }) => rules.set({ deviceId: "laptop", target: "t", class: "message" }, "deny", "me"),
    ],
  ] as [string, (made: ReturnType<typeof gateTo>) => unknown][])(
    "does not act after a yes when %s",
    async (_what, happens) => {
      const made = gateTo();
      const running = made.run();
      await made.settle();
      await happens(made);
      await made.answer("allow");
      expect(await running).not.toBe("done");
      expect(made.steps).not.toContain("acts");
    },
  );

  it("asks about what goes beyond, though such requests are allowed, and never between tabs of this machine", async () => {
    const { run, answer, rules, consents } = gateTo({ beyond: true });
    await rules.set({ deviceId: "laptop", target: null, class: "message" }, "allow", "me");
    const running = run();
    await answer("allow");
    expect(await running).toBe("done");
    const local = { kind: "agent", deviceId: "tab:x", name: "x", can: () => true } as const;
    expect(await run({ caller: local })).toBe("done");
    expect(consents.list()).toEqual([]);
  });

  it.each(["chat.answer", "terminal.answer"] as AgentMethod[])(
    "lets %s through for a pair that the owner wrote down alone",
    async (method) => {
      const { run, rules } = gateTo();
      expect(await run({ method })).toContain("cannot answer in a person's place");
      await rules.set({ deviceId: "laptop", target: "t", class: "answer" }, "allow", "me");
      expect(await run({ method })).toBe("done");
    },
  );

  it("makes a tab ahead for what would be opened, and takes it away on no, and after a failure", async () => {
    const { run, answer, steps, rules } = gateTo({ tabId: undefined as never });
    const running = run({ method: "chat.new" });
    await answer("deny");
    expect(await running).toBe("denied");
    expect(steps).toEqual(["target", "ahead", "away"]);
    expect(rules.ahead).toEqual([]);
  });

  it("takes away what was made ahead when the daemon ended before the answer", async () => {
    const { gate, run, settle, steps, rules } = gateTo({ tabId: undefined as never });
    void run({ method: "terminal.open" });
    await settle();
    expect(rules.ahead).toEqual(["new"]);
    await gate.clearAhead();
    expect(steps.at(-1)).toBe("away");
    expect(rules.ahead).toEqual([]);
  });

  it("counts the chain on before it acts, for what it starts may send at once", async () => {
    const { gate, run, answer } = gateTo();
    const running = run({ from: { kind: "tab", workspaceId: "w2", tabId: "x", hops: 4 } });
    expect(gate.chains.of("t")).toBe(0);
    await answer("allow");
    await running;
    expect(gate.chains.of("t")).toBe(4);
  });

  it("says who was let through and who was turned away and why", async () => {
    const { gate, run, answer, call } = gateTo();
    const first = run();
    await answer("allow");
    await first;
    const second = run();
    await answer("deny");
    await second;
    const { caller, method } = call();
    const from = { kind: "tab", workspaceId: "w2", tabId: "x", hops: 9 } as const;
    expect(() => gate.admit({ caller, method, from, target: "t" })).toThrow("number 9 of a chain");
    expect(gate.traffic.routes()).toMatchObject([{ device: "laptop", target: "a chat", count: 1 }]);
    expect(gate.traffic.refusals().map(({ why }) => why)).toEqual(["denied", "hops"]);
  });
});
