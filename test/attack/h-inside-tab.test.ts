/** What a program in a tab can reach with the commands at hand. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let ref: { workspaceId: string; tabId: string };
beforeAll(async () => {
  daemon = await startDaemon();
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await daemon.call("terminal.open", { workspaceId, title: "inside", cols: 400, rows: 50 });
  ref = { workspaceId, tabId };
});
afterAll(() => daemon.dispose());

let asked = 0;

/** Types a command in the tab; its output and its exit code. */
async function inside(command: string): Promise<{ code: number; output: string }> {
  const mark = `done-${++asked}`;
  await daemon.call("terminal.input", { ...ref, text: `clear; ${command}; echo ${mark}=$?`, enter: true });
  const end = new RegExp(`^([^]*?)^${mark}=(\\d+)`, "m");
  const match = await waitFor(`the end of ${command}`, async () => {
    const { text } = await daemon.call("terminal.read", ref);
    return end.exec(text);
  });
  return { output: match[1] ?? "", code: Number(match[2]) };
}

test.each([
  "nexusd pair --print-link",
  "nexusd pair --yes --caps everything --print-link",
  "nexusd approve 123456 --caps everything",
  "nexusd devices",
  "nexusd grant someone everything",
  "nexusd revoke someone",
  "nexusd add /",
  "nexusd remove inside",
  "nexusd workspaces",
  "nexusd status",
  "nexusd stop --force",
  "nexusd restart",
  "nexusd serve /",
  "nexusd open",
  "nexusd doctor",
])("H2: in a tab `%s` is refused and says why", async (command) => {
  const { code, output } = await inside(command);
  expect(output).toContain("tab of nexusd");
  expect(output).not.toContain("#pair=");
  expect(code).toBe(4);
});

test("H2: in a tab nexus sees the tabs, over the tab's own socket", async () => {
  const { code, output } = await inside("nexus ls");
  expect(code).toBe(0);
  expect(output).toContain(ref.tabId);
});

test("H2: in a tab nexus can neither answer what another tab is asked nor take a terminal over", async () => {
  expect((await inside(`nexus terminal answer ${ref.tabId} allow --request r1`)).code).not.toBe(0);
  expect((await inside(`nexus terminal attach ${ref.tabId}`)).code).toBe(4);
});

test("H2: a token of no tab opens nothing", async () => {
  const { code } = await inside("NEXUS_TOKEN=forged nexus ls");
  expect(code).toBe(5);
});
