/** What happens around the turns of Claude Code's real program: failures, ends, restarts, settings, past chats. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listCommands, runCommand } from "../../src/chat/commands.js";
import {
  API_KEY,
  asked,
  type ClaudeWorld,
  calls,
  items,
  lastTurn,
  settled,
  startClaude,
  texts,
  turn,
} from "../support/claude.js";
import { waitFor } from "../support/wait-for.js";

let world: ClaudeWorld;
beforeAll(async () => {
  world = await startClaude();
});
afterAll(() => world.cleanup());

/** A world that a test may break. */
async function ownWorld(options: Parameters<typeof startClaude>[0] = {}): Promise<ClaudeWorld> {
  const own = await startClaude(options);
  onTestFinished(() => own.cleanup());
  return own;
}

/** Claude Code run by hand in a folder, as in a terminal; its session's id. */
async function runByHand(own: ClaudeWorld, prompt: string, cwd = own.folder): Promise<string> {
  const child = spawn(own.profile.command ?? "", ["-p", prompt, "--output-format", "json"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: own.dir,
      CLAUDE_CONFIG_DIR: own.configDir,
      ANTHROPIC_BASE_URL: own.api.url,
      ANTHROPIC_API_KEY: API_KEY,
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) out += String(chunk);
  return (JSON.parse(out) as { session_id: string }).session_id;
}

async function pidOf(own: ClaudeWorld, sessionId: string | undefined): Promise<number> {
  const dir = path.join(own.configDir, "sessions");
  for (const name of await readdir(dir)) {
    if (!name.endsWith(".json")) continue;
    const held = JSON.parse(await readFile(path.join(dir, name), "utf8")) as {
      pid: number;
      sessionId: string;
    };
    if (held.sessionId === sessionId) return held.pid;
  }
  throw new Error("No program runs this session");
}

describe("a failing API", () => {
  test.each([
    ["e429", "limit", /usage limit/],
    ["e500", "server", /send the message again/],
    ["e401", "auth", /log in/],
    ["e400", "request", /did not take the request/],
    ["cut", "connection", /connection/i],
  ])("%s ends the turn with what to do, and the next message works", async (scene, kind, words) => {
    const chat = await world.open();
    await turn(chat, `[[${scene}]] go`);
    expect(chat.model.status()).toMatchObject({ state: "error", error: { kind } });
    expect(chat.wait()).toMatchObject({ done: true, state: "error", message: expect.stringMatching(words) });
    expect(lastTurn(chat)).toMatchObject({ result: "error" });
    await turn(chat, "[[text:well again]] go");
    expect(chat.wait()).toMatchObject({ state: "idle", message: "well again" });
  });

  test("shows a profile that is not logged in, and what to do", async () => {
    const own = await ownWorld({ env: { ANTHROPIC_API_KEY: "" } });
    const chats = own.chats;
    Object.assign(own.profile, { env: {} });
    const { chat } = await chats.new({ workspaceId: "w", folder: own.folder, agent: "claude" });
    expect((await chat.settings()).profile?.problem).toMatch(/log in/);
    await turn(chat, "hi");
    expect(chat.model.status()).toMatchObject({ state: "error", error: { kind: "auth" } });
  });
});

describe("settings", () => {
  test("list models, efforts and modes as the program has them, and take effect at once", async () => {
    const chat = await world.open();
    const settings = await chat.settings();
    expect(settings.options.models.map(({ id }) => id)).toEqual(expect.arrayContaining(["default", "haiku"]));
    expect(settings.options.modes.find(({ id }) => id === "bypassPermissions")).toMatchObject({
      dangerous: true,
    });
    expect(settings.profile).toMatchObject({ id: "claude", account: expect.stringContaining("API key") });
    await turn(chat, "[[text:one]] go");
    await chat.configure({ model: "Haiku", effort: "low" });
    await turn(chat, "[[text:two]] go");
    const last = world.api.requests.findLast(({ body }) => (body.tools ?? []).length > 0);
    expect(last?.body.model).toContain("haiku");
    expect(last?.body.output_config?.effort).toBe("low");
    await expect(chat.configure({ model: "gpt-7" })).rejects.toMatchObject({ code: -32602 });
    await expect(chat.configure({ permissionMode: "bypassPermissions" })).rejects.toMatchObject({
      code: 1002,
    });
    await chat.configure({ permissionMode: "acceptEdits" });
    const file = path.join(world.folder, "unasked.txt");
    await turn(chat, `[[write:${file}]] go`);
    expect(existsSync(file)).toBe(true);
  });

  test("of a new chat count for its first message", async () => {
    const chat = await world.open({
      settings: { model: "haiku", effort: "high" },
      prompt: "[[text:first]] go",
    });
    await settled(chat);
    const last = world.api.requests.findLast(({ body }) => (body.tools ?? []).length > 0);
    expect(last?.body.model).toContain("haiku");
    expect(last?.body.output_config?.effort).toBe("high");
  });
});

describe("commands", () => {
  test("of a project are listed with their arguments and sent as text", async () => {
    const dir = path.join(world.folder, ".claude", "commands");
    await mkdir(dir, { recursive: true });
    await writeFile(
      path.join(dir, "greet.md"),
      "---\nargument-hint: <name>\ndescription: Greets\n---\n[[text:hello $ARGUMENTS]]\n",
    );
    const chat = await world.open();
    await turn(chat, "/greet Bob");
    expect(texts(chat).at(-1)).toBe("hello Bob");
    const commands = listCommands(await chat.agentCommands());
    expect(commands.find(({ name }) => name === "greet")).toMatchObject({ runs: "send", args: "<name>" });
    expect(commands.filter(({ name }) => name === "clear")).toMatchObject([{ runs: "command" }]);
    await turn(chat, "/usage");
    expect(texts(chat).at(-1)).toMatch(/cost/i);
  });

  test("compact shortens, clear starts over, rename names", async () => {
    const chat = await world.open();
    await turn(chat, "[[text:one]] go");
    const deps = { past: async () => [], resume: async () => "" };
    await runCommand(chat, { name: "compact", args: "" }, deps);
    await waitFor("the compaction", () => items(chat).some((item) => item.kind === "compacted"), 60_000);
    await settled(chat);
    const before = chat.sessionId;
    await runCommand(chat, { name: "rename", args: "A good name" }, deps);
    expect(chat.title).toBe("A good name");
    await runCommand(chat, { name: "clear", args: "" }, deps);
    expect(items(chat).map((item) => item.kind)).toEqual(["notice"]);
    await turn(chat, "[[text:afresh]] go");
    expect(chat.sessionId).not.toBe(before);
    expect(texts(chat)).toEqual(["afresh"]);
  });
});

describe("tasks", () => {
  test("in the background run on after the turn, and can be stopped", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[background]] go" });
    const request = await asked(chat);
    await chat.answer({ requestId: request.requestId, decision: "allow" }, "Phone");
    await settled(chat);
    const [taskId] = chat.model.items.panel.tasks;
    expect(chat.model.items.tasks.get(taskId ?? "")).toMatchObject({
      kind: "background",
      state: "running",
      stoppable: true,
    });
    expect(chat.busy()).toBe(true);
    await chat.stopTask(taskId ?? "");
    await waitFor("the stop", () => chat.model.items.tasks.get(taskId ?? "")?.state === "stopped");
    await expect(chat.stopTask(taskId ?? "")).rejects.toMatchObject({ code: 1003 });
    await expect(chat.stopTask("no-task")).rejects.toMatchObject({ code: 1001 });
    await waitFor("the chat to rest", () => !chat.busy());
  });

  test("that end make the program go on by itself, as a turn", async () => {
    const chat = await world.open();
    await turn(chat, "[[shortbackground]] go");
    const turns = (): number => items(chat).filter((item) => item.kind === "turn").length;
    await waitFor("the turn of its own", () => turns() === 2, 60_000);
    expect(chat.model.state).toBe("idle");
  });

  test("of subagents show what these do under their call", async () => {
    const chat = await world.open();
    await turn(chat, "[[agent]] go");
    const call = calls(chat).find(({ name }) => name === "Agent");
    expect(chat.model.items.agentItems.get(call?.toolUseId ?? "")?.map(({ kind }) => kind)).toEqual([
      "tool",
      "text",
    ]);
    expect(chat.model.items.tasks.get(call?.taskId ?? "")).toMatchObject({ kind: "subagent", state: "done" });
  });
});

