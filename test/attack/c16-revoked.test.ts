/** Row C16: a right that is taken away while it is being used. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

test("C16 a device revoked between its keystrokes types nothing more, and its watches and waits are over", async () => {
  const client = await pairDevice(daemon);
  const workspaceId = await workspaceOf(daemon);
  const flood = await openTerminal(client, workspaceId, { command: "seq -f flooded-%.0f 1 inf" });
  const typed = await openTerminal(client, workspaceId, { command: "cat > typed.txt" });
  onTestFinished(async () => {
    for (const tab of [flood, typed]) await daemon.call("terminal.close", { ...tab, force: true });
  });
  await waitFor("cat", () => existsSync(join(daemon.folder, "typed.txt")));
  await client.call("terminal.watch", { ...flood, lines: 1000 });
  await client.notified("terminal.update", (update) => update.text.includes("flooded"));
  const waits = [flood, typed].map((tab) =>
    client.call("terminal.wait", { ...tab, exit: true, timeoutMs: 10_000 }).then(
      () => "answered",
      (error: Error) => error.message,
    ),
  );
  const revoked = daemon.owner("owner.revoke", { deviceId: client.deviceId });
  const { code } = await client.closed;
  expect(code).toBe(4403);
  await revoked;
  for (const message of await Promise.all(waits)) expect(message).toMatch(/link closed/);
  // What it seals now is written to a socket whose other end no longer reads.
  const late = {
    jsonrpc: "2.0",
    id: 99,
    method: "terminal.input",
    params: { ...typed, text: "late", enter: true },
  };
  client.socket.send(client.seal(Buffer.from(JSON.stringify(late))), () => undefined);
  // The owner's own line goes the same way and comes out, so the late one would have.
  await daemon.call("terminal.input", { ...typed, text: "owner", enter: true });
  const screen = await waitFor("the owner's line", async () => {
    const { text } = await daemon.call("terminal.read", typed);
    return text.includes("owner") ? text : undefined;
  });
  expect(screen).not.toContain("late");
  expect(client.notifications.at(-1)).toEqual({ method: "link.closed", params: { reason: "revoked" } });
});
