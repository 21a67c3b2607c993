/** A process that holds terminals as nexusd does, for tests that kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import type { OpenTerminal } from "../../src/terminal/types.js";
import type { TestTerminals } from "./terminal-host.js";

const client = fileURLToPath(new URL("../../src/terminal/client.ts", import.meta.url));

/** Opens the terminals in a process of its own and resolves when they are open. */
export async function nexusdWith(
  folders: TestTerminals,
  open: readonly OpenTerminal[],
): Promise<ChildProcess> {
  const { log: _log, ...options } = folders.options;
  const outfile = path.join(folders.folder, "nexusd.mjs");
  await build({
    stdin: {
      contents: `
        import { Terminals } from ${JSON.stringify(client)};
        const log = { info() {}, warn() {} };
        const terminals = await Terminals.start({ ...${JSON.stringify(options)}, log });
        for (const terminal of ${JSON.stringify(open)}) await terminals.open(terminal);
        console.log("open");
        setInterval(() => {}, 1000);`,
      resolveDir: path.dirname(client),
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const child = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    if (child.stdout) createInterface({ input: child.stdout }).once("line", () => resolve());
    child.once("exit", () => reject(new Error("the process ended early")));
  });
  return child;
}

/** kill -9 to its whole process group, as a shell or a service manager might. */
export async function killGroup(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  await gone;
}
