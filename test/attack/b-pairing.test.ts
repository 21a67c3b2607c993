/** Rows B1 to B6, B8 and B9 over real sockets: guessing, racing, standing between, replaying, claiming. */
import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { pairDevice as pairByClient } from "../../src/client/pairing.js";
import { CAPABILITIES } from "../../src/protocol/capabilities.js";
import { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, offerLink, pairDevice } from "../support/devices.js";
import { type LinkProxyOptions, startLinkProxy } from "../support/link-proxy.js";

/** A daemon of its own: failed handshakes count against their address. */
async function daemonOfItsOwn(): Promise<TestDaemon> {
  const daemon = await startDaemon();
  onTestFinished(() => daemon.dispose());
  return daemon;
}

async function proxyTo(daemon: TestDaemon, options: LinkProxyOptions = {}) {
  const proxy = await startLinkProxy(daemon.port, options);
  onTestFinished(() => proxy.close());
  return proxy;
}

const withSecret = (link: string, secret: Buffer): string =>
  `${link.slice(0, link.lastIndexOf(".") + 1)}${secret.toString("base64url")}`;

/** The code that a pairing attempt is closed with; 0 when it got as far as being asked about. */
async function outcome(link: string): Promise<number> {
  const client = await BareClient.pair(link);
  return await Promise.race([
    client.closed.then(({ code }) => code),
    client.notified("link.pairing").then(
      () => 0,
      () => 4401,
    ),
    client.notified("link.ready").then(
      () => 0,
      () => 4401,
    ),
  ]);
}

test("B1: a guessed secret fails, and after five the true one fails in the same way", async () => {
  const daemon = await daemonOfItsOwn();
  const link = await offerLink(daemon);
  for (let at = 0; at < 5; at++) expect(await outcome(withSecret(link, randomBytes(16)))).toBe(4401);
  expect(await outcome(link)).toBe(4401);
  expect((await daemon.owner("owner.devices", {})).devices).toEqual([]);
});

test("B1: four wrong guesses leave the true link its use", async () => {
  const daemon = await daemonOfItsOwn();
  const link = await offerLink(daemon);
  for (let at = 0; at < 4; at++) expect(await outcome(withSecret(link, randomBytes(16)))).toBe(4401);
  expect(await outcome(link)).toBe(0);
});

