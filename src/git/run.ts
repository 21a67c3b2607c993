/**
 * The one place that starts git. Directly, not over a library: the process has
 * a group of its own that can be ended whole, its output is bytes and bounded
 * while it comes, and its environment is exactly what env.ts says.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "../protocol/errors.js";
import { nameToBytes } from "../protocol/name-bytes.js";
import { type GitEnvironment, type GitPlace, gitEnv, SAFE_ARGS, searchPath } from "./env.js";
import { Gate } from "./gate.js";
import {
  MAX_ERROR_BYTES,
  MAX_OUTPUT_BYTES,
  MAX_RUNS,
  MAX_RUNS_PER_REPOSITORY,
  MAX_WAITING_RUNS,
  RUN_TIMEOUT_MS,
} from "./limits.js";

export interface GitCommand extends GitPlace {
  /** Where pathspecs start; inside the work tree. */
  readonly cwd: string;
  /** The command and what follows; revisions are never from the wire but for checked hashes. */
  readonly args: readonly string[];
  /** Follow the arguments behind `--`: relative to `cwd`, as the wire has them, so any bytes. */
  readonly paths?: readonly string[];
  /** Overrides of repository-local filters (filters.ts). */
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes?: number;
  /** Takes the output as it comes instead of its being kept; false ends the run, which then counts as cut. */
  readonly onOutput?: (chunk: Buffer) => boolean;
}

export interface GitOutput {
  readonly code: number;
  /** Empty with `onOutput`. */
  readonly stdout: Buffer;
  /** The start of what it said to its standard error. */
  readonly stderr: string;
  /** Ended before its end, since there was enough. */
  readonly cut: boolean;
}

export interface RunnerOptions {
  readonly environment: GitEnvironment;
  readonly timeoutMs?: number;
}

export class GitRunner {
  readonly #environment: GitEnvironment;
  readonly #timeoutMs: number;
  readonly #gate = new Gate({ perKey: MAX_RUNS_PER_REPOSITORY, all: MAX_RUNS, waiting: MAX_WAITING_RUNS });
  readonly #running = new Set<ChildProcess>();
  #program: Promise<string> | undefined;
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#environment = options.environment;
    this.#timeoutMs = options.timeoutMs ?? RUN_TIMEOUT_MS;
  }

  get home(): string {
    return this.#environment.home;
  }

  /** Resolves whatever git's exit code is; Unavailable when it took too long, could not start, or was not waited for. */
  async run(command: GitCommand): Promise<GitOutput> {
    this.#program ??= findGit(this.#environment.path);
    const program = await this.#program;
    return await this.#gate.pass(command.gitDir, async () => {
      if (this.#closed || command.signal?.aborted === true) throw unavailable("The request was given up");
      return await this.#spawn(program, command);
    });
  }

  /** Ends what runs; later runs are refused. */
  close(): void {
    this.#closed = true;
    for (const child of this.#running) killGroup(child);
  }

  async #spawn(program: string, command: GitCommand): Promise<GitOutput> {
    const [file, args] = argv(program, [...SAFE_ARGS, ...command.args], command.paths ?? []);
    const child = spawn(file, args, {
      cwd: command.cwd,
      env: { ...gitEnv(this.#environment, command), ...configEnv(command.config ?? []) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#running.add(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killGroup(child);
    }, this.#timeoutMs);
    const abort = (): void => killGroup(child);
    command.signal?.addEventListener("abort", abort, { once: true });
    try {
      const output = await collect(child, command);
      if (late) throw unavailable("git took too long in this repository; try again when it is less busy");
      if (command.signal?.aborted === true || this.#closed) throw unavailable("The request was given up");
      return output;
    } finally {
      clearTimeout(timer);
      command.signal?.removeEventListener("abort", abort);
      this.#running.delete(child);
    }
  }
}

/**
 * The command line. Node passes arguments as UTF-8 only, so a name of other
 * bytes goes through a shell, which has it as octal digits and nothing else.
 */
function argv(program: string, args: readonly string[], paths: readonly string[]): [string, string[]] {
  if (paths.length === 0) return [program, [...args]];
  if (!paths.some((path) => STRAY_BYTE.test(path))) {
    return [program, [...args, "--", ...paths.map((path) => `./${path}`)]];
  }
  const octal = paths.map((path) =>
    [...nameToBytes(`./${path}`)].map((b) => `\\0${b.toString(8).padStart(3, "0")}`),
  );
  // The underscore keeps line feeds at a name's end, which the shell would take away.
  const script = `n=$1; shift; while [ "$n" -gt 0 ]; do p=$(printf '%b_' "$1"); shift; set -- "$@" "\${p%_}"; n=$((n-1)); done; exec "$@"`;
  return [
    SHELL,
    ["-c", script, "sh", String(octal.length), ...octal.map((o) => o.join("")), program, ...args, "--"],
  ];
}

const SHELL = "/bin/sh";
const STRAY_BYTE = /[\udc80-\udcff]/u;

function collect(child: ChildProcess, command: GitCommand): Promise<GitOutput> {
  const maxBytes = command.maxBytes ?? MAX_OUTPUT_BYTES;
  const chunks: Buffer[] = [];
  const errors: Buffer[] = [];
  let bytes = 0;
  let errorBytes = 0;
  let cut = false;
  child.stdout?.on("data", (chunk: Buffer) => {
    if (cut) return;
    bytes += chunk.length;
    if (command.onOutput === undefined) chunks.push(chunk);
    const enough = command.onOutput !== undefined && !command.onOutput(chunk);
    if (!enough && bytes <= maxBytes) return;
    cut = true;
    killGroup(child);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (errorBytes < MAX_ERROR_BYTES) errors.push(chunk);
    errorBytes += chunk.length;
  });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(unavailable("git could not be started; is it installed?", error)));
    child.on("close", (code) =>
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(chunks).subarray(0, maxBytes),
        stderr: Buffer.concat(errors).toString("utf8", 0, MAX_ERROR_BYTES),
        cut,
      }),
    );
  });
}

/** The group has the child's id, which stays taken until the child has been waited for. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended in this moment.
  }
}

/** `-c` cannot say a key with "=" in it; this can. */
function configEnv(config: readonly (readonly [string, string])[]): Record<string, string> {
  if (config.length === 0) return {};
  const pairs = config.flatMap(([key, value], at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(pairs) };
}

/** By the absolute folders of PATH, so that a `git` in the repository is never meant. */
async function findGit(path: string): Promise<string> {
  for (const folder of searchPath(path)) {
    const file = join(folder, "git");
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  throw unavailable("git is not installed on this device, or not on the daemon's PATH");
}
