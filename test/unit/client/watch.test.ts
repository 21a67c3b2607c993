import { describe, expect, it } from "vitest";
import type { ChatState } from "../../../src/client/apply.js";
import type { SessionsState } from "../../../src/client/watches.js";
import { RpcErrorCode, RpcFailure } from "../../../src/protocol/errors.js";
import type { SealedServer, ServedRequest } from "../../support/sealed-server.js";
import { clientOf, startSealedServer } from "../../support/served-client.js";
import { waitFor } from "../../support/wait-for.js";

const TAB = { workspaceId: "w", tabId: "t" };

/** Answers each terminal.watch with a fresh id, w1, w2 …, and the text of that moment. */
function terminalServer(text: { now: string }): Promise<SealedServer> {
  let watches = 0;
  return startSealedServer({
    answer: ({ method }) => (method === "terminal.watch" ? { watchId: `w${++watches}`, text: text.now } : {}),
  });
}

function collect() {
  const texts: string[] = [];
  const errors: { message: string; final: boolean }[] = [];
  return {
    texts,
    errors,
    onChange: (text: string) => void texts.push(text),
    onError: ({ message }: Error, final: boolean) => void errors.push({ message, final }),
  };
}

describe("a watched terminal", () => {
  it("gives the whole text at first and after each update", async () => {
    const server = await terminalServer({ now: "$ " });
    const client = clientOf(server);
    const seen = collect();
    client.watchTerminal({ ...TAB, lines: 9 }, seen);
    await waitFor("the text", () => seen.texts.length === 1);
    server.link.notify("terminal.update", { watchId: "w1", rev: 1, start: 2, text: "ls" });
    server.link.notify("terminal.update", { watchId: "w1", rev: 2, start: 0, text: "> " });
    await waitFor("the updates", () => seen.texts.length === 3);
    expect(seen.texts).toEqual(["$ ", "$ ls", "> "]);
    expect(server.requests[0]?.params).toEqual({ ...TAB, lines: 9 });
  });

  it.each([
    ["a number is missing", { rev: 2, start: 0, text: "x" }],
    ["it begins past the end", { rev: 1, start: 99, text: "x" }],
    ["it has another shape", { rev: 1, start: "0", text: "x" }],
  ])("is opened anew when an update does not fit: %s", async (_what, update) => {
    const text = { now: "old" };
    const server = await terminalServer(text);
    const seen = collect();
    clientOf(server).watchTerminal(TAB, seen);
    await waitFor("the text", () => seen.texts.length === 1);
    text.now = "new";
    server.link.notify("terminal.update", { watchId: "w1", ...update });
    await waitFor("the new text", () => seen.texts.length === 2);
    expect(seen.texts).toEqual(["old", "new"]);
    expect(seen.errors).toEqual([]);
    expect(server.asked("terminal.unwatch").map(({ params }) => params)).toEqual([{ watchId: "w1" }]);
    server.link.notify("terminal.update", { watchId: "w1", rev: 3, start: 0, text: "stray" });
    server.link.notify("terminal.update", { watchId: "w2", rev: 1, start: 3, text: "er" });
    await waitFor("the next text", () => seen.texts.length === 3);
    expect(seen.texts[2]).toBe("newer");
  });

  it("takes an update twice without harm", async () => {
    const server = await terminalServer({ now: "a" });
    const seen = collect();
    clientOf(server).watchTerminal(TAB, seen);
    await waitFor("the text", () => seen.texts.length === 1);
    for (const rev of [1, 1, 2]) {
      server.link.notify("terminal.update", { watchId: "w1", rev, start: rev, text: "b" });
    }
    await waitFor("the updates", () => seen.texts.length === 3);
    expect(seen.texts).toEqual(["a", "ab", "abb"]);
    expect(server.asked("terminal.watch").length).toBe(1);
  });

  it("loses no update that comes before the answer which names it, or in the same breath", async () => {
    const server = await startSealedServer({
      answer: ({ method, link, id }) => {
        if (method !== "terminal.watch") return {};
        link.notify("terminal.update", { watchId: "w", rev: 1, start: 1, text: "b" });
        link.send({ id, result: { watchId: "w", text: "a" } });
        link.notify("terminal.update", { watchId: "w", rev: 2, start: 2, text: "c" });
        return undefined;
      },
    });
    const seen = collect();
    clientOf(server).watchTerminal(TAB, seen);
    await waitFor("all of it", () => seen.texts.at(-1) === "abc");
    expect(server.asked("terminal.watch").length).toBe(1);
  });

  it("is opened again on the next link, and gives what the text is then", async () => {
    const text = { now: "before" };
    const server = await terminalServer(text);
    const client = clientOf(server);
    const seen = collect();
    client.watchTerminal(TAB, seen);
    await waitFor("the text", () => seen.texts.length === 1);
    text.now = "after";
    server.link.socket.terminate();
    await waitFor("the text of the next link", () => seen.texts.length === 2);
    expect(seen.texts).toEqual(["before", "after"]);
    expect(server.asked("terminal.unwatch")).toEqual([]);
    server.link.notify("terminal.update", { watchId: "w2", rev: 1, start: 5, text: "!" });
    await waitFor("the update", () => seen.texts.at(-1) === "after!");
  });

  it("is asked for more slowly by a server that keeps losing updates", async () => {
    const server = await startSealedServer({
      answer: ({ method, link, id }) => {
        if (method !== "terminal.watch") return {};
        link.send({ id, result: { watchId: id, text: "" } });
        link.notify("terminal.update", { watchId: id, rev: 7, start: 0, text: "x" });
        return undefined;
      },
    });
    clientOf(server).watchTerminal(TAB, collect());
    await waitFor("the second opening", () => server.asked("terminal.watch").length >= 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.asked("terminal.watch").length).toBeLessThanOrEqual(3);
  });

  it("ends when it is closed, and the server hears of it", async () => {
    const server = await terminalServer({ now: "a" });
    const seen = collect();
    const watch = clientOf(server).watchTerminal(TAB, seen);
    await waitFor("the text", () => seen.texts.length === 1);
    watch.close();
    watch.close();
    await waitFor("the unwatch", () => server.asked("terminal.unwatch").length === 1);
    server.link.notify("terminal.update", { watchId: "w1", rev: 1, start: 0, text: "late" });
    server.link.socket.terminate();
    await waitFor("the second link", () => server.links.length === 2);
    expect(seen).toMatchObject({ texts: ["a"], errors: [] });
    expect(server.asked("terminal.watch").length).toBe(1);
  });

  it("closed before it was answered is unwatched when the answer comes", async () => {
    let opening: ServedRequest | undefined;
    const server = await startSealedServer({
      answer: (request) => {
        if (request.method === "terminal.watch") opening = request;
        return request.method === "terminal.watch" ? undefined : {};
      },
    });
    const seen = collect();
    const watch = clientOf(server).watchTerminal(TAB, seen);
    await waitFor("the opening", () => opening);
    watch.close();
    opening?.link.send({ id: opening.id, result: { watchId: "w", text: "a" } });
    await waitFor("the unwatch", () => server.asked("terminal.unwatch").length === 1);
    expect(seen.texts).toEqual([]);
  });

  it("may be closed by its consumer in the middle of a change", async () => {
    const server = await terminalServer({ now: "a" });
    const texts: string[] = [];
    const watch = clientOf(server).watchTerminal(TAB, {
      onChange: (text) => {
        texts.push(text);
        watch.close();
      },
    });
    await waitFor("the unwatch", () => server.asked("terminal.unwatch").length === 1);
    server.link.notify("terminal.update", { watchId: "w1", rev: 1, start: 0, text: "late" });
    expect(texts).toEqual(["a"]);
  });
});

