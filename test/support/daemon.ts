/** A real daemon of its own HOME on a free port, and the owner's socket to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { OwnerMethod, OwnerParams, OwnerResult } from "../../src/protocol/owner.js";
import type { RpcMethod, RpcParams, RpcResult } from "../../src/protocol/rpc.js";
import { resolvePaths } from "../../src/server/paths.js";

const NEXUSD = fileURLToPath(new URL("../../dist/cli/nexusd.js", import.meta.url));

export interface StartOptions {
  /** config.json of the daemon. */
  config?: object;
  args?: string[];
  env?: Record<string, string>;
  /** What runs in place of nexusd. */
  program?: string;
}

export interface TestDaemon {
  readonly home: string;
  /** The folder that is served. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly process: ChildProcess;
  /** All that it wrote to its standard error. */
  log(): string;
  /** Calls over the owner's socket. */
  call<M extends RpcMethod>(method: M, params: RpcParams<M>): Promise<RpcResult<M>>;
  owner<M extends OwnerMethod>(method: M, params: OwnerParams<M>): Promise<OwnerResult<M>>;
  /** kill -9, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts again on the same state. */
  restart(): Promise<void>;
  /** Stops everything and removes its folders. */
  dispose(): Promise<void>;
}

interface Started {
  child: ChildProcess;
  url: string;
  port: number;
  log: () => string;
}

export async function startDaemon(options: StartOptions = {}): Promise<TestDaemon> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-test-")));
  const folder = join(home, "project");
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    XDG_RUNTIME_DIR: join(home, "run"),
    NEXUSD_CHECK_RESULTS: "1",
    ...options.env,
  };
  await mkdir(folder);
  await mkdir(join(home, "run"), { mode: 0o700 });
  const paths = resolvePaths(env);
  if (options.config !== undefined) {
    await mkdir(dirname(paths.configFile), { recursive: true });
    await writeFile(paths.configFile, JSON.stringify(options.config));
  }
  const start = (): Promise<Started> => launch(env, folder, options);
  let running = await start();
  let socket: OwnerSocket | undefined;
  const owner = async (): Promise<OwnerSocket> => {
    if (socket === undefined || socket.closed) socket = await OwnerSocket.open(paths.ownerSocket);
    return socket;
  };
  return {
    home,
    folder,
    env,
    get url() {
      return running.url;
    },
    get port() {
      return running.port;
    },
    get pid() {
      return running.child.pid ?? 0;
    },
    get process() {
      return running.child;
    },
    log: () => running.log(),
    call: async (method, params) => (await (await owner()).call(method, params)) as never,
    owner: async (method, params) => (await (await owner()).call(method, params)) as never,
    kill: () => stop(running.child, "SIGKILL"),
    async restart() {
      await stop(running.child, "SIGTERM");
      running = await start();
    },
    async dispose() {
      const dead = running.child.exitCode !== null || running.child.signalCode !== null;
      if (dead) running = await start(); // to find the terminals' host that the last one left
      const gone = new Promise((resolve) => running.child.once("exit", resolve));
      await (await owner()).call("owner.stop", { force: true });
      await gone;
      socket?.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function launch(
  env: Record<string, string>,
  folder: string,
  { args = [], program = NEXUSD }: StartOptions,
): Promise<Started> {
  const child = spawn(process.execPath, [program, "serve", folder, "--json", "--port", "0", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  const first = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`nexusd ended with ${code}: ${text}`)));
  });
  const { url, port } = JSON.parse(first) as { url: string; port: number };
  return { child, url, port, log: () => text };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}

/** The owner's socket by hand: one JSON message a line. */
export class OwnerSocket {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly notifications: { method: string; params: unknown }[] = [];
  #next = 0;
  closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => this.#line(line));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.closed = true;
      for (const waiting of this.#waiting.values()) waiting.reject(new Error("the socket closed"));
    });
  }

  static open(path: string): Promise<OwnerSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once("error", reject);
      socket.once("connect", () => resolve(new OwnerSocket(socket)));
    });
  }

  call(method: string, params: unknown, id: number | string = ++this.#next): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id as number, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #line(line: string): void {
    const message = JSON.parse(line) as {
      id?: number;
      method?: string;
      params?: unknown;
      result?: unknown;
      error?: { code: number; message: string };
    };
    if (message.id === undefined) {
      this.notifications.push({ method: message.method ?? "", params: message.params });
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
  }
}
