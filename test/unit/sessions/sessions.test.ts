import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RPC_METHODS } from "../../../src/protocol/rpc.js";
import { Sessions, type SessionsView } from "../../../src/sessions/sessions.js";
import { EMPTY_TABS, Tabs } from "../../../src/sessions/tabs.js";
import { EMPTY_WORKSPACES, Workspaces } from "../../../src/sessions/workspaces.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";
import { tempFolder } from "../../support/temp-folder.js";

const ALL: SessionsView = { chatRead: true, terminalRead: true, sees: () => true };
const asks = { waiting: { kind: "permission", text: "Run rm?" } } as const;

async function setUp() {
  const base = await tempFolder();
  const clock = new ManualClock();
  const workspaces = await Workspaces.open({
    kept: new MemoryKept(EMPTY_WORKSPACES),
    managerPath: join(base, "manager"),
    forbidden: [],
  });
  await mkdir(join(base, "app"));
  const app = await workspaces.add(join(base, "app"));
  const tabs = new Tabs(new MemoryKept(EMPTY_TABS), clock);
  const sessions = new Sessions({ workspaces, tabs, clock });
  onTestFinished(() => sessions.dispose());
  const told: number[] = [];
  sessions.onChange(() => told.push(clock.monotonic()));
  const chat = await tabs.create({ workspaceId: app.id, kind: "claude", title: "Chat", profile: "work" });
  const shell = await tabs.create({ workspaceId: app.id, kind: "terminal", title: "bash" });
  clock.advance(10_000);
  told.length = 0;
  return { clock, workspaces, app, tabs, sessions, told, chat, shell };
}

describe("Sessions.list", () => {
  it("shows workspaces and sessions in the shape of the wire", async () => {
    const { clock, workspaces, app, sessions, chat, shell } = await setUp();
    sessions.chat(chat.tabId, { state: "asking", last: "I need to", ...asks });
    sessions.terminal(shell.tabId, { phase: "running", lastLine: "make: done" });
    sessions.setGit(app.id, { branch: "main", ahead: 1, behind: 0, uncommitted: 2 });
    const list = sessions.list(ALL);
    expect(RPC_METHODS["sessions.list"].result.parse(list)).toEqual(list);
    expect(list.workspaces).toEqual([
      { id: workspaces.manager.id, name: "manager", path: workspaces.manager.path, manager: true },
      {
        id: app.id,
        name: "app",
        path: app.path,
        git: { branch: "main", ahead: 1, behind: 0, uncommitted: 2 },
      },
    ]);
    const common = { workspaceId: app.id, since: clock.now() };
    expect(list.sessions).toEqual([
      {
        ...common,
        tabId: chat.tabId,
        kind: "claude",
        title: "Chat",
        profile: "work",
        state: "needs-you",
        last: "I need to",
        waiting: asks.waiting,
      },
      {
        ...common,
        tabId: shell.tabId,
        kind: "terminal",
        title: "bash",
        state: "running",
        last: "make: done",
      },
    ]);
    expect(sessions.counts()).toEqual({ "needs-you": 1, running: 1 });
  });

  it("shows no text without the right to read that kind", async () => {
    const { sessions, chat, shell } = await setUp();
    sessions.chat(chat.tabId, { state: "asking", last: "SECRET", ...asks });
    sessions.terminal(shell.tabId, { phase: "running", lastLine: "HIDDEN" });
    const without = JSON.stringify(sessions.list({ ...ALL, chatRead: false, terminalRead: false }));
    expect(without).not.toMatch(/SECRET|HIDDEN|Run rm/);
    expect(without).toContain('"needs-you"');
    const chatOnly = JSON.stringify(sessions.list({ ...ALL, terminalRead: false }));
    expect(chatOnly).toMatch(/SECRET.*Run rm/);
    expect(chatOnly).not.toContain("HIDDEN");
    const events = sessions.events.read({ since: 0, limit: 9, view: { ...ALL, chatRead: false } });
    expect(JSON.stringify(events)).not.toMatch(/SECRET|Run rm/);
  });

  it("shows another daemon its own tabs and their workspaces only", async () => {
    const { app, sessions, shell } = await setUp();
    const view = { ...ALL, sees: (tabId: string) => tabId === shell.tabId, onlyItsTabs: true };
    const list = sessions.list(view);
    expect(list.sessions.map(({ tabId }) => tabId)).toEqual([shell.tabId]);
    expect(list.workspaces.map(({ id }) => id)).toEqual([app.id]);
    expect(sessions.list({ ...view, sees: () => false })).toEqual({ workspaces: [], sessions: [] });
  });
});

