/**
 * Finds and starts terminal hosts. A host runs from a copy of its files in a
 * folder named by their hash, so that a rebuild or `npm ci` under it changes
 * nothing, in a session of its own, and with no descriptor of nexusd's.
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { unavailable } from "../protocol/errors.js";
import { hostEnv } from "./env.js";
import { withoutInheritedFds } from "./host/launch.js";
import { HOST_START_MS, MAX_SOCKET_PATH_BYTES } from "./host/limits.js";

export interface HostFiles {
  readonly stateDir: string;
  readonly runtimeDir: string;
  /** The bundled host. */
  readonly hostFile: string;
  /** pty.node */
  readonly bindingFile: string;
  /** A host ends this long after its last terminal and nexusd went; its own default when absent. */
  readonly idleMs?: number;
}

const SOCKET_NAME = /^host-[\w-]+\.sock$/;
const HASH_CHARS = 12;

/** The build that a host started now is of: a hash over its files. */
export async function buildOf({ hostFile, bindingFile }: HostFiles): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [hostFile, bindingFile]) {
    const bytes = await readFile(file).catch((cause: Error) => {
      throw unavailable(`${path.basename(file)} is missing, run npm ci and npm run build`, cause);
    });
    hash.update(bytes);
  }
  return hash.digest("hex").slice(0, HASH_CHARS);
}

/** The sockets of all hosts that may still live. */
export async function hostSockets(runtimeDir: string): Promise<string[]> {
  const names = await readdir(runtimeDir).catch(() => []);
  return names.filter((name) => SOCKET_NAME.test(name)).map((name) => path.join(runtimeDir, name));
}

/** Starts a host and resolves to its socket when it listens; Unavailable with the reason when it does not. */
export async function startHost(files: HostFiles): Promise<string> {
  const build = await buildOf(files);
  const folder = await install(files, build);
  const id = randomBytes(6).toString("hex");
  await mkdir(files.runtimeDir, { recursive: true, mode: 0o700 });
  const socket = path.join(files.runtimeDir, `host-${id}.sock`);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) {
    throw unavailable(
      "The runtime folder's path is too long for a socket, set XDG_RUNTIME_DIR to a shorter one",
    );
  }
  const log = path.join(path.dirname(folder), "host.log");
  const args = [
    ...[path.join(folder, "host.mjs"), "--id", id, "--build", build, "--socket", socket],
    ...["--binding", path.join(folder, "pty.node"), "--log", log],
    ...(files.idleMs === undefined ? [] : ["--idle-ms", String(files.idleMs)]),
  ];
  await spawnDetached(args, log);
  return socket;
}

async function install(files: HostFiles, build: string): Promise<string> {
  const hosts = path.join(files.stateDir, "hosts");
  const folder = path.join(hosts, build);
  const isThere = await stat(path.join(folder, "pty.node")).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(hosts, { recursive: true, mode: 0o700 });
  const draft = `${folder}.${randomBytes(4).toString("hex")}`;
  await mkdir(draft, { mode: 0o700 });
  await copyFile(files.hostFile, path.join(draft, "host.mjs"));
  await copyFile(files.bindingFile, path.join(draft, "pty.node"));
  await copyHelper(files.bindingFile, draft);
  await rename(draft, folder).catch(async (cause: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true });
    // Another start of the same build was first.
    if (cause.code !== "ENOTEMPTY" && cause.code !== "EEXIST") throw cause;
  });
  return folder;
}

/** macOS starts programs through a helper beside the binding; elsewhere there is none. */
async function copyHelper(bindingFile: string, folder: string): Promise<void> {
  const helper = path.join(folder, "spawn-helper");
  try {
    await copyFile(path.join(path.dirname(bindingFile), "spawn-helper"), helper);
    await chmod(helper, 0o700);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
}

/** Removes the folders of builds that no live host runs from. */
export async function removeOldBuilds(stateDir: string, inUse: ReadonlySet<string>): Promise<void> {
  const hosts = path.join(stateDir, "hosts");
  for (const entry of await readdir(hosts, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory() && !inUse.has(entry.name)) {
      await rm(path.join(hosts, entry.name), { recursive: true, force: true });
    }
  }
}

/** Removes a socket that nobody listens on. */
export async function removeSocket(socket: string): Promise<void> {
  await unlink(socket).catch(() => undefined); // gone already
}

async function spawnDetached(args: string[], log: string): Promise<void> {
  const launch = withoutInheritedFds({ file: process.execPath, args });
  const errors = openSync(log, "a", 0o600);
  const child = spawn(launch.file, launch.args, {
    detached: true,
    // A folder that is never in anyone's way.
    cwd: "/",
    env: hostEnv(),
    stdio: ["ignore", "pipe", errors],
  });
  closeSync(errors);
  child.unref();
  try {
    await firstWord(child);
  } finally {
    child.stdout?.destroy();
  }
}

function firstWord(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(unavailable(`The terminal host did not start: ${why}`));
    const late = setTimeout(() => fail("it does not answer"), HOST_START_MS);
    const finish = (act: () => void): void => {
      clearTimeout(late);
      child.removeAllListeners();
      child.on("error", () => undefined);
      act();
    };
    child.on("error", (error) => finish(() => fail(error.message)));
    child.on("exit", (code, signal) =>
      finish(() => fail(`it ended with ${signal ?? code}, its log says why`)),
    );
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).once("line", (line) => {
      const said = JSON.parse(line) as { error?: string };
      const { error } = said;
      finish(() => (error === undefined ? resolve() : fail(error)));
    });
  });
}
