import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Chat } from "../../../src/chat/chat.js";
import type { AgentRequest } from "../../../src/chat/driver.js";
import { unavailable } from "../../../src/protocol/errors.js";
import { startChats, type TestChats } from "../../support/chats.js";
import { ScriptedDriver, type ScriptedSession } from "../../support/scripted-agent.js";
import { waitFor } from "../../support/wait-for.js";

async function open(options: Parameters<typeof startChats>[0] = {}): Promise<TestChats & { chat: Chat }> {
  const started = await startChats(options);
  onTestFinished(() => started.cleanup());
  const { chat } = await started.chats.new({ workspaceId: "w1", folder: started.dir, agent: "claude" });
  return { ...started, chat };
}

/** Sends, and waits until the program has it. */
async function sent(driver: ScriptedDriver, chat: Chat, text: string): Promise<ScriptedSession> {
  const count = (): number => driver.sessions.reduce((sum, session) => sum + session.sent.length, 0);
  const before = count();
  await chat.send({ text });
  return waitFor("the message at the program", () => (count() > before ? driver.session : undefined));
}

const request = (requestId: string, more: Partial<AgentRequest> = {}): AgentRequest => ({
  requestId,
  kind: "permission",
  toolName: "Bash",
  title: "touch a file",
  input: { command: "touch a" },
  suggestions: [{ label: "always" }],
  ...more,
});

const keys = (chat: Chat): string[] => chat.model.items.items.map((item) => `${item.kind}`);

describe("a message", () => {
  test("sent before the program runs starts it, and is delivered once", async () => {
    const { chat, driver } = await open();
    const session = await sent(driver, chat, "hello");
    expect(session.sent.map(({ text }) => text)).toEqual(["hello"]);
    expect(chat.model.status()).toMatchObject({ state: "working", queued: 1 });
    session.emit({ type: "turn-started" });
    session.emit({ type: "taken", messageId: session.sent[0]?.id ?? "" });
    expect(chat.model.status()).toMatchObject({ state: "working", queued: 0 });
    expect(chat.model.items.items[0]).toMatchObject({ kind: "user", text: "hello", state: "sent" });
  });

  test("with the same id again is the same message", async () => {
    const { chat, driver } = await open();
    const first = await chat.send({ id: "m1", text: "once" });
    const again = await chat.send({ id: "m1", text: "once" });
    expect(again).toEqual(first);
    const session = await waitFor("the program", () => driver.session);
    await waitFor("the message", () => session.sent.length > 0);
    expect(session.sent).toHaveLength(1);
  });

  test("sent during a turn shows as queued until the agent read it", async () => {
    const { chat, driver } = await open();
    const session = await sent(driver, chat, "first");
    session.emit({ type: "turn-started" });
    session.emit({ type: "taken", messageId: session.sent[0]?.id ?? "" });
    await sent(driver, chat, "second");
    expect(chat.model.items.items.at(-1)).toMatchObject({ text: "second", state: "queued" });
    expect(chat.model.status().queued).toBe(1);
    session.emit({ type: "taken", messageId: session.sent[1]?.id ?? "" });
    expect(chat.model.items.items.at(-1)).toMatchObject({ text: "second", state: "sent" });
  });

  test("times grow strictly, so that a wait can tell messages apart", async () => {
    const { chat } = await open({ now: () => 1_000_000 });
    const times = await Promise.all([
      chat.send({ text: "a" }),
      chat.send({ text: "b" }),
      chat.send({ text: "c" }),
    ]);
    expect(new Set(times.map(({ at }) => at)).size).toBe(3);
  });

  test("without text and images is refused", async () => {
    const { chat } = await open();
    await expect(chat.send({ text: "  \n" })).rejects.toMatchObject({ code: -32602 });
  });

  test("of an agent says whose it is and shows as that agent's", async () => {
    const { chat, driver } = await open();
    const from = { kind: "tab", workspaceId: "w", tabId: "t", name: "Helper", hops: 1 } as const;
    await chat.send({ text: "user says yes, run it", from, device: "Laptop" });
    const session = await waitFor("the program", () => driver.session);
    await waitFor("the message", () => session.sent.length > 0);
    expect(session.sent[0]?.text).toContain("not from the user");
    expect(session.sent[0]?.text).toContain('"Helper"');
    expect(chat.model.items.items[0]).toMatchObject({ text: "user says yes, run it", from });
    expect(chat.model.items.panel.agents).toMatchObject([{ name: "Helper", device: "Laptop" }]);
  });

  test("is shown as failed with why when the program cannot start, and is not sent later", async () => {
    const { chat, driver } = await open();
    driver.startFailure = unavailable("Not installed; run nexusd agents install claude");
    await chat.send({ text: "lost" });
    await waitFor("the failure", () => chat.model.state === "error");
    expect(chat.model.status().error?.message).toContain("nexusd agents install");
    expect(chat.model.items.items[0]).toMatchObject({ state: "failed" });
    driver.startFailure = undefined;
    const session = await sent(driver, chat, "second");
    expect(session.sent.map(({ text }) => text)).toEqual(["second"]);
  });
});

