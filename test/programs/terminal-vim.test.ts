/** vim over the sealed link: what a device is shown by a watch is what a read gives, all the way. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { applyTerminalUpdate } from "../../src/client/apply.js";
import { startDaemon } from "../support/daemon.js";
import { openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

test("vim opened, edited in and left shows the same by a watch and by a read", async () => {
  const daemon = await startDaemon();
  onTestFinished(() => daemon.dispose());
  const client = await pairDevice(daemon);
  const file = join(daemon.folder, "long.txt");
  writeFileSync(file, Array.from({ length: 300 }, (_, row) => `row ${row} 漢字\n`).join(""));
  const tab = await openTerminal(client, await workspaceOf(daemon), { command: "seq 500 600" });
  const read = async (): Promise<string> =>
    (await client.call("terminal.read", { ...tab, lines: 300, ansi: true })).text;
  const type = (input: object) => client.call("terminal.input", { ...tab, ...input });
  const { watchId, text } = await client.call("terminal.watch", { ...tab, lines: 300, ansi: true });
  const shown = (): string =>
    client.notifications.reduce((now: string, { method, params }) => {
      const update = params as { watchId: string; start: number; text: string };
      if (method !== "terminal.update" || update.watchId !== watchId) return now;
      return applyTerminalUpdate(now, update) ?? "an update that does not fit";
    }, text);
  const same = () => waitFor("the text of a read", async () => shown() === (await read()));
  await waitFor("the shell", async () => /\b600\b/.test(await read()));
  await same();

  // Without t_BE vim asks for no pasted text, so that what is typed are its commands.
  await type({ text: "vim -u NONE -N --cmd 'set t_BE=' long.txt", enter: true });
  await waitFor("the file", async () => (await read()).includes("row 20 "));
  expect(await read()).not.toMatch(/\b600\b/);
  await same();

  await type({ text: "100Goedited 表示" });
  await waitFor("the new line", async () => (await read()).includes("edited 表示"));
  await type({ keys: ["esc"] });
  await same();

  await type({ text: ":wq", enter: true });
  await waitFor("the shell again", async () => /\b600\b/.test(await read()));
  await same();
  expect(readFileSync(file, "utf8")).toContain("row 99 漢字\nedited 表示\nrow 100");
});
