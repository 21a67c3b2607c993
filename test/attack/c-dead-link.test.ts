/** C13: a peer that vanished without a word, and one that only reads slowly. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import type { Caller } from "../../src/methods/context.js";
import { generateKeyPair } from "../../src/protocol/seal/identity.js";
import { Connection } from "../../src/server/connection.js";
import { SealedSocket } from "../../src/server/sealed-socket.js";
import { BareClient, bareKeys } from "../support/bare-client.js";
import { ManualClock } from "../support/clock.js";
import { waitFor } from "../support/wait-for.js";

const anyone: Caller = {
  kind: "device",
  deviceId: "d",
  name: "d",
  sender: undefined,
  can: () => true,
  sees: () => true,
  onlyItsTabs: false,
  mayConsent: true,
};

let clock: ManualClock;
let server: Server;
let sealed: SealedSocket;
let connection: Connection | undefined;
let client: BareClient;

beforeEach(async () => {
  clock = new ManualClock();
  const keyPair = generateKeyPair();
  server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => "nexus.sealed.1" });
  sockets.on("connection", (ws) => {
    sealed = new SealedSocket(ws, {
      handshake: { keyPair, offerSecret: () => undefined },
      begin: () => ({ succeeded: () => undefined, failed: () => undefined }),
      offerFailed: () => undefined,
      proven: (_client, socket) => {
        connection = new Connection(anyone, socket);
        return connection;
      },
      receive: () => Promise.resolve(),
      spend: () => 0,
      closed: () => undefined,
      monotonic: clock.monotonic,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/rpc`;
  client = await BareClient.link({ url, serverKey: Buffer.from(keyPair.publicKey), keys: bareKeys() });
  await waitFor("the server to know the client", () => connection !== undefined);
});
afterEach(() => {
  client.socket.terminate();
  server.close();
  connection = undefined;
});

/** The daemon looks at its links every five seconds. */
function pass(seconds: number): void {
  for (let i = 0; i < seconds; i += 5) {
    clock.advance(5_000);
    sealed.check();
  }
}

test("a peer that answers pings stays, however long it says nothing else", async () => {
  for (let i = 0; i < 10; i++) {
    let pinged = false;
    client.socket.once("ping", () => {
      pinged = true;
    });
    pass(20);
    await waitFor("the ping", () => pinged);
    await new Promise((resolve) => setTimeout(resolve, 20)); // its pong is on the way
  }
  expect(connection?.closed).toBe(false);
});

test("a peer that answers no ping is ended 20 s after it", async () => {
  client.socket.pause(); // its pongs stay unsent, as those of a phone that lost its network
  pass(35);
  expect(connection?.closed).toBe(false);
  pass(10);
  await waitFor("the link to end", () => connection?.closed);
});

test("what waits without progress for 30 s ends the link as a slow reader's", async () => {
  client.socket.pause();
  const chunk = JSON.stringify({ text: "x".repeat(700_000) });
  for (let i = 0; i < 10 && sealed.bufferedBytes < 2_000_000; i++) connection?.notifyNow("test", chunk);
  await waitFor("the kernel's buffers to be full", () => sealed.bufferedBytes > 1_000_000);
  pass(35);
  expect(connection?.closed).toBe(true);
});

test("more than 8 MiB that nobody reads ends the link at once", () => {
  client.socket.pause();
  const chunk = JSON.stringify({ text: "x".repeat(700_000) });
  for (let i = 0; i < 40 && connection?.closed === false; i++) connection.notifyNow("test", chunk);
  expect(connection?.closed).toBe(true);
});
