/** E16: what is typed, read, sent or named secret is in no log, no audit line, no state file and no process's arguments. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BareClient } from "../support/bare-client.js";
import { startDaemon } from "../support/daemon.js";
import { ALL_BUT_OWNER, offerLink, openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

const MARK = "cAnArY";

test("E16 canaries in every text and secret are found nowhere", async () => {
  const daemon = await startDaemon({ config: { logLevel: "debug" } });
  onTestFinished(() => daemon.dispose());
  const workspaceId = await workspaceOf(daemon);
  const link = await offerLink(daemon, ALL_BUT_OWNER);
  const client = await BareClient.pair(link);
  await client.notified("link.ready");
  writeFileSync(join(daemon.folder, "file.txt"), `${MARK}-file\n`);

  const tab = await openTerminal(client, workspaceId, { command: `echo ${MARK}-command` });
  await client.call("terminal.watch", tab);
  await client.call("terminal.input", { ...tab, text: `echo ${MARK}-typed`, enter: true });
  await waitFor("the output", async () =>
    (await client.call("terminal.read", tab)).text.includes(`${MARK}-typed`),
  );
  await client.call("terminal.wait", { ...tab, match: `${MARK}-ty.ed` });
  await client.call("files.read", { workspaceId, path: "file.txt" });
  await client.ask("files.read", { workspaceId, path: `${MARK}-path` });
  await client.ask(`${MARK}.method`, { text: `${MARK}-param` });
  await client.ask("terminal.input", { ...tab, text: { [`${MARK}-key`]: `${MARK}-wrong-type` } });
  await client.ask("chat.send", { ...tab, text: `${MARK}-message` });
  const denied = await pairDevice(daemon, ["sessions"]);
  await denied.ask("terminal.input", { ...tab, text: `${MARK}-denied` });

  const [, secret = ""] = link.split("#pair=1.");
  const secrets = [MARK, ...secret.split(".").filter((_, index) => index !== 1)];
  const args = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  // The shell's own command line is the program's, not the daemon's; its output stays in the screen.
  const places = new Map([
    ["the log", daemon.log()],
    ["arguments", args],
    ...stateFiles(join(daemon.home, ".local"), join(daemon.home, ".config")),
  ]);
  for (const [place, text] of places) {
    for (const found of secrets) expect(text.includes(found), `${found} in ${place}`).toBe(false);
  }
  expect(daemon.log()).toContain("link ready");
});

function stateFiles(...folders: string[]): [string, string][] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      .map((path): [string, string] => [path, readFileSync(path, "latin1")]),
  );
}
