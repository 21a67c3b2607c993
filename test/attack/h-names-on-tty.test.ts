/** Names and titles that others chose, on the owner's terminal. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { pairDevice as pairClient } from "../../src/client/pairing.js";
import { onTerminal, run } from "../support/command.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { offerLink, workspaceOf } from "../support/devices.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

/** Clears the screen, goes up, reverses the line, and begins a new one. */
const EVIL = "phone\x1b[2J\x1b[A\u202eecived\nRights granted: everything\r\x9b1A";

/** What may not reach the terminal from the name. */
const ACTS = /\x1b\[2J|\x1b\[A|\u202e|\x9b/;

test("H9: a name that redraws the approval prompt shows as one plain line", async () => {
  const owner = onTerminal("nexusd", ["pair"], { env: daemon.env });
  onTestFinished(() => owner.kill());
  await owner.shows(/#pair=1\.\S+/);
  const link = /http\S+#pair=\S+/.exec(owner.text())?.[0] ?? "";
  const from = owner.text().length;
  const pairing = await pairClient({
    link: link.replace(/^http:\/\/[^/]+/, `http://127.0.0.1:${daemon.port}`),
    name: EVIL,
    kind: "phone",
    wants: [],
    WebSocket,
  });
  onTestFinished(() => pairing.cancel());
  await owner.shows("six digits", from);
  const prompt = owner.text().slice(from);
  const line = prompt.split("\n").find((one) => one.includes("A device asks")) ?? "";
  expect(line).toContain("Rights granted: everything");
  expect(line).toContain("(phone)");
  expect(line).not.toMatch(ACTS);
  owner.type("\x03");
  expect(await owner.ended).toBe(130);
});

test("H9: the list of devices is as many lines as there are devices", async () => {
  const link = await offerLink(daemon, ["sessions"]);
  const pairing = await pairClient({ link, name: EVIL, kind: "phone", wants: [], WebSocket });
  await pairing.approved;
  const { stdout } = await run("nexusd", ["devices"], { env: daemon.env });
  expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
});

test("H9: titles and text of a terminal show their controls, in the list, the read and as JSON", async () => {
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await daemon.call("terminal.open", {
    workspaceId,
    title: `t\x1b[2J\u202e${"x".repeat(5)}\n2`,
  });
  await daemon.call("terminal.input", {
    workspaceId,
    tabId,
    text: "printf 'a\\u202eb\\u2066c\\n'; echo e''nd",
    enter: true,
  });
  await run("nexus", ["terminal", "wait", tabId, "--match", "^end", "--timeout", "20s"], { env: daemon.env });
  for (const args of [["ls"], ["ls", "--json"], ["events"], ["terminal", "read", tabId, "--json"]]) {
    const { stdout, code } = await run("nexus", args, { env: daemon.env });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  }
  const { stdout } = await run("nexus", ["terminal", "read", tabId], { env: daemon.env });
  expect(stdout).toContain("a<U+202E>b<U+2066>c");
});
