/** The same request sent twice acts once: in one link, over two, and across a kill -9. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let workspaceId: string;
beforeAll(async () => {
  daemon = await startDaemon();
  workspaceId = await workspaceOf(daemon);
});
afterAll(() => daemon.dispose());

const tabs = async (): Promise<number> => (await daemon.call("sessions.list", {})).sessions.length;

test("in one link, at the same time and later", async () => {
  const client = await pairDevice(daemon);
  const id = randomUUID();
  const before = await tabs();
  // The bare client keeps one answer for each id, so the frames are sent by hand.
  const frame = JSON.stringify({ jsonrpc: "2.0", id, method: "terminal.open", params: { workspaceId } });
  const first = client.call("terminal.open", { workspaceId }, id);
  client.sendJson(frame);
  const { tabId } = await first;
  expect(await client.call("terminal.open", { workspaceId }, id)).toEqual({ tabId });
  expect(await tabs()).toBe(before + 1);
  await expect(client.call("terminal.open", { workspaceId, title: "other" }, id)).rejects.toMatchObject({
    code: -32600,
  });
  await client.close();
});

test("over two links, typed text too", async () => {
  const client = await pairDevice(daemon);
  const other = await linkAgain(client);
  const tab = await openTerminal(client, workspaceId, { command: "cat" });
  await waitFor(
    "cat to run",
    async () => (await daemon.call("terminal.wait", { ...tab, quietMs: 200 })).done,
  );
  const id = randomUUID();
  const input = { ...tab, text: "typed-once", enter: true };
  await Promise.all([client.call("terminal.input", input, id), other.call("terminal.input", input, id)]);
  await client.call("terminal.input", { ...tab, text: "the-end", enter: true });
  const text = await waitFor("the tty's echo of the end, and cat's own", async () => {
    const screen: string = (await client.call("terminal.read", tab)).text;
    return screen.match(/the-end/g)?.length === 2 ? screen : undefined;
  });
  expect(text.match(/typed-once/g)).toHaveLength(2);
  await client.call("terminal.close", { ...tab, force: true });
  await client.close();
  await other.close();
});

test("across a kill -9 of the daemon", async () => {
  const client = await pairDevice(daemon);
  const id = randomUUID();
  const { tabId } = await client.call("terminal.open", { workspaceId }, id);
  const before = await tabs();
  await daemon.kill();
  await daemon.restart();
  const device = { ...client.device, url: client.device.url.replace(/:\d+/, `:${daemon.port}`) };
  const again = await linkAgain(Object.assign(Object.create(client), { device }));
  expect(await again.call("terminal.open", { workspaceId }, id)).toEqual({ tabId });
  expect(await tabs()).toBe(before);
  await again.close();
});

test("another device with the same id is another request", async () => {
  const [a, b] = [await pairDevice(daemon), await pairDevice(daemon)];
  const id = randomUUID();
  const [one, two] = [
    await a.call("terminal.open", { workspaceId }, id),
    await b.call("terminal.open", { workspaceId }, id),
  ];
  expect(one.tabId).not.toBe(two.tabId);
  await a.close();
  await b.close();
});