describe("the program", () => {
  test("killed in a turn leaves it cut off, and the next message goes on", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[slow]] go" });
    await waitFor("some text", () => (texts(chat)[0]?.length ?? 0) > 10);
    const session = chat.sessionId;
    process.kill(await pidOf(world, session), "SIGKILL");
    await waitFor("the end", () => chat.model.state === "error");
    expect(chat.model.status().error).toMatchObject({
      kind: "program",
      message: expect.stringContaining("SIGKILL"),
    });
    expect(lastTurn(chat)).toMatchObject({ result: "interrupted" });
    expect(texts(chat)[0]).toMatch(/^word0/);
    await turn(chat, "[[text:back]] go");
    expect(chat.sessionId).toBe(session);
    expect(texts(chat).at(-1)).toBe("back");
  });

  test("that ended idle is started again by the next message, with what was said", async () => {
    const own = await ownWorld({ idleStopMs: 300 });
    const { chat } = await own.chats.new({ workspaceId: "w", folder: own.folder, agent: "claude" });
    await turn(chat, "[[text:remember me]] go");
    await waitFor(
      "the program's end",
      async () =>
        (await readdir(path.join(own.configDir, "sessions"))).filter((name) => name.endsWith(".json"))
          .length === 0,
    );
    expect(chat.model.state).toBe("idle");
    await turn(chat, "[[text:again]] go");
    expect(JSON.stringify(own.api.requests.at(-1)?.body.messages)).toContain("remember me");
    expect(items(chat).map((item) => item.kind)).toEqual(["user", "text", "turn", "user", "text", "turn"]);
  });

  test("that holds a session elsewhere keeps this one from writing to it", async () => {
    const own = await ownWorld();
    const { chat } = await own.chats.new({ workspaceId: "w", folder: own.folder, agent: "claude" });
    await turn(chat, "[[text:one]] go");
    await chat.suspend();
    const dir = path.join(own.configDir, "sessions");
    await mkdir(dir, { recursive: true });
    await writeFile(
      path.join(dir, `${process.pid}.json`),
      JSON.stringify({ pid: process.pid, sessionId: chat.sessionId }),
    );
    const { chats } = await own.restart();
    const again = chats.get(chat.tabId);
    await again.send({ text: "[[text:two]] go" });
    await waitFor("the refusal", () => again.model.state === "error", 60_000);
    expect(again.model.status().error?.message).toMatch(/open in another Claude Code/);
  });
});

