/** Row D9: what a device may name when it opens a terminal. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { openTerminal, pairDevice, workspaceOf } from "../support/devices.js";

let daemon: TestDaemon;
let client: BareClient;
let workspaceId: string;
beforeAll(async () => {
  daemon = await startDaemon();
  client = await pairDevice(daemon);
  workspaceId = await workspaceOf(daemon);
  mkdirSync(join(daemon.folder, "sub"));
  mkdirSync(`${daemon.folder}-beside`);
  symlinkSync(daemon.home, join(daemon.folder, "out"));
});
afterAll(async () => {
  await client.close();
  await daemon.dispose();
});

const failure = (params: object): Promise<{ code: number; message: string }> =>
  client.call("terminal.open", { workspaceId, ...params }).then(
    () => ({ code: 0, message: "it opened" }),
    (error: { code: number; message: string }) => error,
  );

describe("D9", () => {
  test.each(["scratch", "/bin/sh", "../bash", "bash -c id", "__proto__", "constructor"])(
    "a shell that terminal.shells does not list is not started: %s",
    async (shell) => {
      const { code } = await failure({ shell });
      expect([1001, -32602]).toContain(code);
    },
  );

  test.each(["..", "../..", "../project-beside", "sub/../..", "/etc", "out", "out/run", "sub\0/.."])(
    "a folder outside the workspace opens nothing: %j",
    async (folder) => {
      const { code } = await failure({ folder });
      expect([1001, 1002, -32602]).toContain(code);
    },
  );

  test("no try left a tab, and a listed shell in a folder inside opens there", async () => {
    expect((await daemon.call("sessions.list", {})).sessions).toEqual([]);
    const { shells } = await client.call("terminal.shells", { workspaceId });
    const tab = await openTerminal(client, workspaceId, {
      shell: shells[0].id,
      folder: "sub",
      command: "pwd; exit",
    });
    await client.call("terminal.wait", { ...tab, exit: true, timeoutMs: 10_000 });
    expect((await client.call("terminal.read", tab)).text.replaceAll("\n", "")).toContain(
      `${daemon.folder}/sub`,
    );
    await client.call("terminal.close", { ...tab, force: true });
  });
});