test("B1: links that were used, replaced, denied, never made, or made before a restart all fail alike", async () => {
  const daemon = await daemonOfItsOwn();
  const used = await offerLink(daemon, ["sessions"]);
  await (await pairWith(used)).close();
  const replaced = await offerLink(daemon);
  const denied = await offerLink(daemon);
  expect(await outcome(replaced)).toBe(4401);
  const asking = await BareClient.pair(denied);
  await asking.notified("link.pairing");
  await daemon.owner("owner.deny", {});
  await asking.closed;
  expect(await outcome(denied)).toBe(4401);
  expect(await outcome(used)).toBe(4401);
  const [page, , server, secret] = used.split(/#pair=1\.|\./).slice(-4);
  const never = `http://127.0.0.1:${daemon.port}/#pair=1.${randomBytes(16).toString("base64url")}.${server}.${secret}`;
  expect(page).toBeDefined();
  expect(await outcome(never)).toBe(4401);
  const before = await offerLink(daemon);
  await daemon.restart();
  expect(await outcome(before.replace(/:\d+\//, `:${daemon.port}/`))).toBe(4401);
});

async function pairWith(link: string): Promise<BareClient> {
  const client = await BareClient.pair(link);
  await client.notified("link.ready");
  return client;
}

test("B2: of two devices that use one offer at once exactly one is asked about, and the owner is warned", async () => {
  const daemon = await daemonOfItsOwn();
  const { link, offerId } = await daemon.owner("owner.pair", {});
  const here = link.replace(/^http:\/\/[^/]+\//, `http://127.0.0.1:${daemon.port}/`);
  const both = await Promise.all([outcome(here), outcome(here)]);
  expect(both.sort()).toEqual([0, 4401]);
  const { state, message } = await daemon.owner("owner.pairing", { offerId });
  expect(state).toBe("approve");
  expect(message).toMatch(/someone else/i);
});

test("B3: a client that someone else answers gives up at message 2 and tells nothing", async () => {
  const daemon = await daemonOfItsOwn();
  const proxy = await proxyTo(daemon, {
    toClient: () => Buffer.concat([Buffer.from([1]), randomBytes(48)]),
  });
  const link = proxy.through(await offerLink(daemon, ["sessions"]));
  const pairing = pairByClient({ link, name: "x", kind: "cli", wants: [], WebSocket });
  await expect(pairing).rejects.toMatchObject({ name: "PairingError" });
  expect(proxy.fromClient).toHaveLength(1);
  expect((await daemon.owner("owner.devices", {})).devices).toEqual([]);
});

test("B4: who photographed the code and was faster shows other digits, and what the owner reads lets nobody in", async () => {
  const daemon = await daemonOfItsOwn();
  const link = await offerLink(daemon);
  const attacker = await BareClient.pair(link);
  await attacker.notified("link.pairing");
  const owner = await BareClient.pair(link);
  expect((await owner.closed).code).toBe(4401);
  expect(owner.code).not.toBe(attacker.code);
  const capabilities = ["sessions" as const];
  await expect(daemon.owner("owner.approve", { code: owner.code, capabilities })).rejects.toMatchObject({
    code: 1002,
  });
  await daemon.owner("owner.deny", {});
  expect((await attacker.closed).code).toBe(4403);
  expect((await daemon.owner("owner.devices", {})).devices).toEqual([]);
});

test("B5: a device gets what was ticked, whatever it asks for", async () => {
  const daemon = await daemonOfItsOwn();
  const wants = [...CAPABILITIES, "everything", "constructor"];
  const client = await pairDevice(daemon, ["sessions"], { wants });
  expect((await client.notified("link.ready")).capabilities).toEqual(["sessions"]);
  expect((await daemon.owner("owner.devices", {})).devices[0]?.capabilities).toEqual(["sessions"]);
  expect((await client.ask("owner.devices")).error?.code).toBe(-32601);
});

test("B6: recorded messages of a handshake open nothing when they are sent again", async () => {
  const daemon = await daemonOfItsOwn();
  const device = await pairDevice(daemon, ["sessions"]);
  await device.close();
  const proxy = await proxyTo(daemon);
  const again = await BareClient.link({ ...device.device, url: `ws://127.0.0.1:${proxy.port}/rpc` });
  await again.notified("link.ready");
  const recorded = proxy.fromClient.slice(0, 2);
  await again.close();

  const replay = new WebSocket(`ws://127.0.0.1:${daemon.port}/rpc`, "nexus.sealed.1");
  const answers: Buffer[] = [];
  replay.on("message", (message: Buffer) => {
    answers.push(message);
    if (answers.length === 1) replay.send(recorded[1] as Buffer);
  });
  replay.on("open", () => replay.send(recorded[0] as Buffer));
  const code = await new Promise<number>((resolve) => replay.on("close", resolve));
  expect(code).toBe(4401);
  expect(answers).toHaveLength(1); // message 2, which anyone may ask for
});

test.each([
  ["the mode", 1, 1],
  ["the offer's id", 1, 2],
  ["the client's ephemeral key", 1, 20],
  ["the proof in message 3", 2, 60],
] as const)("B8: %s changed on its way ends the handshake with 4401", async (_what, message, at) => {
  const daemon = await daemonOfItsOwn();
  const proxy = await proxyTo(daemon, {
    toServer: (bytes, which) => {
      const changed = Buffer.from(bytes);
      if (which === message) changed[at] = (changed[at] ?? 0) ^ (at === 1 ? 3 : 1);
      return changed;
    },
  });
  const link = proxy.through(await offerLink(daemon, ["sessions"]));
  const code = await BareClient.pair(link).then(
    async (client) => (await client.closed).code,
    (error: { code?: number }) => error.code ?? 4401, // it could not open message 2
  );
  expect(code).toBe(4401);
  expect((await daemon.owner("owner.devices", {})).devices).toEqual([]);
});

test("B9: a device is its proven key, whatever id its payload claims", async () => {
  const daemon = await daemonOfItsOwn();
  const victim = await pairDevice(daemon, ["sessions", "terminal.read"], { name: "victim" });
  const extra = { id: victim.deviceId, deviceId: victim.deviceId, device: { id: victim.deviceId } };
  const liar = await pairDevice(daemon, ["sessions"], { name: "victim", extra });
  expect((await liar.notified("link.ready")).device.id).toBe(liar.deviceId);
  expect(liar.deviceId).not.toBe(victim.deviceId);
  const { devices } = await daemon.owner("owner.devices", {});
  expect(devices.map(({ id }) => id).sort()).toEqual([victim.deviceId, liar.deviceId].sort());
  await daemon.owner("owner.revoke", { deviceId: liar.deviceId });
  expect((await (await linkAgain(victim)).call("sessions.list")).sessions).toEqual([]);
});
