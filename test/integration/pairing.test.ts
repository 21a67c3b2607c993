/** Pairing and revocation, by a client that was written from the description of the link alone. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, offerLink, openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

const failure = async (promise: Promise<unknown>): Promise<{ code?: number; message: string }> =>
  promise.then(
    () => ({ message: "it did not fail" }),
    (error: Error & { code?: number }) => error,
  );

describe("a device", () => {
  test("pairs by the typed code, then lists, opens a terminal and reads it", async () => {
    const client = await BareClient.pair(await offerLink(daemon), { name: "my phone", kind: "phone" });
    expect(await client.notified("link.pairing")).toEqual({ state: "approve" });
    expect((await failure(client.call("sessions.list"))).code).toBe(1002); // Forbidden before it is in
    const paired = await daemon.owner("owner.approve", {
      code: `${client.code.slice(0, 3)} ${client.code.slice(3)}`,
      capabilities: ["sessions", "terminal.read", "terminal.control"],
    });
    expect(paired).toMatchObject({ id: client.deviceId, name: "my phone" });
    const ready = await client.notified("link.ready");
    expect(ready).toMatchObject({
      device: { id: client.deviceId, name: "my phone" },
      capabilities: ["sessions", "terminal.read", "terminal.control"],
      protocol: "0.2.0",
    });
    const { workspaces } = await client.call("sessions.list");
    const workspaceId = workspaces.find((w: { path: string }) => w.path === daemon.folder).id;
    const tab = await openTerminal(client, workspaceId, { command: "echo over-the-$((40+2))-sealed-link" });
    await waitFor("the command's output", async () => {
      const { text } = await client.call("terminal.read", tab);
      return text.includes("over-the-42-sealed-link");
    });
    await client.call("terminal.close", { ...tab, force: true });
    await client.close();
    const again = await linkAgain(client);
    expect((await again.call("sessions.list")).sessions).toEqual([]);
    await again.close();
  });

  test("gets what the owner picked, whatever it wants, and unknown words are dropped", async () => {
    const client = await BareClient.pair(await offerLink(daemon), {
      wants: ["owner", "terminal.control", "everything", "__proto__"],
    });
    await client.notified("link.pairing");
    await daemon.owner("owner.approve", { code: client.code, capabilities: ["sessions"] });
    expect((await client.notified("link.ready")).capabilities).toEqual(["sessions"]);
    await client.close();
  });

  test("cannot use a link a second time", async () => {
    const link = await offerLink(daemon, ["sessions"]);
    const first = await BareClient.pair(link);
    await first.notified("link.ready");
    const second = await BareClient.pair(link);
    expect((await second.closed).code).toBe(4401);
    await first.close();
  });

  test("is denied when the owner says no, and hears why sealed", async () => {
    const client = await BareClient.pair(await offerLink(daemon));
    await client.notified("link.pairing");
    await daemon.owner("owner.deny", {});
    await client.notified("link.pairing", (params) => params.state === "denied");
    expect((await client.closed).code).toBe(4403);
  });

  test("is refused after three wrong codes", async () => {
    const client = await BareClient.pair(await offerLink(daemon));
    await client.notified("link.pairing");
    const wrong = client.code === "000000" ? "000001" : "000000";
    for (let i = 0; i < 3; i++) {
      const { code } = await failure(
        daemon.owner("owner.approve", { code: wrong, capabilities: ["sessions"] }),
      );
      expect(code).toBe(1002);
    }
    expect((await client.closed).code).toBe(4403);
    expect((await failure(daemon.owner("owner.approve", { code: client.code, capabilities: [] }))).code).toBe(
      1003,
    );
  });
});

describe("a revoked device", () => {
  test("is off within 100 ms in the middle of a flood, and nothing that it sent after has effect", async () => {
    const workspaceId = await workspaceOf(daemon);
    const client = await pairDevice(daemon);
    const tab = await openTerminal(client, workspaceId);
    await client.call("terminal.watch", { ...tab, lines: 1000 });
    await client.call("terminal.input", { ...tab, text: "yes flooded", enter: true });
    await client.notified("terminal.update", (update) => update.text.includes("flooded"));
    onTestFinished(async () => {
      await daemon.call("terminal.close", { ...tab, force: true });
    });
    // What it sends while it is revoked races with the revocation; what it sends after must not act.
    const opened = Date.now();
    const revoked = daemon.owner("owner.revoke", { deviceId: client.deviceId });
    const { code } = await client.closed;
    const offAfterMs = Date.now() - opened;
    const { left } = await revoked;
    expect(code).toBe(4403);
    expect(client.notifications.at(-1)).toEqual({ method: "link.closed", params: { reason: "revoked" } });
    expect(offAfterMs).toBeLessThan(100 * SLACK);
    expect(left.map((one) => one.tabId)).toContain(tab.tabId);
    const sessions = (await daemon.call("sessions.list", {})).sessions.length;
    client.socket.send(
      client.seal(
        Buffer.from(
          JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "terminal.open",
            params: { workspaceId },
          }),
        ),
      ),
      () => undefined,
    );
    const refused = await BareClient.link(client.device);
    expect((await refused.closed).code).toBe(4401);
    expect((await daemon.call("sessions.list", {})).sessions).toHaveLength(sessions);
  });

  test("loses what waits: a wait in progress ends with the link", async () => {
    const workspaceId = await workspaceOf(daemon);
    const client = await pairDevice(daemon);
    const tab = await openTerminal(client, workspaceId);
    const waiting = failure(client.call("terminal.wait", { ...tab, exit: true, timeoutMs: 10_000 }));
    await daemon.owner("owner.revoke", { deviceId: client.deviceId });
    expect((await waiting).message).toMatch(/link closed/);
    await daemon.call("terminal.close", { ...tab, force: true });
  });
});

test("a narrowed grant ends what it no longer covers, and the link stays", async () => {
  const workspaceId = await workspaceOf(daemon);
  const client = await pairDevice(daemon);
  const tab = await openTerminal(client, workspaceId);
  const { watchId } = await client.call("terminal.watch", tab);
  const waiting = failure(client.call("terminal.wait", { ...tab, exit: true, timeoutMs: 10_000 }));
  await client.call("sessions.list");
  await daemon.owner("owner.grant", { deviceId: client.deviceId, capabilities: ["sessions"] });
  expect((await waiting).code).toBe(1002);
  expect(await client.notified("link.capabilities")).toEqual({ capabilities: ["sessions"] });
  const before = client.notifications.length;
  await daemon.call("terminal.input", { ...tab, text: "echo unseen", enter: true });
  await daemon.call("terminal.wait", { ...tab, match: "unseen" });
  expect(client.notifications.slice(before).filter((note) => note.method === "terminal.update")).toEqual([]);
  expect((await failure(client.call("terminal.unwatch", { watchId }))).code).toBe(1002);
  expect((await failure(client.call("terminal.read", tab))).code).toBe(1002);
  await client.call("sessions.list");
  await daemon.call("terminal.close", { ...tab, force: true });
  await client.close();
});

/** The requirement is 100 ms; a machine that runs the whole suite on two cores is given three times that. */
const SLACK = 3;
