/** A real terminal host of its own folders: bundled once for a test file, as the build does it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { Terminals, type TerminalsOptions } from "../../src/terminal/client.js";
import { processNow } from "../../src/terminal/host/process-table.js";
import type { OpenTerminal, Shell, TerminalStatus } from "../../src/terminal/types.js";
import { waitFor } from "./wait-for.js";

export const bindingFile = path.join(
  path.dirname(createRequire(import.meta.url).resolve("node-pty/package.json")),
  "build/Release/pty.node",
);

let bundled: Promise<string> | undefined;

/** The bundled host's path; the bundle is removed when the file's tests are done. */
export function hostBundle(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-bundle-"));
  const script = pathToFileURL(fileURLToPath(new URL("../../scripts/bundle-host.mjs", import.meta.url)));
  const { bundleHost } = (await import(script.href)) as { bundleHost(outfile: string): Promise<string> };
  return await bundleHost(path.join(folder, "host.mjs"));
}

afterAll(async () => {
  if (bundled) rmSync(path.dirname(await bundled), { recursive: true, force: true });
  bundled = undefined;
});

export interface TestTerminals {
  readonly folder: string;
  readonly options: TerminalsOptions;
  /** A nexusd's side; several may look at the same hosts. */
  start(changes?: Partial<TerminalsOptions>): Promise<Terminals>;
  /** Pids of the hosts that live in these folders. */
  hosts(): number[];
}

/** Folders for one test; its hosts and their programs are ended afterwards, whatever happened. */
export async function terminalFolders(): Promise<TestTerminals> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-terminals-"));
  const options: TerminalsOptions = {
    stateDir: path.join(folder, "state"),
    runtimeDir: path.join(folder, "run"),
    hostFile: await hostBundle(),
    bindingFile,
    log: { info: () => undefined, warn: () => undefined },
  };
  await mkdir(options.runtimeDir, { recursive: true, mode: 0o700 });
  const started: Terminals[] = [];
  const hosts = (): number[] => pidsWith(options.runtimeDir);
  onTestFinished(async () => {
    for (const terminals of started) terminals.dispose();
    const last = await Terminals.start(options).catch(() => undefined);
    await last?.stopAll();
    for (const pid of hosts()) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    options,
    hosts,
    async start(changes = {}) {
      const terminals = await Terminals.start({ ...options, ...changes });
      started.push(terminals);
      return terminals;
    },
  };
}

function pidsWith(word: string): number[] {
  try {
    const out = execFileSync("ps", ["-axo", "pid=,args="], { encoding: "utf8" });
    return out
      .split("\n")
      .filter((line) => line.includes(word) && line.includes("host.mjs"))
      .map((line) => Number.parseInt(line, 10));
  } catch {
    return [];
  }
}

export const BASH: Shell = { id: "bash", name: "bash", path: "/bin/bash", isDefault: true };
export const SH: Shell = { id: "sh", name: "sh", path: "/bin/sh", isDefault: false };

/** A terminal of a folder without any of the tester's own settings. */
export function plainTerminal(id: string, home: string, more: Partial<OpenTerminal> = {}): OpenTerminal {
  return {
    id,
    cwd: home,
    shell: BASH,
    env: {
      HOME: home,
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      PS1: "$ ",
    },
    ...more,
  };
}

/** Resolves when the terminal's shell is at its prompt. */
export function atPrompt(terminals: Terminals, id: string): Promise<TerminalStatus> {
  return waitFor(`the prompt of ${id}`, () => {
    const status = terminals.get(id);
    return status?.phase === "prompt" ? status : undefined;
  });
}

/** Resolves with the terminal's text once it holds `text`. */
export function shows(
  terminals: Terminals,
  id: string,
  text: string | RegExp,
  lines?: number,
): Promise<string> {
  return waitFor(`${text} in ${id}`, async () => {
    const read = await terminals.read(id, lines === undefined ? {} : { lines });
    const found = typeof text === "string" ? read.includes(text) : text.test(read);
    return found ? read : undefined;
  });
}

/**
 * Presses ctrl-c until the shell is at a new prompt: one that comes while it
 * takes a paste may get lost in it. fish draws none for one on an empty line,
 * so several that change nothing say that the line is empty.
 */
export async function interrupt(terminals: Terminals, id: string): Promise<void> {
  let unchanged = 0;
  await waitFor("the interrupt", async () => {
    const { at } = await terminals.input(id, { keys: ["ctrl-c"] });
    const wait = { asker: "interrupt", after: at, timeoutMs: 1000 };
    const { state } = await terminals.wait(id, wait, new AbortController().signal);
    unchanged = state === "idle" ? 0 : unchanged + 1;
    return state === "idle" || unchanged >= 5;
  });
}

/** Names of what lies in a folder, empty when it is not there. */
export function names(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Whether a process lives; one that ended and nobody has collected does not. */
export function isRunning(pid: number): boolean {
  const now = processNow(pid);
  return now !== undefined && !now.zombie;
}