describe("events", () => {
  it("tell of the first state, of each change, and of the end", async () => {
    const { sessions, tabs, chat } = await setUp();
    const { tabId } = chat;
    sessions.looked(tabId);
    sessions.chat(tabId, { state: "working" });
    sessions.chat(tabId, { state: "working", last: "on it" });
    sessions.chat(tabId, { state: "asking", ...asks });
    sessions.chat(tabId, { state: "idle", last: "done" });
    sessions.looked(tabId);
    await tabs.close(tabId);
    const { events } = sessions.events.read({ since: 0, limit: 99, view: ALL });
    expect(events.map(({ from, to, message }) => [from, to, message])).toEqual([
      [null, "running", undefined],
      ["running", "needs-you", "Run rm?"],
      ["needs-you", "new-result", "done"],
      ["new-result", "idle", "done"],
      ["idle", "closed", undefined],
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[0]).toMatchObject({ tabId, kind: "claude", agent: "claude", title: "Chat" });
  });

  it("name the agent that runs in a terminal, and none in a shell", async () => {
    const { sessions, shell } = await setUp();
    sessions.terminal(shell.tabId, { phase: "prompt" });
    sessions.terminal(shell.tabId, { phase: "running", agent: { name: "codex", state: "working" } });
    const { events } = sessions.events.read({ since: 0, limit: 99, view: ALL });
    expect(events.map(({ agent }) => agent)).toEqual([undefined, "codex"]);
  });

  it("of a tab that is gone are not made", async () => {
    const { sessions, tabs, chat } = await setUp();
    const away = sessions.looking(chat.tabId);
    await tabs.close(chat.tabId);
    const { cursor } = sessions.events;
    sessions.chat(chat.tabId, { state: "working" });
    sessions.looked(chat.tabId);
    away();
    expect(sessions.events.cursor).toBe(cursor);
  });
});

describe("looking", () => {
  it("keeps a result from being new until the last watcher left", async () => {
    const { sessions, chat } = await setUp();
    const state = () => sessions.get(chat.tabId)?.state;
    const away = [sessions.looking(chat.tabId), sessions.looking(chat.tabId)];
    sessions.chat(chat.tabId, { state: "working" });
    away[0]?.();
    away[0]?.();
    sessions.chat(chat.tabId, { state: "idle" });
    expect(state()).toBe("idle");
    away[1]?.();
    sessions.chat(chat.tabId, { state: "working" });
    sessions.chat(chat.tabId, { state: "idle" });
    expect(state()).toBe("new-result");
    sessions.looked(chat.tabId);
    expect(state()).toBe("idle");
  });
});

describe("a repository under a project root", () => {
  it("opens with its first tab", async () => {
    const { app, workspaces, tabs } = await setUp();
    await mkdir(join(app.path, "found"));
    await workspaces.setProjects([join(app.path, "found")]);
    const found = workspaces.find("found");
    expect(found).toMatchObject({ closed: true });
    await tabs.create({ workspaceId: found?.id ?? "", kind: "terminal", title: "bash" });
    await expect.poll(() => workspaces.find("found")).not.toHaveProperty("closed");
  });
});

describe("what is told, and when", () => {
  it("is needs-you at once, states within a quarter second, and last lines within five", async () => {
    const { clock, sessions, told, chat } = await setUp();
    sessions.chat(chat.tabId, { state: "working" });
    const start = clock.monotonic();
    expect(told).toEqual([start]);
    for (let n = 0; n < 100; n++) {
      sessions.chat(chat.tabId, { state: "working", last: `word ${n}` });
      clock.advance(20);
    }
    expect(told).toEqual([start]);
    sessions.chat(chat.tabId, { state: "asking", ...asks });
    expect(told).toEqual([start, start + 2000]);
    sessions.chat(chat.tabId, { state: "working" });
    clock.advance(249);
    expect(told).toHaveLength(2);
    clock.advance(1);
    expect(told).toEqual([start, start + 2000, start + 2250]);
    sessions.chat(chat.tabId, { state: "working", last: "the end" });
    clock.advance(5000);
    expect(told.at(-1)).toBe(start + 7250);
  });

  it("is a second request of a session that already needs someone, too", async () => {
    const { clock, sessions, told, chat } = await setUp();
    sessions.chat(chat.tabId, { state: "asking", ...asks });
    clock.advance(100);
    sessions.chat(chat.tabId, { state: "asking", waiting: { kind: "question", text: "Which?" } });
    expect(told).toHaveLength(2);
  });

  it("is nothing when the list would be the same", async () => {
    const { clock, app, sessions, told, chat, shell } = await setUp();
    const git = { branch: null, ahead: 0, behind: 0, uncommitted: 0 };
    sessions.setGit(app.id, git);
    sessions.terminal(shell.tabId, { phase: "prompt", lastLine: "$" });
    clock.advance(20_000);
    told.length = 0;
    sessions.setGit(app.id, { ...git });
    sessions.terminal(shell.tabId, { phase: "prompt", lastLine: "flood" });
    sessions.looked(chat.tabId);
    sessions.chat("unknown", { state: "working" });
    clock.advance(20_000);
    expect(told).toEqual([]);
  });

  it("is tabs and workspaces that come and go", async () => {
    const { clock, app, workspaces, tabs, told, shell } = await setUp();
    await tabs.close(shell.tabId);
    clock.advance(1000);
    await tabs.rename(tabs.list()[0]?.tabId ?? "", "New name");
    clock.advance(10_000);
    await workspaces.remove(app.id);
    clock.advance(1000);
    expect(told).toHaveLength(3);
  });
});
