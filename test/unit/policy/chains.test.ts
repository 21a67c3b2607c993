import { expect, it } from "vitest";
import { Chains } from "../../../src/policy/chains.js";
import { CHAIN_QUIET_MS, TERMINAL_CHAIN_MS } from "../../../src/policy/limits.js";
import { ManualClock } from "../../support/clock.js";

const chat = { tabId: "c", kind: "chat" } as const;
const terminal = { tabId: "t", kind: "terminal" } as const;

function chains() {
  const clock = new ManualClock();
  return { clock, all: new Chains(clock.monotonic) };
}

it("a tab that no agent wrote to is at no hop", () => {
  expect(chains().all.of("c")).toBe(0);
});

it("the longest chain counts, whatever comes after", () => {
  const { all } = chains();
  all.note(chat, 7);
  all.note(chat, 1);
  expect(all.of("c")).toBe(7);
});

it("a turn's chain lasts as long as the turn, and ten quiet minutes for what it left in the background", () => {
  const { all, clock } = chains();
  all.note(chat, 3);
  clock.advance(24 * 3_600_000);
  expect(all.of("c")).toBe(3);
  all.resting("c", true);
  clock.advance(CHAIN_QUIET_MS - 1);
  all.resting("c", true);
  expect(all.of("c")).toBe(3);
  clock.advance(1);
  expect(all.of("c")).toBe(0);
});

it("a turn that the background begins again stays in the chain", () => {
  const { all, clock } = chains();
  all.note(chat, 3);
  all.resting("c", true);
  clock.advance(CHAIN_QUIET_MS - 1);
  all.resting("c", false);
  clock.advance(CHAIN_QUIET_MS);
  expect(all.of("c")).toBe(3);
});

it("a person's message begins anew, but not in the middle of an agent's turn", () => {
  const { all } = chains();
  all.note(chat, 3);
  all.person(chat);
  expect(all.of("c")).toBe(3);
  all.resting("c", true);
  all.person(chat);
  expect(all.of("c")).toBe(0);
});

it("what was typed into a terminal counts for an hour, or until a person types", () => {
  const { all, clock } = chains();
  all.note(terminal, 5);
  clock.advance(TERMINAL_CHAIN_MS - 1);
  expect(all.of("t")).toBe(5);
  clock.advance(1);
  expect(all.of("t")).toBe(0);
  all.note(terminal, 2);
  all.person(terminal);
  expect(all.of("t")).toBe(0);
});
