import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { NexusClient } from "../../../src/client/client.js";
import { connectLocal } from "../../../src/client/local.js";
import { MAX_MESSAGE_BYTES } from "../../../src/protocol/limits.js";
import { waitFor } from "../../support/wait-for.js";

type Answer = (socket: Socket, message: { id: string; method: string; token?: string }) => void;

async function listen(answer: Answer): Promise<{ path: string; sockets: Socket[]; lines: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "nexus-local-"));
  const path = join(folder, "s.sock");
  const sockets: Socket[] = [];
  const lines: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      lines.push(line);
      answer(socket, JSON.parse(line));
    });
  }).listen(path);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { path, sockets, lines };
}

function clientAt(path: string, more: { firstLine?: string; retry?: boolean } = {}): NexusClient {
  const { retry = false, ...options } = more;
  const client = new NexusClient({
    connect: connectLocal({ path, ...options }),
    retry,
    random: () => 0.99,
  }).start();
  onTestFinished(() => client.close());
  return client;
}

const reply = (id: string, result: unknown): string => `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`;

describe("a local socket", () => {
  it("takes requests at once and has the same calls and watches", async () => {
    const { path, sockets } = await listen((socket, { id, method }) => {
      socket.write(reply(id, method === "terminal.watch" ? { watchId: "w", text: "a" } : { devices: [] }));
    });
    const client = clientAt(path);
    expect(await client.request("owner.devices", {})).toEqual({ devices: [] });
    expect(client.state).toMatchObject({ state: "ready", ready: undefined });
    expect(client.capabilities).toBeUndefined();
    const texts: string[] = [];
    client.watchTerminal({ workspaceId: "w", tabId: "t" }, { onChange: (text) => texts.push(text) });
    await waitFor("the text", () => texts.length === 1);
    const params = { watchId: "w", rev: 1, start: 1, text: "b" };
    sockets[0]?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "terminal.update", params })}\n`);
    await waitFor("the update", () => texts.at(-1) === "ab");
  });

  it("hears what belongs to no watch", async () => {
    const { path, sockets } = await listen((socket, { id }) => socket.write(reply(id, {})));
    const client = clientAt(path);
    await client.request("owner.deny", {});
    const heard = new Promise((resolve) => client.onNotification(resolve));
    const params = { attachId: "a", data: "eA==" };
    sockets[0]?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "owner.attach.data", params })}\n`);
    expect(await heard).toEqual({ method: "owner.attach.data", params });
  });

  it("says first who it is, where that is asked", async () => {
    const { path, lines } = await listen((socket, { id }) => {
      if (id !== undefined) socket.write(reply(id, {}));
    });
    await clientAt(path, { firstLine: '{"token":"t"}' }).request("x", {});
    expect(lines[0]).toBe('{"token":"t"}');
  });

  it("puts lines together from whatever pieces they come in", async () => {
    const { path } = await listen((socket, { id }) => {
      const bytes = Buffer.from(`\n${reply(id, { text: "é😀" })}`);
      let at = 0;
      const next = (): void => {
        if (at === bytes.length) return;
        socket.write(bytes.subarray(at, ++at));
        setImmediate(next);
      };
      next();
    });
    const client = clientAt(path);
    expect(await client.call("terminal.read", { workspaceId: "w", tabId: "t" })).toEqual({ text: "é😀" });
  });

  it.each([
    ["a line without end", Buffer.alloc(MAX_MESSAGE_BYTES + 2, 97), /too long/],
    ["a line that is no UTF-8", Buffer.from([0xff, 0x0a]), /UTF-8/],
    ["a line that is no message", Buffer.from("[]\n"), /protocol error/],
  ])("is ended by %s", async (_what, bytes, reason) => {
    const { path } = await listen((socket) => void socket.write(bytes));
    const client = clientAt(path);
    await expect(client.request("x", {})).rejects.toMatchObject({ kind: "closed", message: reason });
  });

  it("that is not there is told in words", async () => {
    const client = clientAt(join(tmpdir(), "nexus-no-such.sock"));
    await expect(client.whenReady()).rejects.toThrow(/no daemon runs on this machine/);
    await expect(clientAt(join(tmpdir(), "x".repeat(120))).whenReady()).rejects.toThrow(
      /longer than 103 bytes/,
    );
  });

  it("is tried again for one that stays, without repeating what acts", async () => {
    const { path, sockets, lines } = await listen((socket, { id, method }) => {
      if (sockets.length > 1) socket.write(reply(id, method === "terminal.read" ? { text: "x" } : {}));
    });
    const client = clientAt(path, { retry: true });
    const tab = { workspaceId: "w", tabId: "t" };
    const typing = client.call("terminal.input", { ...tab, text: "x" }).catch((error: unknown) => error);
    const reading = client.call("terminal.read", tab);
    await waitFor("the requests", () => lines.length === 2);
    sockets[0]?.destroy();
    expect(await reading).toEqual({ text: "x" });
    expect(await typing).toMatchObject({ kind: "uncertain" });
  });
});