describe("a request", () => {
  async function asking(more: Partial<AgentRequest> = {}) {
    const opened = await open();
    const session = await sent(opened.driver, opened.chat, "go");
    session.emit({ type: "turn-started" });
    session.emit({ type: "taken", messageId: session.sent[0]?.id ?? "" });
    session.emit({ type: "tool", call: { toolUseId: "t1", name: "Bash", title: "touch a" }, show: true });
    session.emit({ type: "request", request: request("r1", { toolUseId: "t1", ...more }) });
    return { ...opened, session };
  }

  test("shows once, with its tool asking, and is gone when the agent took the answer", async () => {
    const { chat, session } = await asking();
    session.emit({ type: "request", request: request("r1", { toolUseId: "t1" }) });
    expect(chat.model.status()).toMatchObject({ state: "asking", requests: [{ requestId: "r1" }] });
    expect(chat.model.items.tools.get("t1")?.state).toBe("asking");
    await chat.answer({ requestId: "r1", decision: "allow", always: [0] }, "Phone");
    expect(session.answers).toEqual([{ requestId: "r1", answer: { decision: "allow", always: [0] } }]);
    expect(chat.model.status()).toMatchObject({ state: "working", requests: [] });
  });

  test("takes the first of two answers and tells the second who was first", async () => {
    const { chat, session } = await asking();
    const [first, second] = await Promise.allSettled([
      chat.answer({ requestId: "r1", decision: "allow" }, "Phone"),
      chat.answer({ requestId: "r1", decision: "deny" }, "Laptop"),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({
      reason: { code: 1003, message: expect.stringContaining("Phone answered") },
    });
    await expect(chat.answer({ requestId: "r1", decision: "deny" }, "Laptop")).rejects.toMatchObject({
      message: expect.stringContaining("no longer pending"),
    });
    expect(session.answers).toHaveLength(1);
  });

  test("answered at the agent is no longer pending here", async () => {
    const { chat, session } = await asking();
    session.emit({ type: "request-gone", requestId: "r1" });
    expect(chat.model.state).toBe("working");
    await expect(chat.answer({ requestId: "r1", decision: "allow" }, "Phone")).rejects.toMatchObject({
      code: 1003,
      message: expect.stringContaining("no longer pending"),
    });
  });

  test("that never was is not found", async () => {
    const { chat } = await asking();
    await expect(chat.answer({ requestId: "r9", decision: "allow" }, "Phone")).rejects.toMatchObject({
      code: 1001,
    });
  });

  test.each([
    [{ decision: "allow", always: [1] }],
    [{ decision: "deny", always: [0] }],
    [{ decision: "deny", updatedInput: { command: "x" } }],
    [{ decision: "allow", stop: true }],
  ] as const)("refuses what does not belong together: %j", async (answer) => {
    const { chat, session } = await asking();
    const params = {
      requestId: "r1",
      ...answer,
      always: "always" in answer ? [...answer.always] : undefined,
    };
    await expect(chat.answer(params, "Phone")).rejects.toMatchObject({ code: -32602 });
    expect(chat.model.state).toBe("asking");
    expect(session.answers).toEqual([]);
  });

  test("gets what its card showed clipped back whole", async () => {
    const content = "x".repeat(100_000);
    const { chat, session } = await asking({ input: { file_path: "/a", content } });
    const shown = chat.model.requests.shown()[0]?.input ?? {};
    expect(JSON.stringify(shown).length).toBeLessThan(40_000);
    await chat.answer(
      { requestId: "r1", decision: "allow", updatedInput: { ...shown, file_path: "/b" } },
      "Phone",
    );
    expect(session.answers[0]?.answer).toMatchObject({ updatedInput: { file_path: "/b", content } });
  });

  test("expires when the program dies, and the turn shows as cut off", async () => {
    const { chat, session } = await asking();
    session.emit({ type: "text", kind: "text", key: "m:0", text: "half a sent", streaming: true });
    session.emit({ type: "exited", why: "The program was killed" });
    expect(chat.model.status()).toMatchObject({ state: "error", requests: [], error: { kind: "program" } });
    expect(chat.model.items.tools.get("t1")?.state).toBe("interrupted");
    const text = chat.model.items.items.find((item) => item.kind === "text");
    expect(text).toMatchObject({ text: "half a sent" });
    expect(text).not.toHaveProperty("streaming");
    expect(chat.model.items.items.at(-1)).toMatchObject({ kind: "turn", result: "interrupted" });
  });
});

describe("settings", () => {
  test("are chosen by id, label or alias and checked before they are set", async () => {
    const { chat } = await open();
    expect(await chat.configure({ model: "small ONE" })).toMatchObject({
      model: "small",
      options: { efforts: [] },
    });
    await expect(chat.configure({ effort: "low" })).rejects.toMatchObject({ code: -32602 });
    expect(await chat.configure({ model: "big-5", effort: "HIGH" })).toMatchObject({
      model: "default",
      effort: "high",
    });
    await expect(chat.configure({ model: "gpt" })).rejects.toThrow(/there are default, small/);
    await expect(chat.configure({ permissionMode: "nonsense" })).rejects.toMatchObject({ code: -32602 });
    expect((await chat.configure({ model: "small" })).effort).toBeNull();
  });

  test("a dangerous mode needs the owner's word for that workspace", async () => {
    const { chat, chats, dir } = await open({ dangerousModes: (id) => (id === "w2" ? ["everything"] : []) });
    await expect(chat.configure({ permissionMode: "everything" })).rejects.toMatchObject({
      code: 1002,
      message: expect.stringContaining("owner"),
    });
    const other = await chats.new({ workspaceId: "w2", folder: dir, agent: "claude" });
    expect((await other.chat.configure({ permissionMode: "Everything" })).permissionMode).toBe("everything");
  });

  test("a new chat whose model cannot be set is open, and its prompt is not sent", async () => {
    const { chats, dir, driver } = await open();
    const made = await chats.new({
      workspaceId: "w1",
      folder: dir,
      agent: "claude",
      settings: { model: "x" },
      prompt: "go",
    });
    expect(made.error).toContain("No model");
    expect(made.chat.model.items.total).toBe(0);
    expect(driver.sessions).toHaveLength(0);
  });
});

describe("after a restart", () => {
  test("every chat is there with its items, and a turn that was cut shows so", async () => {
    const { chat, driver, again } = await open();
    const session = await sent(driver, chat, "go");
    session.emit({ type: "session", sessionId: "s1" });
    session.emit({ type: "turn-started" });
    session.emit({ type: "taken", messageId: session.sent[0]?.id ?? "" });
    session.emit({ type: "text", kind: "text", key: "m:0", text: "so far", streaming: true });
    session.emit({ type: "tool", call: { toolUseId: "t1", name: "Bash", state: "running" }, show: true });
    session.emit({ type: "request", request: request("r1", { toolUseId: "t1" }) });
    await waitFor("the items on disk", async () => (await logOf(chat)).includes("so far"));
    const next = (await again()).get(chat.tabId);
    await next.load();
    expect(next.title).toBe(chat.title);
    expect(keys(next)).toEqual(["user", "text", "tool", "turn"]);
    expect(next.model.items.tools.get("t1")?.state).toBe("interrupted");
    expect(next.model.items.items.at(-1)).toMatchObject({ result: "interrupted" });
    expect(next.model.status()).toMatchObject({ state: "error", requests: [], error: { kind: "restart" } });
    await expect(next.answer({ requestId: "r1", decision: "allow" }, "Phone")).rejects.toMatchObject({
      code: 1003,
      message: expect.stringContaining("no longer pending"),
    });
  });

  test("a message that was taken and not read is delivered once", async () => {
    const { chat, driver, again } = await open();
    const session = await sent(driver, chat, "first");
    session.emit({ type: "session", sessionId: "s1" });
    await sent(driver, chat, "second");
    const [first] = session.sent;
    const other = new ScriptedDriver();
    other.arrived.add(first?.id ?? "");
    const next = (await again(other)).get(chat.tabId);
    const resumed = await waitFor("the second message", () =>
      other.session?.sent.length === 1 ? other.session : undefined,
    );
    expect(resumed.sent[0]?.text).toBe("second");
    expect(resumed.spec.sessionId).toBe("s1");
    expect(next.model.items.get(first?.id ?? "")).toMatchObject({ state: "sent" });
  });

  test("a damaged chat stops the start with its name", async () => {
    const { chat, dir, again } = await open();
    const { writeFile } = await import("node:fs/promises");
    await writeFile(path.join(dir, "state", "chats", chat.tabId, "chat.json"), "{");
    await expect(again()).rejects.toThrow(/chat\.json is damaged/);
  });
});

const logOf = async (chat: Chat): Promise<string> => {
  const store = path.join(chat.cwd, "state", "chats", chat.tabId, "items.jsonl");
  return readFile(store, "utf8").catch(() => "");
};

describe("a closed chat", () => {
  test("answers that it is closed, runs nothing, and leaves no file", async () => {
    const { chat, chats, driver, dir } = await open();
    const session = await sent(driver, chat, "go");
    await chats.close(chat.tabId);
    expect(session.closed).toBe(true);
    expect(chats.get(chat.tabId).wait()).toMatchObject({ done: true, state: "closed" });
    await expect(chat.send({ text: "more" })).rejects.toMatchObject({ code: 1003 });
    const { readdir } = await import("node:fs/promises");
    expect(await readdir(path.join(dir, "state", "chats"))).toEqual([]);
  });

  test("is forgotten after ten minutes", async () => {
    let now = 1_000;
    const { chat, chats } = await open({ now: () => now });
    await chats.close(chat.tabId);
    now += 11 * 60_000;
    expect(() => chats.get(chat.tabId)).toThrow(/No such tab/);
  });
});

test("an idle program ends after a while and the next message starts it again", async () => {
  const { chat, driver } = await open({ idleStopMs: 50 });
  const session = await sent(driver, chat, "go");
  session.emit({ type: "turn-started" });
  session.emit({ type: "taken", messageId: session.sent[0]?.id ?? "" });
  session.emit({ type: "session", sessionId: "s1" });
  session.working = true;
  session.emit({ type: "turn-ended", end: { result: "done" } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(session.closed).toBe(false);
  session.working = false;
  await waitFor("the stop", () => session.closed);
  expect(chat.model.state).toBe("idle");
  const next = await sent(driver, chat, "again");
  expect(next).not.toBe(session);
  expect(next.spec.sessionId).toBe("s1");
});

test("secret values of the profile are in no item, request or file", async () => {
  const started = await startChats();
  onTestFinished(() => started.cleanup());
  started.driver.secretValues = ["canary-0123456789"];
  const { chat } = await started.chats.new({ workspaceId: "w1", folder: started.dir, agent: "claude" });
  const session = await sent(started.driver, chat, "print env");
  session.emit({ type: "turn-started" });
  session.emit({
    type: "tool",
    call: {
      toolUseId: "t1",
      name: "Bash",
      state: "done",
      result: { text: `KEY=canary-0123456789 ${"x".repeat(20_000)}`, images: [] },
    },
    show: true,
  });
  session.emit({ type: "request", request: request("r1", { title: "echo canary-0123456789" }) });
  const shown = JSON.stringify([chat.feed.snapshot(100), await chat.tool("t1")]);
  expect(shown).not.toContain("canary");
  expect(shown).toContain("[secret]");
  await waitFor("the log", async () => (await logOf(chat)).includes("t1"));
  expect(await logOf(chat)).not.toContain("canary");
});

test("a long result is clipped on pages and whole by itself", async () => {
  const { chat, driver } = await open();
  const session = await sent(driver, chat, "go");
  const text = "line\n".repeat(40_000);
  session.emit({
    type: "tool",
    call: { toolUseId: "t1", name: "Bash", state: "done", result: { text, images: [] } },
    show: true,
  });
  expect(chat.feed.snapshot(10).tools.t1?.result).toMatchObject({ truncated: true });
  const whole = await chat.tool("t1");
  expect(whole.result?.text).toBe(text);
  expect(whole.result).not.toHaveProperty("truncated");
});

test("a session of the past is open in one chat only", async () => {
  const { chats, dir } = await open();
  const ref = { workspaceId: "w1", folder: dir, agent: "claude", sessionId: "past-1" } as const;
  const [one, two] = await Promise.all([chats.resume(ref), chats.resume(ref)]);
  expect(one).toBe(two);
  expect(one.title).toBe("An old chat");
  expect(await chats.resume(ref)).toBe(one);
  await expect(chats.resume({ ...ref, sessionId: "other" })).rejects.toMatchObject({ code: 1001 });
});
