/** Runs nexusd and nexus as a person or a script does: with pipes, or on a terminal. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { spawn as spawnPty } from "node-pty";
import { waitFor } from "./wait-for.js";

export type Program = "nexusd" | "nexus";
type Env = Readonly<Record<string, string>>;

const fileOf = (program: Program): string =>
  fileURLToPath(new URL(`../../dist/cli/${program}.js`, import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The values of --json, one a line. */
  readonly values: unknown[];
}

export interface RunOptions {
  readonly env: Env;
  readonly cwd?: string;
  /** What stands on standard input. */
  readonly input?: string;
}

/** Resolves when it ended, with all that it wrote. */
export async function run(program: Program, args: readonly string[], options: RunOptions): Promise<Ran> {
  const running = start(program, args, options);
  return await running.ended;
}

export interface Running {
  readonly ended: Promise<Ran>;
  stdout(): string;
  kill(signal: NodeJS.Signals): void;
}

/** For what runs on: its output so far, and its end. */
export function start(program: Program, args: readonly string[], options: RunOptions): Running {
  const child = spawn(process.execPath, [fileOf(program), ...args], {
    env: { ...options.env },
    cwd: options.cwd ?? options.env.HOME,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on("error", () => undefined); // it may end without reading
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Ran>((resolve) => {
    child.once("close", (code) => {
      const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
      resolve({ code, stdout, stderr, values: lines.map((line) => JSON.parse(line) as unknown) });
    });
  });
  return { ended, stdout: () => stdout, kill: (signal) => void child.kill(signal) };
}

export interface OnTerminal {
  /** All that was drawn so far, escapes included. */
  text(): string;
  type(text: string): void;
  resize(cols: number, rows: number): void;
  /** Resolves once `what` was drawn after the first `from` characters; fails with what was drawn instead. */
  shows(what: string | RegExp, from?: number): Promise<void>;
  readonly ended: Promise<number>;
  kill(): void;
}

/** On a terminal of its own, where someone can answer. */
export function onTerminal(program: Program, args: readonly string[], options: RunOptions): OnTerminal {
  const pty = spawnPty(process.execPath, [fileOf(program), ...args], {
    env: { ...options.env },
    cwd: options.cwd ?? options.env.HOME ?? "/",
    cols: 120,
    rows: 50,
  });
  let text = "";
  let code: number | undefined;
  pty.onData((data) => {
    text += data;
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      code = exitCode;
      resolve(exitCode);
    });
  });
  return {
    text: () => text,
    type: (typed) => pty.write(typed),
    resize: (cols, rows) => pty.resize(cols, rows),
    async shows(what, from = 0) {
      const found = (): boolean => {
        const drawn = text.slice(from);
        return typeof what === "string" ? drawn.includes(what) : what.test(drawn);
      };
      await waitFor(`${String(what)} on the terminal`, found).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}; it shows ${JSON.stringify(text.slice(from))}`);
      });
    },
    ended,
    kill() {
      if (code === undefined) pty.kill("SIGKILL");
    },
  };
}
