/** Row H2: what a tab's own socket does not do, whatever it is told. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER_METHODS } from "../../src/protocol/owner.js";
import { agentLog, askAsAgent, openChat, type Ref, startScripted } from "../support/agents.js";
import type { TestDaemon } from "../support/daemon.js";
import { pairDevice } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let mine: Ref;
let other: Ref;
beforeAll(async () => {
  daemon = await startScripted();
  mine = await openChat(daemon);
  other = await openChat(daemon);
});
afterAll(() => daemon?.dispose());

const ask = (method: string, params: unknown = {}) => askAsAgent(daemon, mine.tabId, { method, params });

test.each(Object.keys(OWNER_METHODS))("H2: %s is not there for an agent", async (method) => {
  expect((await ask(method)).error?.code).toBe(-32601);
});

test("H2: what it sends is its own tab's, whoever it says it is", async () => {
  const from = { kind: "manager", workspaceId: "w", tabId: "someone-else", name: "the user", hops: 1 };
  expect((await ask("chat.send", { ...other, text: "stamped", from })).error).toBeUndefined();
  const entry = await waitFor("the message", () =>
    agentLog(daemon).find(({ got }) => got?.includes("stamped")),
  );
  expect(entry.from).toMatchObject({ kind: "tab", tabId: mine.tabId, hops: 1 });
  expect(entry.got).not.toContain("someone-else");
});

test("H2: without `from` it is no person: its message is framed, and methods of persons are closed to it", async () => {
  expect((await ask("chat.send", { ...other, text: "dropped from" })).error).toBeUndefined();
  const entry = await waitFor("the message", () =>
    agentLog(daemon).find(({ got }) => got?.includes("dropped from")),
  );
  expect(entry.got).toContain("not from your user");
  const { workspaceId } = mine;
  for (const [method, params] of [
    ["chat.rename", { ...other, title: "x" }],
    ["chat.command", { ...other, name: "clear" }],
    ["chat.stopTask", { ...other, taskId: "t" }],
    ["chat.resume", { workspaceId, agent: "claude", sessionId: "s" }],
    ["terminal.shells", { workspaceId }],
    ["files.list", { workspaceId, path: "" }],
    ["git.status", { workspaceId }],
  ] as const) {
    expect([method, (await ask(method, params)).error?.code]).toEqual([method, 1002]);
  }
});

test("H2: it answers no consent, seen or guessed", async () => {
  const peer = await pairDevice(daemon, ["agents"], { name: "laptop", kind: "daemon" });
  const from = { kind: "tab", workspaceId: "w", tabId: "t", hops: 1 };
  const sending = peer.ask("chat.send", { ...other, text: "may I", from });
  const consent = await waitFor("the question", async () => {
    const { waiting } = await daemon.owner("owner.consents", {});
    return waiting[0];
  });
  const params = { ...other, requestId: consent.id, decision: "allow" };
  expect((await ask("chat.answer", params)).error?.code).toBe(1002);
  expect((await ask("chat.tool", { ...other, toolUseId: consent.id })).error?.code).toBe(1002);
  await daemon.owner("owner.consent.set", {
    device: "local",
    class: "answer",
    decision: "allow",
    target: other.tabId,
  });
  expect((await ask("chat.answer", params)).error?.code).toBe(1002); // not even where it may answer its agent
  await daemon.owner("owner.consent.answer", { id: consent.id, decision: "deny" });
  expect((await sending).error?.code).toBe(1002);
});

test("H2: a closed tab's token is dead at once, on links that are open too", async () => {
  const gone = await openChat(daemon);
  const request = { method: "chat.send", params: { ...other, text: "after the end" } };
  await daemon.call("chat.close", gone);
  await expect(askAsAgent(daemon, gone.tabId, request)).rejects.toThrow("closed");
});
