/** The owner is asked about agents of other devices: on the phone, at the workstation, over real links. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agentLog, openChat, type Ref, setRoutes, startScripted } from "../support/agents.js";
import type { BareClient } from "../support/bare-client.js";
import type { TestDaemon } from "../support/daemon.js";
import { ALL_BUT_OWNER, linkAgain, pairDevice } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let phone: BareClient;
let chat: Ref;
beforeAll(async () => {
  daemon = await startScripted();
  phone = await pairDevice(daemon, ALL_BUT_OWNER, { name: "phone" });
  chat = await openChat(daemon);
});
afterAll(() => daemon?.dispose());

const from = {
  kind: "tab",
  agent: "claude",
  workspaceId: "w-peer",
  tabId: "t-peer",
  name: "builder",
  hops: 1,
};

/** Another daemon, with the one right that it can have; revoked at the end, with what was remembered. */
async function peer(name = `laptop-${randomUUID().slice(0, 8)}`): Promise<BareClient> {
  const client = await pairDevice(daemon, ["agents"], { name, kind: "daemon" });
  onTestFinished(() =>
    daemon.owner("owner.revoke", { deviceId: client.deviceId }).then(
      () => undefined,
      () => undefined,
    ),
  );
  return client;
}

const send = (client: BareClient, text: string, ref = chat) =>
  client.ask("chat.send", { ...ref, text, from });

/** The question as it shows on the chat. */
async function asked(text?: string, ref = chat) {
  return await waitFor("the question", async () => {
    const { status } = await phone.call("chat.read", { ...ref, limit: 1 });
    return status.requests.find(
      (request: { kind: string; detail?: string }) =>
        request.kind === "consent" && (text === undefined || request.detail === text),
    );
  });
}

const answer = (requestId: string, params: object, client = phone) =>
  client.ask("chat.answer", { ...chat, requestId, ...params });

const got = (text: string) => agentLog(daemon).filter((entry) => entry.got?.includes(text));

