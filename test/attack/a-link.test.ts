/** Attacks on the upgraded link by someone who has proved nothing yet. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, pairDevice } from "../support/devices.js";
import { dial, UPGRADE_HEADERS } from "../support/raw-http.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let device: BareClient;
beforeAll(async () => {
  daemon = await startDaemon();
  device = await pairDevice(daemon);
});
afterAll(() => daemon.dispose());

function open(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${daemon.port}/rpc`, "nexus.sealed.1", {
    perMessageDeflate: false,
  });
  socket.on("error", () => undefined);
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.once("close", (code) => reject(new Error(`closed with ${code}`)));
  });
}

const closeCode = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", (code) => resolve(code)));

test("A4 a socket that says nothing is closed with 4408", async () => {
  const from = Date.now();
  expect(await closeCode(await open())).toBe(4408);
  expect(Date.now() - from).toBeGreaterThan(5_000);
});

describe("A6 a first message that is too large", () => {
  test("past 1 KiB: 4400", async () => {
    const socket = await open();
    const closed = closeCode(socket);
    socket.send(randomBytes(1025));
    expect(await closed).toBe(4400);
  });

  test("past 1 MiB: 1009; of exactly 1 MiB it is read, and is no handshake", async () => {
    const [over, exact] = [await open(), await open()];
    const codes = [closeCode(over), closeCode(exact)];
    over.send(randomBytes(2 ** 20 + 1));
    exact.send(randomBytes(2 ** 20));
    expect(await Promise.all(codes)).toEqual([1009, 4400]);
  });
});

test("A9 a message in a hundred fragments ends the link", async () => {
  const socket = await open();
  const closed = closeCode(socket);
  for (let i = 0; i < 100; i++) socket.send("x", { binary: true, fin: i === 99 });
  expect(await closed).not.toBe(1000);
});

describe("A10 what is no handshake", () => {
  test("a text message: 4400", async () => {
    const socket = await open();
    const closed = closeCode(socket);
    socket.send("hello");
    expect(await closed).toBe(4400);
  });

  test("an unknown first byte, and a record before the handshake: 4401", async () => {
    for (const first of [0x00, 0x02, 0x03, 0xff]) {
      const socket = await open();
      const closed = closeCode(socket);
      socket.send(Buffer.concat([Buffer.from([first]), randomBytes(100)]));
      expect(await closed).toBe(4401);
    }
  });

  test("a frame with a reserved bit ends the connection", async () => {
    const socket = await dial(daemon.port);
    const head = ["GET /rpc HTTP/1.1", `Host: 127.0.0.1:${daemon.port}`, ...UPGRADE_HEADERS];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 0x01])); // FIN, RSV1, binary, one masked byte
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
  });

  test("pings by the dozen: 4400", async () => {
    const client = await linkAgain(device);
    for (let i = 0; i < 50; i++) client.socket.ping();
    expect((await client.closed).code).toBe(4400);
  });
});

test("A11 a client with another server's key gets a close and not one byte", async () => {
  const other = createHash("sha256").update("another server").digest();
  const bytes: Buffer[] = [];
  const strange = BareClient.link({ ...device.device, serverKey: other });
  await expect(strange).rejects.toMatchObject({ code: 4401 });
  expect(bytes).toEqual([]);
});

test("A7 a hundred bad handshakes are cut short, and a paired device goes on meanwhile", async () => {
  const flooded = await startDaemon(); // its address is limited for a while after this
  const paired = await pairDevice(flooded);
  const codes = new Map<number, number>();
  const attempts = Array.from({ length: 100 }, async () => {
    const stranger = await BareClient.link({ ...paired.device, serverKey: randomBytes(32) }).catch(
      (error: Error & { code?: number }) => error,
    );
    const code = stranger instanceof Error ? (stranger.code ?? 0) : 0;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  });
  const pings = Array.from({ length: 20 }, () => paired.call("sessions.list"));
  await Promise.all([...attempts, ...pings]);
  // Ten failures a minute cost arithmetic; the rest is refused before any, or gave way to a newcomer.
  expect(codes.get(4401) ?? 0).toBeLessThanOrEqual(11);
  expect(codes.get(4429) ?? 0).toBeGreaterThanOrEqual(80);
  await paired.close();
  await flooded.dispose();
});

test("a device has sixteen links; one more is refused with 4429", async () => {
  const links: BareClient[] = [];
  const refused = await waitFor("the link that is one too many", async () => {
    const link = await BareClient.link(device.device);
    const code = await Promise.race([
      link.notified("link.ready").then(
        () => undefined,
        () => undefined,
      ),
      link.closed.then(({ code: closed }) => closed),
    ]);
    if (code === undefined) links.push(link);
    return code;
  });
  expect(refused).toBe(4429);
  expect(links.length).toBeLessThanOrEqual(16);
  expect(links.length).toBeGreaterThanOrEqual(14); // others of this file may still be closing
  for (const link of links) await link.close();
});
