import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { NexusClient } from "../../../src/client/client.js";
import { connectDevice, DeviceRecordSchema, rpcUrl } from "../../../src/client/device-record.js";
import { pairDevice } from "../../../src/client/pairing.js";
import type { ClientState } from "../../../src/client/state.js";
import { deviceIdOf, generateKeyPair } from "../../../src/protocol/seal/identity.js";
import { sasCode } from "../../../src/protocol/seal/pairing.js";
import type { ServedLink } from "../../support/sealed-server.js";
import { startSealedServer } from "../../support/served-client.js";

const me = { name: "Phone", kind: "phone", wants: ["sessions"], WebSocket } as const;
const asks = (link: ServedLink): void => link.notify("link.pairing", { state: "approve" });

describe("pairing", () => {
  it("shows the server's digits, and after the approval gives a record that links", async () => {
    const server = await startSealedServer({ greet: asks, answer: () => ({ text: "x" }) });
    const states: ClientState["state"][] = [];
    const onState = ({ state }: ClientState): void => void states.push(state);
    const pairing = await pairDevice({ ...me, link: server.pairLink, onState });
    expect(pairing.code).toBe(sasCode(server.link.client.handshakeHash));
    expect(server.link.client).toMatchObject({
      mode: "pair",
      payload: { name: "Phone", wants: ["sessions"] },
    });
    server.link.ready();
    const record = await pairing.approved;
    expect(states).toEqual(["connecting", "pairing", "ready"]);
    expect(record).toMatchObject({
      urls: [server.url],
      serverName: "here",
      deviceId: server.link.client.deviceId,
    });
    expect(DeviceRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);

    server.options.greet = (link) => link.ready();
    const client = new NexusClient({ connect: connectDevice(record, { WebSocket, client: "test" }) }).start();
    await client.whenReady();
    expect(server.link.client).toMatchObject({ mode: "link", deviceId: record.deviceId });
    client.close();
  });

  it("is done at once when the owner approved beforehand", async () => {
    const server = await startSealedServer();
    const pairing = await pairDevice({ ...me, link: server.pairLink });
    expect((await pairing.approved).name).toBe("test");
  });

  it("takes a key that is there already: a daemon has one", async () => {
    const server = await startSealedServer();
    const keyPair = generateKeyPair();
    const pairing = await pairDevice({ ...me, link: server.pairLink, keyPair });
    expect((await pairing.approved).deviceId).toBe(deviceIdOf(keyPair.publicKey));
  });

  it.each([
    ["the owner says no", (link: ServedLink) => link.notify("link.pairing", { state: "denied" }), "denied"],
    ["the server closes with 4403", (link: ServedLink) => link.socket.close(4403), "denied"],
    ["the connection is lost", (link: ServedLink) => link.socket.terminate(), "lost"],
  ])("fails when %s", async (_what, end, kind) => {
    const server = await startSealedServer({ greet: asks });
    const pairing = await pairDevice({ ...me, link: server.pairLink });
    end(server.link);
    await expect(pairing.approved).rejects.toMatchObject({ name: "PairingError", kind });
  });

  it("fails when it is given up, by its handle or its signal", async () => {
    const server = await startSealedServer({ greet: asks });
    const first = await pairDevice({ ...me, link: server.pairLink });
    first.cancel();
    await expect(first.approved).rejects.toMatchObject({ kind: "lost" });
    const abort = new AbortController();
    const second = await pairDevice({ ...me, link: server.pairLink, signal: abort.signal });
    abort.abort();
    await expect(second.approved).rejects.toMatchObject({ kind: "lost" });
  });

  it("is refused by a spent offer, after message 3 as before it", async () => {
    const spent = await startSealedServer({ greet: ({ socket }) => socket.close(4401) });
    await expect(pairDevice({ ...me, link: spent.pairLink })).rejects.toMatchObject({ kind: "refused" });
    const server = await startSealedServer();
    const [head, , key, secret] = server.pairLink.split(/\.(?=[\w-]{22,43}(?:\.|$))/);
    const other = `${head}.${"A".repeat(22)}.${key}.${secret}`;
    await expect(pairDevice({ ...me, link: other })).rejects.toMatchObject({ kind: "refused" });
  });

  it("goes no further with one that does not hold the key of the link", async () => {
    const impostor = await startSealedServer({
      intercept: (socket) => {
        socket.on("message", () => socket.send(Buffer.from([1, ...Buffer.alloc(48, 9)])));
        return true;
      },
    });
    const failure = pairDevice({ ...me, link: impostor.pairLink });
    await expect(failure).rejects.toMatchObject({
      kind: "unreachable",
      message: /does not hold the server's key/,
    });
    expect(impostor.links).toEqual([]);
  });

  it("says so when the text is no link, or nobody is there", async () => {
    await expect(pairDevice({ ...me, link: "http://h/?pair=1.a.b.c" })).rejects.toMatchObject({
      kind: "bad-link",
    });
    const server = await startSealedServer();
    const { pairLink } = server;
    await server.close();
    await expect(pairDevice({ ...me, link: pairLink })).rejects.toMatchObject({ kind: "unreachable" });
  });
});

describe("a device's record", () => {
  it.each([
    ["http://h:1/", "ws://h:1/rpc"],
    ["https://h.example/nexus/", "wss://h.example/nexus/rpc"],
  ])("of a page at %s links to %s", (page, rpc) => {
    expect(rpcUrl(page)).toBe(rpc);
  });

  it("tries its addresses in turn", async () => {
    const server = await startSealedServer();
    const record = await (await pairDevice({ ...me, link: server.pairLink })).approved;
    const urls = ["http://127.0.0.1:9/", server.url];
    const connect = connectDevice({ ...record, urls }, { WebSocket, client: "test" });
    const client = new NexusClient({ connect, retry: false }).start();
    await client.whenReady();
    client.close();
  });

  it("with damaged keys is refused with what to do", async () => {
    const server = await startSealedServer();
    const record = await (await pairDevice({ ...me, link: server.pairLink })).approved;
    for (const damage of [{ serverKey: "A".repeat(43) }, { secretKey: "x" }]) {
      const options = { WebSocket, client: "test" };
      expect(() => connectDevice({ ...record, ...damage }, options)).toThrow(/pair this device again/);
    }
  });
});