describe("a message of another daemon's agent", () => {
  test("waits for the phone's yes, and reaches the agent in its frame, once", async () => {
    const laptop = await peer("laptop");
    const sending = send(laptop, "please build it");
    const request = await asked("please build it");
    expect(request.title).toContain("laptop");
    expect(request.title).toContain(laptop.deviceId.slice(0, 6));
    expect(request.title).toContain("builder");
    expect(request.title).toContain("send a message");
    const { sessions } = await phone.call("sessions.list");
    expect(sessions.find((one: Ref) => one.tabId === chat.tabId)).toMatchObject({
      state: "needs-you",
      waiting: { kind: "permission", requestId: request.requestId },
    });
    expect(await answer(request.requestId, { decision: "allow" })).toMatchObject({ result: {} });
    expect((await sending).result).toMatchObject({ at: expect.any(Number) });
    const [entry] = await waitFor("the agent", () => {
      const found = got("please build it");
      return found.length > 0 ? found : undefined;
    });
    expect(entry?.got).toContain("not from your user");
    expect(entry?.got).toContain("│ please build it");
    expect(entry?.got).toContain("cannot be replied to");
    const page = await phone.call("chat.read", chat);
    const item = page.items.find((one: { text?: string }) => one.text === "please build it");
    expect(item).toMatchObject({ kind: "user", from: { tabId: "t-peer", name: "builder" } });
    expect(page.status.requests).toEqual([]);
    expect(got("please build it")).toHaveLength(1);
  });

  test("is turned down: the sender hears so, and nothing reaches the agent", async () => {
    const laptop = await peer();
    const sending = send(laptop, "turned down");
    await answer((await asked("turned down")).requestId, { decision: "deny" });
    expect((await sending).error).toMatchObject({ code: 1002, data: { why: "denied" } });
    expect(got("turned down")).toEqual([]);
  });

  test("is remembered by always, for messages to this chat alone", async () => {
    const laptop = await peer();
    const sending = send(laptop, "first of many");
    await answer((await asked("first of many")).requestId, { decision: "allow", always: [0] });
    await sending;
    expect((await send(laptop, "second of many")).result).toBeDefined();
    const other = await openChat(daemon);
    const elsewhere = send(laptop, "somewhere else", other);
    const request = await asked("somewhere else", other);
    await phone.ask("chat.answer", { ...other, requestId: request.requestId, decision: "deny" });
    expect((await elsewhere).error?.code).toBe(1002);
    const interrupting = laptop.ask("chat.interrupt", { ...chat, from });
    const steer = await asked();
    expect(steer.title).toContain("stop what runs");
    expect(await answer(steer.requestId, { decision: "allow", always: [0] })).toMatchObject({
      error: { code: -32602 },
    });
    await answer(steer.requestId, { decision: "deny", stop: true });
    expect((await interrupting).error?.code).toBe(1002);
  });

  test("lets the peer read the chat that takes its messages for good, and no other", async () => {
    const laptop = await peer();
    expect((await laptop.ask("chat.read", chat)).error?.code).toBe(1001);
    expect((await laptop.call("sessions.list")).sessions).toEqual([]);
    expect((await laptop.call("sessions.list")).workspaces).toEqual([]);
    const sending = send(laptop, "to be read");
    await answer((await asked("to be read")).requestId, { decision: "allow", always: [0] });
    await sending;
    expect((await laptop.ask("chat.read", chat)).error).toBeUndefined();
    const { sessions, workspaces } = await laptop.call("sessions.list");
    expect(sessions.map((one: Ref) => one.tabId)).toEqual([chat.tabId]);
    expect(workspaces).toHaveLength(1);
    const { workspaceId } = chat;
    expect((await laptop.ask("history.list", { workspaceId, agent: "claude" })).error?.code).toBe(1002);
    expect((await laptop.ask("files.list", { workspaceId, path: "" })).error?.code).toBe(1002);
  });

  test("F7: what was consented to is what is done, whatever changes meanwhile", async () => {
    const laptop = await peer();
    const sending = send(laptop, "the very text");
    const request = await asked("the very text");
    await phone.call("chat.rename", { ...chat, title: "another title" });
    await answer(request.requestId, { decision: "allow" });
    await sending;
    await waitFor("the agent", () => got("the very text").length === 1);
  });

  test("can be answered at the workstation too, and the second answer is told", async () => {
    const laptop = await peer();
    const sending = send(laptop, "from the desk");
    const { requestId } = await asked("from the desk");
    const { waiting } = await daemon.owner("owner.consents", {});
    expect(waiting).toMatchObject([{ id: requestId, text: "from the desk", class: "message", hops: 1 }]);
    const both = await Promise.allSettled([
      daemon.owner("owner.consent.answer", { id: requestId, decision: "allow" }),
      phone.call("chat.answer", { ...chat, requestId, decision: "deny" }),
    ]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const lost = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(String(lost.reason)).toMatch(/no longer pending: .*(allowed|denied) it/);
    await sending;
  });

  test("F7: a long one is opened whole before the phone can allow it", async () => {
    const laptop = await peer();
    const text = `${"a".repeat(6000)} END`;
    const sending = send(laptop, text);
    const request = await asked();
    expect(request.detail).not.toContain("END");
    expect((await answer(request.requestId, { decision: "allow" })).error?.message).toContain(
      "open it whole",
    );
    const whole = await phone.call("chat.tool", { ...chat, toolUseId: request.toolUseId });
    expect(whole.result.text).toBe(text);
    expect((await answer(request.requestId, { decision: "allow" })).error).toBeUndefined();
    expect((await sending).result).toBeDefined();
  });
});

describe("F6: while the owner is asked", () => {
  test("the asker disconnects: the question goes and nothing happens", async () => {
    const laptop = await peer();
    send(laptop, "gone away").catch(() => undefined);
    const request = await asked("gone away");
    await laptop.close();
    await waitFor("the question to go", async () => {
      const { status } = await phone.call("chat.read", chat);
      return status.requests.length === 0;
    });
    expect((await answer(request.requestId, { decision: "allow" })).error).toMatchObject({ code: 1003 });
    expect(got("gone away")).toEqual([]);
  });

  test("the asker is revoked: the same", async () => {
    const laptop = await peer();
    send(laptop, "revoked meanwhile").catch(() => undefined);
    const request = await asked("revoked meanwhile");
    await daemon.owner("owner.revoke", { deviceId: laptop.deviceId });
    expect((await answer(request.requestId, { decision: "allow" })).error).toMatchObject({ code: 1003 });
    expect(got("revoked meanwhile")).toEqual([]);
  });

  test("the asker loses the right: it hears Forbidden", async () => {
    const laptop = await peer();
    const sending = send(laptop, "no right any more");
    const request = await asked("no right any more");
    await daemon.owner("owner.grant", { deviceId: laptop.deviceId, capabilities: [] });
    expect((await sending).error?.code).toBe(1002);
    expect((await answer(request.requestId, { decision: "allow" })).error).toMatchObject({ code: 1003 });
  });

  test("the target is closed: the asker hears NotFound", async () => {
    const laptop = await peer();
    const target = await openChat(daemon);
    const sending = send(laptop, "closed meanwhile", target);
    await asked("closed meanwhile", target);
    await daemon.call("chat.close", target);
    expect((await sending).error?.code).toBe(1001);
  });

  test("the owner stops all agents: it ends, and nothing more is asked until resumed", async () => {
    const laptop = await peer();
    const sending = send(laptop, "stopped meanwhile");
    await asked("stopped meanwhile");
    await daemon.owner("owner.agents.stop", {});
    expect((await sending).error).toMatchObject({ code: 1002, data: { why: "stopped" } });
    expect((await send(laptop, "still stopped")).error).toMatchObject({
      code: 1002,
      data: { why: "stopped" },
    });
    const { stopped, refusals } = await daemon.owner("owner.agents", {});
    expect(stopped).toMatchObject({ by: "this machine" });
    expect(refusals.at(-1)).toMatchObject({ why: "stopped", agent: "builder" });
    await daemon.owner("owner.agents.resume", {});
    const again = send(laptop, "resumed");
    await answer((await asked("resumed")).requestId, { decision: "deny" });
    expect((await again).error).toMatchObject({ data: { why: "denied" } });
  });
});

describe("what another device's agent would open", () => {
  test("has a tab ahead of the answer, which goes when the owner says no", async () => {
    const laptop = await peer();
    const { workspaceId } = chat;
    const params = { workspaceId, agent: "claude", prompt: "new work", from };
    const opening = laptop.ask("chat.new", params, randomUUID());
    const ahead = await waitFor("the tab", async () => {
      const { sessions } = await phone.call("sessions.list");
      return sessions.find((one: { waiting?: { text: string } }) =>
        one.waiting?.text.includes("open a chat"),
      );
    });
    const request = await asked(undefined, ahead);
    expect(request.detail).toContain("prompt: new work");
    await phone.call("chat.answer", {
      workspaceId,
      tabId: ahead.tabId,
      requestId: request.requestId,
      decision: "deny",
    });
    expect((await opening).error?.code).toBe(1002);
    await waitFor("the tab to go", async () => {
      const { sessions } = await phone.call("sessions.list");
      return !sessions.some((one: Ref) => one.tabId === ahead.tabId);
    });
    expect(got("new work")).toEqual([]);
  });

  test("is the chat that opens when the owner says yes, with the prompt in its frame", async () => {
    const laptop = await peer();
    const { workspaceId } = chat;
    const params = { workspaceId, agent: "claude", prompt: "welcome work", model: "default", from };
    const opening = laptop.ask("chat.new", params);
    const { waiting } = await waitFor("the question", async () => {
      const all = await daemon.owner("owner.consents", {});
      return all.waiting.length > 0 ? all : undefined;
    });
    const [consent] = waiting;
    await daemon.owner("owner.consent.answer", { id: consent?.id ?? "", decision: "allow" });
    const { result } = await opening;
    expect(result).toEqual({ tabId: consent?.tabId });
    const entry = await waitFor("the prompt", () => got("│ welcome work")[0]);
    expect(entry).toMatchObject({ tabId: consent?.tabId, from: { name: "builder", hops: 1 } });
    const ref = { workspaceId, tabId: result.tabId };
    expect((await laptop.call("chat.read", ref)).items[0]).toMatchObject({ text: "welcome work" });
    await daemon.call("chat.close", ref);
  });

  test("runs in that very tab when the owner says yes", async () => {
    const laptop = await peer();
    const { workspaceId } = chat;
    const opening = laptop.ask(
      "terminal.open",
      { workspaceId, command: "echo opened-by-$((20+3))", from },
      randomUUID(),
    );
    const ahead = await waitFor("the tab", async () => {
      const { sessions } = await phone.call("sessions.list");
      return sessions.find((one: { waiting?: { text: string } }) =>
        one.waiting?.text.includes("open a terminal"),
      );
    });
    const ref = { workspaceId, tabId: ahead.tabId };
    expect((await phone.call("terminal.read", ref)).text).toContain("command: echo opened-by-$((20+3))");
    const { requestId } = ahead.waiting;
    await phone.call("terminal.answer", { ...ref, requestId, decision: "allow" });
    expect((await opening).result).toEqual({ tabId: ahead.tabId });
    await waitFor("the command", async () =>
      (await phone.call("terminal.read", ref)).text.includes("opened-by-23"),
    );
    expect((await laptop.call("terminal.read", ref)).text).toContain("opened-by-23");
    await daemon.call("terminal.close", { ...ref, force: true });
  });
});

describe("F4, H5: who may do without the owner", () => {
  test("nobody drops `from`: without a right of its own a peer is Forbidden", async () => {
    const laptop = await peer();
    expect((await laptop.ask("chat.send", { ...chat, text: "no sender" })).error?.code).toBe(1002);
    expect((await laptop.ask("chat.rename", { ...chat, title: "mine" })).error?.code).toBe(1002);
  });

  test("no device answers what its own agents ask, no daemon answers at all, and none with `from`", async () => {
    const laptop = await peer();
    const sending = send(laptop, "who answers");
    const { requestId } = await asked("who answers");
    const allow = { ...chat, requestId, decision: "allow" };
    expect((await laptop.ask("chat.answer", allow)).error?.code).toBe(1002);
    expect((await laptop.ask("chat.answer", { ...allow, from })).error?.code).toBe(1002);
    expect((await phone.ask("chat.answer", { ...allow, from })).error?.code).toBe(1002);
    await answer(requestId, { decision: "deny" });
    await sending;

    const both = await pairDevice(daemon, [...ALL_BUT_OWNER, "agents"], { name: "both" });
    const own = both.ask("chat.send", { ...chat, text: "my own agent's", from });
    const mine = await asked("my own agent's");
    expect((await answer(mine.requestId, { decision: "allow" }, both)).error?.message).toContain(
      "its own agents",
    );
    await answer(mine.requestId, { decision: "deny" });
    expect((await own).error?.code).toBe(1002);
    await daemon.owner("owner.revoke", { deviceId: both.deviceId });
  });

  test("another daemon cannot be given more than the right agents", async () => {
    const laptop = await peer();
    await expect(
      daemon.owner("owner.grant", { deviceId: laptop.deviceId, capabilities: ["agents", "chat.control"] }),
    ).rejects.toMatchObject({ code: 1002 });
  });
});

test("F2: the twenty-first request in a minute is Unavailable, and says when to try again", async () => {
  const laptop = await peer();
  await daemon.owner("owner.consent.set", { device: laptop.deviceId, class: "message", decision: "allow" });
  const answers = [];
  for (let at = 0; at < 21; at++) answers.push(await send(laptop, `number ${at}`));
  expect(answers.slice(0, 20).every(({ error }) => error === undefined)).toBe(true);
  expect(answers[20]?.error).toMatchObject({ code: 1003, data: { why: "rate" } });
  expect(answers[20]?.error?.message).toMatch(/try again in \d+ seconds/);
});

test("F1: nine hops are Forbidden, and what is no count is no request", async () => {
  const laptop = await peer();
  const codes = [];
  for (const hops of [9, 0, -1, 1.5, 2 ** 53]) {
    codes.push((await laptop.ask("chat.send", { ...chat, text: "x", from: { ...from, hops } })).error?.code);
  }
  expect(codes).toEqual([1002, -32602, -32602, -32602, -32602]);
});

test("a message that was sent again on another link acts once and asks once", async () => {
  const laptop = await peer();
  const id = randomUUID();
  const params = { ...chat, text: "only once", from };
  const first = laptop.ask("chat.send", params, id);
  await answer((await asked("only once")).requestId, { decision: "allow" });
  const { result } = await first;
  const again = await linkAgain(laptop);
  expect((await again.ask("chat.send", params, id)).result).toEqual(result);
  await waitFor("the agent", () => got("only once").length > 0);
  expect(got("only once")).toHaveLength(1);
});

test("a chain goes on over a restart: what an agent sent counts when its turn begins again", async () => {
  const other = await startScripted();
  onTestFinished(() => other.dispose());
  const [x, y] = [await openChat(other), await openChat(other)];
  setRoutes(other, { [x.tabId]: "hold" });
  const laptop = await pairDevice(other, ["agents"], { name: "laptop", kind: "daemon" });
  await other.owner("owner.consent.set", { device: "laptop", class: "message", decision: "allow" });
  const params = { ...x, from: { ...from, hops: 5 } };
  await laptop.call("chat.send", { ...params, text: "first" });
  await waitFor("it to be read", () => agentLog(other).length > 0);
  await other.kill();
  setRoutes(other, { [x.tabId]: { params: { ...y, text: "passed on" } } });
  await other.restart();
  await other.call("chat.read", x);
  const again = await pairDevice(other, ["agents"], { name: "again", kind: "daemon" });
  await other.owner("owner.consent.set", { device: "again", class: "message", decision: "allow" });
  await again.call("chat.send", { ...params, text: "second" });
  const passed = await waitFor("what it sends", () => agentLog(other).find(({ tabId }) => tabId === y.tabId));
  expect(passed.from?.hops).toBe(6);
});

test("F6: a restart while the owner is asked leaves no tab, no question and no effect", async () => {
  const other = await startScripted();
  onTestFinished(() => other.dispose());
  const there = await openChat(other);
  const laptop = await pairDevice(other, ["agents"], { name: "laptop", kind: "daemon" });
  const { workspaceId } = there;
  laptop
    .ask("chat.new", { workspaceId, agent: "claude", prompt: "too late", from }, randomUUID())
    .catch(() => undefined);
  const { waiting } = await waitFor("the question", async () => {
    const all = await other.owner("owner.consents", {});
    return all.waiting.length > 0 ? all : undefined;
  });
  const id = waiting[0]?.id ?? "";
  await other.kill();
  await other.restart();
  const { sessions } = await other.call("sessions.list", {});
  expect(sessions.map(({ tabId }) => tabId)).toEqual([there.tabId]);
  await expect(other.owner("owner.consent.answer", { id, decision: "allow" })).rejects.toThrow(
    "no longer pending",
  );
  expect(agentLog(other)).toEqual([]);
});

test("one audit line for each request of an agent: who, what, hops and how the owner answered", async () => {
  const laptop = await peer();
  const sending = send(laptop, "to be written down");
  await answer((await asked("to be written down")).requestId, { decision: "allow" });
  await sending;
  const { entries } = await daemon.owner("owner.audit", { limit: 20 });
  const mine = entries.filter((entry) => entry.device === laptop.deviceId && entry.method === "chat.send");
  expect(mine).toMatchObject([
    {
      outcome: "ok",
      tabId: chat.tabId,
      hops: 1,
      consent: "allowed",
      bytes: "to be written down".length,
      from: { kind: "tab", workspaceId: "w-peer", tabId: "t-peer" },
    },
  ]);
  const state = join(daemon.home, ".local/state/nexusd");
  const written = ["audit.jsonl", "consents.json", "once.jsonl"].map((name) =>
    readFileSync(join(state, name), "utf8"),
  );
  expect([...written, daemon.log()].join("\n")).not.toContain("to be written down");
  expect(await daemon.owner("owner.audit.verify", {})).toMatchObject({ ok: true });
});