describe("a watch that fails", () => {
  const refusing = (code: number) => ({
    answer: () => {
      throw new RpcFailure(code, "No");
    },
  });

  it.each([RpcErrorCode.NotFound, RpcErrorCode.Forbidden, RpcErrorCode.InvalidParams])(
    "is over when the server says %i",
    async (code) => {
      const server = await startSealedServer(refusing(code));
      const seen = collect();
      clientOf(server).watchTerminal(TAB, seen);
      await waitFor("the end", () => seen.errors.length === 1);
      expect(seen.errors).toEqual([{ message: "No", final: true }]);
      server.link.socket.terminate();
      await waitFor("the second link", () => server.links.length === 2);
      expect(server.requests.length).toBe(1);
    },
  );

  it("is tried again when it is not possible now", async () => {
    const server = await startSealedServer(refusing(RpcErrorCode.Unavailable));
    const seen = collect();
    clientOf(server).watchTerminal(TAB, seen);
    await waitFor("the failure", () => seen.errors.length === 1);
    expect(seen.errors).toEqual([{ message: "No", final: false }]);
    server.options.answer = () => ({ watchId: "w", text: "now" });
    await waitFor("the text", () => seen.texts.length === 1);
  });

  it("is over when its right is taken away, while others go on", async () => {
    const server = await startSealedServer({
      answer: ({ method }) =>
        method === "terminal.watch"
          ? { watchId: "t", text: "a" }
          : { watchId: "s", workspaces: [], sessions: [] },
    });
    const client = clientOf(server);
    const [seen, sessions] = [collect(), [] as SessionsState[]];
    client.watchTerminal(TAB, seen);
    client.watchSessions({ onChange: (state) => sessions.push(state) });
    await waitFor("both", () => seen.texts.length + sessions.length === 2);
    server.link.notify("link.capabilities", { capabilities: ["sessions"] });
    await waitFor("the end", () => seen.errors.length === 1);
    expect(seen.errors[0]?.final).toBe(true);
    server.link.notify("sessions.update", { watchId: "s", workspaces: [], sessions: [] });
    await waitFor("the other's update", () => sessions.length === 2);
  });

  it("is over with its client, and at once on one that is closed", async () => {
    const server = await terminalServer({ now: "a" });
    const client = clientOf(server);
    const [before, after] = [collect(), collect()];
    client.watchTerminal(TAB, before);
    await waitFor("the text", () => before.texts.length === 1);
    client.close();
    client.watchTerminal(TAB, after);
    await waitFor("the ends", () => before.errors.length + after.errors.length === 2);
    expect([before.errors[0]?.final, after.errors[0]?.final]).toEqual([true, true]);
  });
});

