/** Our own client against a real daemon: over the sealed link and over the owner's socket. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { NexusClient } from "../../src/client/client.js";
import { connectDevice } from "../../src/client/device-record.js";
import { connectLocal } from "../../src/client/local.js";
import { pairDevice } from "../../src/client/pairing.js";
import { resolvePaths } from "../../src/server/paths.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { ALL_BUT_OWNER, offerLink, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
beforeAll(async () => {
  // a port that stays over a restart, as a client's record names it
  daemon = await startDaemon({ args: ["--port", String(await freePort())] });
});
afterAll(() => daemon.dispose());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A client of a fresh device, paired the way a person does it. */
async function pairedClient(): Promise<NexusClient> {
  const link = await offerLink(daemon);
  const pairing = await pairDevice({ link, name: "laptop", kind: "laptop", wants: [], WebSocket });
  await daemon.owner("owner.approve", { code: pairing.code, capabilities: ALL_BUT_OWNER });
  const record = await pairing.approved;
  const connect = connectDevice(record, { WebSocket, client: "test" });
  const client = new NexusClient({ connect, random: () => 0.99 }).start();
  onTestFinished(() => client.close());
  return client;
}

test("a paired client opens a terminal, types, and sees it change", async () => {
  const client = await pairedClient();
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await client.call("terminal.open", { workspaceId });
  const tab = { workspaceId, tabId };
  let text = "";
  const watch = client.watchTerminal(tab, {
    onChange: (now) => {
      text = now;
    },
  });
  await client.call("terminal.input", { ...tab, text: "echo $((6*7))-seen", enter: true });
  await waitFor("the output", () => text.includes("42-seen"));
  await client.call("terminal.input", { ...tab, text: "seq 1 3000", enter: true });
  await waitFor("the last line", () => /\n3000\n/.test(text));
  await waitFor("the same text as a read", async () => {
    return text === (await client.call("terminal.read", tab)).text;
  });
  watch.close();
  await client.call("terminal.close", { ...tab, force: true });
});

test("a daemon that crashed and is back finds its client again, with its watches and what it asked", async () => {
  const client = await pairedClient();
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await client.call("terminal.open", { workspaceId, command: "echo still-$((40+2))" });
  const tab = { workspaceId, tabId };
  const texts: string[] = [];
  client.watchTerminal(tab, { onChange: (text) => texts.push(text) });
  await waitFor("the output", () => texts.at(-1)?.includes("still-42"));
  const boot = client.ready?.server.boot;
  await daemon.kill();
  const asked = client.call("terminal.read", tab);
  const before = texts.length;
  await daemon.restart();
  expect((await asked).text).toContain("still-42");
  await waitFor("the text again", () => texts.length > before);
  expect(texts.at(-1)).toContain("still-42");
  expect(client.ready?.server.boot).not.toBe(boot);
  await client.call("terminal.close", { ...tab, force: true });
});

test("a revoked client is told so, and is closed for good", async () => {
  const client = await pairedClient();
  await client.whenReady();
  const id = client.ready?.device.id ?? "";
  await daemon.owner("owner.revoke", { deviceId: id });
  await waitFor("the end", () => client.state.state === "closed");
  expect(client.state.reason).toBe("revoked");
});

test("the owner's socket takes the same calls and the owner's own", async () => {
  const { ownerSocket } = resolvePaths(daemon.env);
  const client = new NexusClient({ connect: connectLocal({ path: ownerSocket }), retry: false }).start();
  onTestFinished(() => client.close());
  const { workspaces } = await client.call("sessions.list", {});
  expect(workspaces.map(({ path }) => path)).toContain(daemon.folder);
  expect((await client.request("owner.status", {})).pid).toBe(daemon.pid);
});
