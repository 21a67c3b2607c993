import { describe, expect, it } from "vitest";
import { AGENT_METHODS, AgentLimits, isAgentMethod } from "../../../src/policy/agents.js";
import { refusalOf } from "../../../src/protocol/refusal.js";
import { type AgentSender, AgentSenderSchema, RPC_METHODS } from "../../../src/protocol/rpc.js";
import { ManualClock } from "../../support/clock.js";

const from = (tabId: string, hops = 1): AgentSender => ({ kind: "tab", workspaceId: "w", tabId, hops });

function limits() {
  const clock = new ManualClock();
  const gate = new AgentLimits(clock.monotonic);
  const ask = (deviceId: string, sender: AgentSender, target = "t"): string => {
    try {
      gate.admit({ deviceId, from: sender, target });
      return "ok";
    } catch (error) {
      return refusalOf(error) ?? "?";
    }
  };
  return { clock, ask };
}

describe("the methods that agents may ask", () => {
  it("are those that take a sender", () => {
    const takers = Object.entries(RPC_METHODS).filter(([, { params }]) => "from" in params.shape);
    expect(Object.keys(AGENT_METHODS).sort()).toEqual(takers.map(([method]) => method).sort());
    expect(isAgentMethod("toString")).toBe(false);
  });
});

describe("F1: hops", () => {
  it("pass up to eight", () => {
    const { ask } = limits();
    expect([1, 7, 8, 9, 1000].map((hops) => ask("d", from("x", hops), String(hops)))).toEqual([
      "ok",
      "ok",
      "ok",
      "hops",
      "hops",
    ]);
  });

  it.each([0, -1, 1.5, 2 ** 53, Number.NaN, "1", null])(
    "are a whole positive number: %s is no shape",
    (hops) => {
      expect(AgentSenderSchema.safeParse({ ...from("x"), hops }).success).toBe(false);
    },
  );
});

describe("F2: rates", () => {
  it("let one agent ask twenty times in any minute", () => {
    const { ask, clock } = limits();
    const asked = (count: number): string[] =>
      Array.from({ length: count }, (_, at) => ask("d", from("x"), `t${at % 5}`));
    expect(asked(20)).toEqual(Array(20).fill("ok"));
    expect(asked(1)).toEqual(["rate"]);
    clock.advance(59_999);
    expect(asked(1)).toEqual(["rate"]);
    clock.advance(1);
    expect(asked(21)).toEqual([...Array(20).fill("ok"), "rate"]);
  });

  it("take no notice of a wall clock that jumps", () => {
    const { ask, clock } = limits();
    for (let at = 0; at < 20; at++) ask("d", from("x"), `t${at}`);
    clock.epoch += 3_600_000;
    expect(ask("d", from("x"))).toBe("rate");
  });

  it("let all agents of a device ask sixty times in a minute, whatever tabs they claim", () => {
    const { ask } = limits();
    const outcomes = Array.from({ length: 61 }, (_, at) => ask("d", from(`claimed-${at}`), `t${at}`));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(60);
    expect(ask("other", from("x"))).toBe("ok");
  });

  it("F8: let a pair go thirty times in ten minutes, though it lies about its hops", () => {
    const { ask, clock } = limits();
    let passed = 0;
    for (let second = 0; second < 599; second++) {
      if (ask("d", from("x")) === "ok") passed++;
      clock.advance(1000);
    }
    expect(passed).toBe(30);
    expect(ask("d", from("x"), "another")).toBe("ok");
  });

  it("F8: let a device ask one session ninety times in ten minutes with all the tabs it claims", () => {
    const { ask, clock } = limits();
    let passed = 0;
    for (let second = 0; second < 599; second++) {
      if (ask("d", from(`claimed-${second}`)) === "ok") passed++;
      clock.advance(1000);
    }
    expect(passed).toBe(90);
  });

  it("count nothing that was refused", () => {
    const { ask, clock } = limits();
    for (let at = 0; at < 20; at++) ask("d", from("x"), `t${at}`);
    for (let at = 0; at < 100; at++) ask("d", from("x"), "t");
    clock.advance(60_000);
    expect(ask("d", from("x"), "t")).toBe("ok");
  });
});
