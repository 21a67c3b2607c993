/** The doctor's single looks at this machine: each answers with what it found, or throws the sentence why not. */
import { lstat, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { listen } from "./listen.js";
import { checkSocketPath, type Paths } from "./paths.js";

const OLDEST_NODE = [20, 19] as const;

/** Before this no version of nexusd was made: a clock that says so lost its battery. */
const FIRST_POSSIBLE_TIME = Date.UTC(2026, 0, 1);

/** A file may be this far in the future of the clock that is read now. */
const CLOCK_SLACK_MS = 60_000;

/** How long an address of this machine may take to answer. */
const CONNECT_MS = 2_000;

/** Bits that let the group or others in. */
const OTHERS = 0o077;

export function checkNode(version = process.versions.node): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`This is Node ${version}, and nexusd runs on ${OLDEST_NODE.join(".")} and newer`);
  }
  return `Node ${version}`;
}

/** The folders and the files in them are this user's and closed to others. A folder that is not there yet is made so. */
export async function checkModes(folders: readonly string[]): Promise<string> {
  let looked = 0;
  for (const folder of folders) {
    for (const path of [folder, ...(await entriesOf(folder))]) {
      const stat = await lstat(path).catch(whenMissing);
      if (stat === undefined) continue;
      looked++;
      if (process.getuid !== undefined && stat.uid !== process.getuid()) {
        throw new Error(`${path} belongs to another user`);
      }
      if ((stat.mode & OTHERS) !== 0) {
        throw new Error(`${path} is open to other users (mode ${(stat.mode & 0o777).toString(8)})`);
      }
    }
  }
  return `${looked} files and folders are closed to other users`;
}

async function entriesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(whenMissing);
  return (names ?? []).map((name) => join(folder, name));
}

function whenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** The sockets' paths fit, and with `listening` they answer. */
export async function checkSockets(paths: Paths, listening: boolean): Promise<string> {
  const sockets = [paths.ownerSocket, paths.agentSocket];
  for (const path of sockets) checkSocketPath(path);
  checkSocketPath(join(paths.runtimeDir, "host-0123456789abcdef.sock"));
  if (!listening) return `their paths in ${paths.runtimeDir} are short enough`;
  for (const path of sockets) {
    if (!(await answers({ path }))) throw new Error(`Nobody answers at ${path}; something removed it`);
  }
  return `both answer in ${paths.runtimeDir}`;
}

/** The clock stands after everything that it dated. */
export async function checkClock(stateDir: string, now = Date.now()): Promise<string> {
  if (now < FIRST_POSSIBLE_TIME)
    throw new Error(`The clock says ${new Date(now).toISOString()}, which is past`);
  for (const path of await entriesOf(stateDir)) {
    const stat = await lstat(path).catch(whenMissing);
    if (stat !== undefined && stat.mtimeMs > now + CLOCK_SLACK_MS) {
      throw new Error(`The clock went back: ${path} was written at ${stat.mtime.toISOString()}`);
    }
  }
  return new Date(now).toISOString();
}

/** An address of this machine answers at the port: which one the daemon listens at is its owner's choice. */
export async function checkPortOpen(port: number): Promise<string> {
  const own = Object.values(networkInterfaces()).flatMap((infos) =>
    (infos ?? []).map(({ address }) => address),
  );
  for (const host of new Set(["127.0.0.1", "::1", ...own])) {
    if (await answers({ host, port })) return `${host} answers at port ${port}`;
  }
  throw new Error(`No address of this machine answers at port ${port}`);
}

/** A daemon started now could listen there. */
export async function checkPortFree(port: number, host: string | undefined): Promise<string> {
  const server = createServer();
  await listen(server, { host, port });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `port ${port} is free`;
}

function answers(at: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(at);
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(CONNECT_MS, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