describe("after a restart", () => {
  test("a chat is there with its items and goes on where it was", async () => {
    const own = await ownWorld();
    const { chat } = await own.chats.new({ workspaceId: "w", folder: own.folder, agent: "claude" });
    await turn(chat, "[[think]] one");
    const before = items(chat);
    await own.chats.dispose();
    const { chats } = await own.restart();
    const again = chats.get(chat.tabId);
    await again.load();
    expect(items(again)).toEqual(before);
    await turn(again, "[[text:two]] go");
    expect(texts(again)).toEqual(["Thought about it.", "two"]);
    expect(again.sessionId).toBe(chat.sessionId);
  });

  test("what another program said meanwhile is there too, once", async () => {
    const own = await ownWorld();
    const { chat } = await own.chats.new({ workspaceId: "w", folder: own.folder, agent: "claude" });
    await turn(chat, "[[text:one]] go");
    await own.chats.dispose();
    const child = spawn(
      own.profile.command ?? "",
      ["-p", "[[text:by hand]] go", "--resume", chat.sessionId ?? ""],
      {
        cwd: own.folder,
        env: {
          PATH: process.env.PATH,
          HOME: own.dir,
          CLAUDE_CONFIG_DIR: own.configDir,
          ANTHROPIC_BASE_URL: own.api.url,
          ANTHROPIC_API_KEY: API_KEY,
          DISABLE_AUTOUPDATER: "1",
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    await new Promise((resolve) => child.once("exit", resolve));
    const { chats } = await own.restart();
    const again = chats.get(chat.tabId);
    await again.load();
    expect(texts(again)).toEqual(["one", "by hand"]);
  });
});

describe("past chats", () => {
  test("of the folder are listed, those from a terminal too, searched by title, and opened once", async () => {
    const own = await ownWorld();
    const sub = path.join(own.folder, "sub");
    const sibling = `${own.folder}-other`;
    await mkdir(sub);
    await mkdir(sibling);
    const first = await runByHand(own, "[[text:about apples]] Tell me of apples");
    const second = await runByHand(own, "[[think]] Tell me of pears", sub);
    const foreign = await runByHand(own, "[[text:x]] Tell me of plums", sibling);
    const list = await own.chats.history("claude", own.folder, { limit: 10 });
    expect(list.map(({ sessionId }) => sessionId)).toEqual([second, first]);
    const found = await own.chats.history("claude", own.folder, { query: "APPLES", limit: 10 });
    expect(found).toMatchObject([{ sessionId: first, cwd: own.folder, profile: "claude" }]);
    const ref = { workspaceId: "w", folder: own.folder, agent: "claude" } as const;
    await expect(own.chats.resume({ ...ref, sessionId: foreign })).rejects.toMatchObject({ code: 1001 });
    await expect(own.chats.resume({ ...ref, sessionId: "../../x" })).rejects.toMatchObject({ code: 1001 });
    const chat = await own.chats.resume({ ...ref, sessionId: first });
    expect(items(chat).map((item) => item.kind)).toEqual(["user", "text"]);
    await turn(chat, "[[text:more]] go on");
    expect(texts(chat)).toEqual(["about apples", "more"]);
    expect(chat.sessionId).toBe(first);
    expect(await own.chats.resume({ ...ref, sessionId: first })).toBe(chat);
  });

  test("show tools, subagents and images as they were", async () => {
    const own = await ownWorld();
    const { chat } = await own.chats.new({
      workspaceId: "w",
      folder: own.folder,
      agent: "claude",
      settings: { permissionMode: "acceptEdits" },
    });
    const file = path.join(own.folder, "made.txt");
    await turn(chat, `[[write:${file}]] go`);
    await turn(chat, "[[agent]] go");
    await turn(chat, "[[bash:false]] go");
    const sessionId = chat.sessionId ?? "";
    const live = { items: items(chat), calls: calls(chat), agents: [...chat.model.items.agentItems] };
    await own.chats.close(chat.tabId);
    const again = await own.chats.resume({
      workspaceId: "w",
      folder: own.folder,
      agent: "claude",
      sessionId,
    });
    const shown = (list: typeof live.items) =>
      list.filter((item) => item.kind !== "turn").map(({ kind, key }) => [kind, key]);
    expect(shown(items(again))).toEqual(shown(live.items));
    const plain = (list: typeof live.calls) =>
      list.map(({ name, title, state, exitCode, patch }) => ({ name, title, state, exitCode, patch }));
    expect(plain(calls(again))).toEqual(expect.arrayContaining(plain(live.calls)));
    expect([...again.model.items.agentItems].map(([id, list]) => [id, list.map(({ key }) => key)])).toEqual(
      live.agents.map(([id, list]) => [id, list.map(({ key }) => key)]),
    );
  });
});

test("a key in the profile's environment is in no answer and no file of the daemon", async () => {
  const own = await ownWorld();
  const { chat } = await own.chats.new({
    workspaceId: "w",
    folder: own.folder,
    agent: "claude",
    settings: { permissionMode: "acceptEdits" },
  });
  await chat.send({ text: "[[bash:printenv ANTHROPIC_API_KEY]] go" });
  await waitFor("the command or its request", () => chat.wait().done, 60_000);
  const [request] = chat.model.status().requests;
  if (request !== undefined) await chat.answer({ requestId: request.requestId, decision: "allow" }, "Phone");
  await settled(chat);
  expect(calls(chat)[0]?.result?.text).toContain("[secret]");
  expect(JSON.stringify([chat.feed.snapshot(500), await chat.settings(), chat.state()])).not.toContain(
    API_KEY,
  );
  await own.chats.dispose();
  for (const name of await readdir(path.join(own.dir, "state"), { recursive: true, withFileTypes: true })) {
    if (name.isFile())
      expect(await readFile(path.join(name.parentPath, name.name), "utf8")).not.toContain(API_KEY);
  }
});

test("a chat whose folder is gone says so", async () => {
  const own = await ownWorld();
  const gone = path.join(own.dir, "gone");
  await mkdir(gone);
  const { chat } = await own.chats.new({ workspaceId: "w", folder: gone, agent: "claude" });
  await rename(gone, `${gone}-elsewhere`);
  await chat.send({ text: "hi" });
  await waitFor("the refusal", () => chat.model.state === "error");
  expect(chat.model.status().error?.message).toMatch(/folder is gone/);
  await rm(`${gone}-elsewhere`, { recursive: true });
});