it("watched sessions are the whole list each time", async () => {
  const workspace = (id: string) => ({ id, name: id, path: `/${id}` });
  const server = await startSealedServer({
    answer: () => ({ watchId: "s", workspaces: [workspace("a")], sessions: [] }),
  });
  const states: SessionsState[] = [];
  clientOf(server).watchSessions({ onChange: (state) => states.push(state) });
  await waitFor("the list", () => states.length === 1);
  server.link.notify("sessions.update", { watchId: "s", workspaces: [workspace("b")], sessions: [] });
  await waitFor("the next", () => states.length === 2);
  expect(states.map(({ workspaces }) => workspaces.map(({ id }) => id))).toEqual([["a"], ["b"]]);
});

it("a watched chat grows by its updates, panel and status with it", async () => {
  const status = {
    state: "idle",
    since: 1,
    requests: [],
    queued: 0,
    model: null,
    effort: null,
    permissionMode: "x",
  };
  const item = (key: string) => ({ kind: "text", key, at: 1, text: key });
  const rest = { tools: {}, tasks: {}, agentItems: {} };
  const server = await startSealedServer({
    answer: () => ({ watchId: "c", status, start: 1, total: 2, items: [item("b")], ...rest }),
  });
  const states: ChatState[] = [];
  clientOf(server).watchChat({ ...TAB, limit: 1 }, { onChange: (state) => states.push(state) });
  await waitFor("the page", () => states.length === 1);
  server.link.notify("chat.update", {
    watchId: "c",
    rev: 1,
    status: { ...status, state: "working" },
    total: 3,
    items: [{ index: 2, item: item("c") }],
    ...rest,
    panel: { todos: [], tasks: [], files: [], agents: [] },
  });
  await waitFor("the update", () => states.length === 2);
  expect(states[1]).toMatchObject({ start: 1, total: 3, status: { state: "working" }, panel: { todos: [] } });
  expect(states[1]?.items.map(({ key }) => key)).toEqual(["b", "c"]);
});
