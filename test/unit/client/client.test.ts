import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { NexusClient } from "../../../src/client/client.js";
import { connectDevice } from "../../../src/client/device-record.js";
import { MAX_PENDING_REQUESTS, MAX_SENT_REQUESTS } from "../../../src/client/limits.js";
import type { SocketConstructor } from "../../../src/client/socket.js";
import type { ClientState } from "../../../src/client/state.js";
import { methodNotFound, RpcErrorCode, RpcFailure } from "../../../src/protocol/errors.js";
import { MAX_MESSAGE_BYTES, UUID_PATTERN } from "../../../src/protocol/limits.js";
import type { ServedRequest } from "../../support/sealed-server.js";
import { clientOf, recordFor, startSealedServer } from "../../support/served-client.js";
import { waitFor } from "../../support/wait-for.js";

const TAB = { workspaceId: "w", tabId: "t" };
const typed = { at: 5 };

/** The constructors of both worlds fit, which the compiler checks. */
const constructors: readonly SocketConstructor[] = [WebSocket, globalThis.WebSocket];

describe("a call", () => {
  it("carries its params there and its result back, under a UUID", async () => {
    const server = await startSealedServer({ answer: () => ({ text: "hello" }) });
    const client = clientOf(server);
    expect(await client.call("terminal.read", { ...TAB, lines: 5 })).toEqual({ text: "hello" });
    expect(server.requests[0]).toMatchObject({ method: "terminal.read", params: { ...TAB, lines: 5 } });
    expect(server.requests[0]?.id).toMatch(UUID_PATTERN);
    expect(constructors.length).toBe(2);
  });

  it("fails as the server says", async () => {
    const error = { code: RpcErrorCode.NotFound, message: "No such tab on this device", data: { x: 1 } };
    const server = await startSealedServer({
      answer: () => {
        throw new RpcFailure(error.code, error.message, error);
      },
    });
    const failure = await clientOf(server)
      .call("terminal.read", TAB)
      .catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(RpcFailure);
    expect(failure).toMatchObject(error);
  });

  it("fails when the answer has another shape, and leaves out fields that it does not know", async () => {
    const server = await startSealedServer({ answer: () => ({ text: 1 }) });
    const client = clientOf(server);
    await expect(client.call("terminal.read", TAB)).rejects.toMatchObject({ kind: "bad-answer" });
    server.options.answer = () => ({ text: "x", later: true });
    expect(await client.call("terminal.read", TAB)).toEqual({ text: "x" });
  });

  it("waits for link.ready: nothing is asked before", async () => {
    const server = await startSealedServer({ greet: () => undefined, answer: () => typed });
    const call = clientOf(server).call("terminal.input", TAB);
    await waitFor("the handshake", () => server.links.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toEqual([]);
    server.link.ready();
    expect(await call).toEqual(typed);
  });

  it("gives up in its time, and an answer that comes later changes nothing", async () => {
    let late: ServedRequest | undefined;
    const server = await startSealedServer({
      answer: (request) => {
        late ??= request;
        return late === request ? undefined : { text: "second" };
      },
    });
    const client = clientOf(server);
    const options = { timeoutMs: 300 };
    await client.whenReady();
    await expect(client.call("terminal.read", TAB, options)).rejects.toMatchObject({ kind: "timeout" });
    late?.link.send({ id: late.id, result: { text: "first" } });
    expect(await client.call("terminal.read", TAB)).toEqual({ text: "second" });
  });

  it("ends with its signal, before and after it was sent", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    const reason = new Error("enough");
    await expect(client.call("terminal.read", TAB, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    const abort = new AbortController();
    const call = client.call("terminal.read", TAB, { signal: abort.signal });
    await waitFor("the request", () => server.requests.length === 1);
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("is sent while fewer than its bound are under way, and later ones as answers come", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    const calls = Array.from({ length: MAX_SENT_REQUESTS + 5 }, () => client.call("terminal.read", TAB));
    await waitFor("the first requests", () => server.requests.length === MAX_SENT_REQUESTS);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests.length).toBe(MAX_SENT_REQUESTS);
    server.options.answer = () => ({ text: "x" });
    for (const { id, link } of [...server.requests]) link.send({ id, result: { text: "x" } });
    expect(new Set((await Promise.all(calls)).map(({ text }) => text))).toEqual(new Set(["x"]));
  });

  it("is refused here when it is too large for a message, or when too many wait", async () => {
    const client = new NexusClient({ connect: () => new Promise(() => undefined) });
    const text = "x".repeat(MAX_MESSAGE_BYTES);
    await expect(client.call("chat.send", { ...TAB, text })).rejects.toMatchObject({ kind: "too-much" });
    const calls = Array.from({ length: MAX_PENDING_REQUESTS }, () => client.call("sessions.list", {}));
    await expect(client.call("sessions.list", {})).rejects.toMatchObject({ kind: "too-much" });
    client.close();
    const ends = await Promise.allSettled(calls);
    expect(ends.every((end) => end.status === "rejected" && end.reason.kind === "closed")).toBe(true);
    await expect(client.call("sessions.list", {})).rejects.toMatchObject({ kind: "closed" });
  });

  it("of any other name goes through unchecked, and the owner's are checked", async () => {
    const server = await startSealedServer({ answer: () => ({ anything: 1 }) });
    const client = clientOf(server);
    expect(await client.request("newer.method", { a: 1 })).toEqual({ anything: 1 });
    await expect(client.request("owner.devices", {})).rejects.toMatchObject({ kind: "bad-answer" });
  });
});

describe("a lost link", () => {
  it("comes back, and what was not answered is asked again under the same id", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    const calls = [client.call("terminal.input", { ...TAB, text: "ls" }), client.call("terminal.read", TAB)];
    await waitFor("the requests", () => server.requests.length === 2);
    server.options.answer = ({ method }) => (method === "terminal.input" ? typed : { text: "x" });
    server.link.socket.terminate();
    expect(await Promise.all(calls)).toEqual([typed, { text: "x" }]);
    const ids = server.requests.map(({ id }) => id);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  });

  it("over a restart repeats only what the daemon wrote down or what reads", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    const input = client.call("terminal.input", { ...TAB, text: "rm x" }).catch((error: unknown) => error);
    const send = client.call("chat.send", { ...TAB, text: "hi" });
    await waitFor("the requests", () => server.requests.length === 2);
    server.options = { answer: () => typed, greet: (link) => link.ready({ boot: "boot-2" }) };
    server.link.socket.terminate();
    expect(await send).toEqual(typed);
    expect(await input).toMatchObject({ kind: "uncertain" });
    expect(server.asked("terminal.input").length).toBe(1);
  });

  it("is tried again until the server is there", async () => {
    const first = await startSealedServer({ answer: () => ({ text: "x" }) });
    const { port, keyPair } = first;
    const client = clientOf(first);
    await client.whenReady();
    await first.close();
    const call = client.call("terminal.read", TAB);
    await waitFor("the client to notice", () => client.state.state === "offline");
    await startSealedServer({ port, keyPair, answer: () => ({ text: "again" }) });
    expect(await call).toEqual({ text: "again" });
  });

  it("ends a client that is to run once", async () => {
    const server = await startSealedServer();
    const client = clientOf(server, { retry: false });
    const call = client.call("terminal.read", TAB).catch((error: unknown) => error);
    await waitFor("the request", () => server.requests.length === 1);
    server.link.socket.terminate();
    expect(await call).toMatchObject({ kind: "closed" });
    expect(client.state.state).toBe("closed");
    await expect(client.whenReady()).rejects.toMatchObject({ kind: "closed" });
  });

  it.each([
    ["a text message", (socket: { send(data: string | Buffer): void }) => socket.send("{}")],
    [
      "bytes that are no record",
      (socket: { send(data: string | Buffer): void }) => socket.send(Buffer.from("xx")),
    ],
  ])("follows %s from the server: there is no way back into step", async (_what, speak) => {
    const server = await startSealedServer({ answer: () => ({ text: "x" }) });
    const client = clientOf(server);
    await client.whenReady();
    const closed = new Promise<number>((resolve) => server.link.socket.on("close", resolve));
    speak(server.link.socket);
    expect(await closed).toBe(4400);
    expect(await client.call("terminal.read", TAB)).toEqual({ text: "x" });
    expect(server.links.length).toBe(2);
  });

  it("follows a record that is no message", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    await client.whenReady();
    server.link.socket.send(server.link.client.records.seal("[1]"));
    await waitFor("the second link", () => server.links.length === 2);
  });
});

