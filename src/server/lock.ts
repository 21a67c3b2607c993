/**
 * One daemon for one state folder: a lock file that names its process. A lock
 * whose process is gone, or whose pid now belongs to another process, is
 * taken over.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export class AlreadyRunningError extends Error {
  readonly pid: number;
  constructor(stateDir: string, pid: number) {
    super(`A daemon (pid ${pid}) already serves ${stateDir}; stop it with "nexusd stop", or use it`);
    this.name = "AlreadyRunningError";
    this.pid = pid;
  }
}

export interface Lock {
  release(): Promise<void>;
}

/** Attempts at taking over a stale lock that others take over too. */
const MAX_ATTEMPTS = 5;

export async function takeLock(stateDir: string): Promise<Lock> {
  const path = join(stateDir, "lock");
  const mine = `${process.pid} ${startTime(process.pid)}\n`;
  const temp = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const lock = { release: () => rm(path, { force: true }) };
  try {
    await writeFile(temp, mine, { mode: 0o600 });
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (await linked(temp, path)) return lock; // of two at once, one gets it
      const text = await textOf(path);
      if (text === undefined) continue;
      const held = holderIn(text);
      if (held !== undefined) throw new AlreadyRunningError(stateDir, held);
      if (await replaced({ path, text, temp, stateDir })) return lock;
    }
  } finally {
    await rm(temp, { force: true }); // what a full disk left of it too
  }
  throw new Error(`Could not take the lock ${path}; another daemon starts at the same time, try again`);
}

/**
 * Puts `temp` in the place of a stale lock. Removing it first would let two in: one that judged
 * it stale a moment ago would remove the other's fresh one. So each stale text has one claim,
 * and only who holds that replaces it.
 */
async function replaced(stale: {
  path: string;
  text: string;
  temp: string;
  stateDir: string;
}): Promise<boolean> {
  const { path, text, temp, stateDir } = stale;
  const claim = `${path}.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  if (!(await linked(temp, claim))) {
    const claimant = await holder(claim);
    if (claimant !== undefined) throw new AlreadyRunningError(stateDir, claimant);
    await rm(claim, { force: true }); // its process ended between two calls
    return false;
  }
  try {
    if ((await textOf(path)) !== text) return false;
    await rename(temp, path);
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

/** False when `path` is there. */
async function linked(temp: string, path: string): Promise<boolean> {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The live process that holds the lock, if one does. */
export async function lockHolder(stateDir: string): Promise<number | undefined> {
  return await holder(join(stateDir, "lock"));
}

async function holder(path: string): Promise<number | undefined> {
  const text = await textOf(path);
  return text === undefined ? undefined : holderIn(text);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function holderIn(text: string): number | undefined {
  const [pidText = "", started = ""] = text.trim().split(" ");
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  return started === startTime(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What tells a process from a later one with the same pid; "-" where the system does not say. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
  } catch {
    return "-"; // no /proc here
  }
}