describe("the state of a client", () => {
  it("is told as it changes, from connecting to closed", async () => {
    const server = await startSealedServer();
    const client = new NexusClient({
      connect: connectDevice(recordFor(server), { WebSocket, client: "test" }),
      random: () => 0.99,
    });
    const states: ClientState["state"][] = [];
    client.onState(({ state }) => states.push(state));
    client.start().start();
    await client.whenReady();
    server.link.socket.close(1001);
    await waitFor("the second link", () => server.links.length === 2 && client.state.state === "ready");
    client.close();
    client.close();
    expect(states).toEqual(["connecting", "ready", "offline", "connecting", "ready", "closed"]);
  });

  it("says who answered and what is granted, and hears of other grants", async () => {
    const server = await startSealedServer({
      greet: (link) => link.ready({ capabilities: ["git", "later"] }),
    });
    const client = clientOf(server);
    await client.whenReady();
    expect(client.ready?.server).toMatchObject({ name: "here", boot: "boot-1" });
    expect(client.capabilities).toEqual(["git"]);
    const changed = new Promise((resolve) => client.onCapabilities(resolve));
    server.link.notify("link.capabilities", { capabilities: ["files"] });
    expect(await changed).toEqual(["files"]);
    expect(client.capabilities).toEqual(["files"]);
  });

  it("is closed for good by a sealed revocation", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    const call = client.call("terminal.read", TAB).catch((error: unknown) => error);
    await waitFor("the request", () => server.requests.length === 1);
    server.link.notify("link.closed", { reason: "revoked" });
    server.link.socket.close(4403);
    expect(await call).toMatchObject({ kind: "closed", message: "The owner revoked this device" });
    expect(client.state).toEqual({ state: "closed", reason: "revoked" });
    client.wake();
    expect(client.state.state).toBe("closed");
    expect(server.connections).toBe(1);
  });

  it("comes back soon after a sealed going-away, and slowly when another link took its place", async () => {
    const server = await startSealedServer();
    const client = clientOf(server);
    await client.whenReady();
    server.link.notify("link.closed", { reason: "going-away" });
    server.link.socket.close(1001);
    await waitFor("the second link", () => server.links.length === 2 && client.state.state === "ready");
    server.link.notify("link.closed", { reason: "replaced" });
    await waitFor("the end", () => client.state.state === "offline");
    expect(waitOf(client)).toBeGreaterThan(10_000);
  });

  it("stays the same for listeners when one of them throws", async () => {
    const thrown: unknown[] = [];
    const catching = (error: unknown): void => void thrown.push(error);
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", catching);
    const server = await startSealedServer();
    const client = clientOf(server);
    const remove = client.onState(() => {
      throw new Error("a consumer's fault");
    });
    await client.whenReady();
    await waitFor("the fault to surface", () => thrown.length > 0);
    remove();
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
    expect(client.state.state).toBe("ready");
  });
});

describe("waking up", () => {
  it("tries at once instead of at the next time, however long that is", async () => {
    const server = await startSealedServer({
      intercept: (socket) => {
        socket.close(4429);
        return true;
      },
    });
    const client = clientOf(server);
    await waitFor("the refusal", () => client.state.state === "offline");
    expect(waitOf(client)).toBeGreaterThan(10_000);
    server.options = {};
    client.wake();
    await client.whenReady();
  });

  it("asks a link that seems alive for a sign, and keeps it when one comes", async () => {
    const server = await startSealedServer({
      answer: () => {
        throw methodNotFound("link.probe");
      },
    });
    const client = clientOf(server);
    await client.whenReady();
    client.wake();
    await waitFor("the probe", () => server.requests.length === 1);
    expect(client.state.state).toBe("ready");
  });
});

function waitOf(client: NexusClient): number {
  return client.state.state === "offline" ? client.state.retryAt - Date.now() : 0;
}
