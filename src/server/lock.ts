/**
 * One daemon for one state folder: a lock file that names its process. A lock
 * whose process is gone, or whose pid now belongs to another process, is
 * taken over.
 */
import { readFileSync } from "node:fs";
import { link, readFile, rm, unlink, writeFile } from "node:fs/promises";
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
  const temp = `${path}.${process.pid}`;
  await writeFile(temp, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        await link(temp, path); // fails when it is there: of two at once, one gets it
        return { release: () => rm(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const held = await holder(path);
      if (held !== undefined) throw new AlreadyRunningError(stateDir, held);
      await rm(path, { force: true });
    }
  } finally {
    await unlink(temp);
  }
  throw new Error(`Could not take the lock ${path}; another daemon starts at the same time, try again`);
}

/** The live process that holds the lock, if one does. */
export async function lockHolder(stateDir: string): Promise<number | undefined> {
  return await holder(join(stateDir, "lock"));
}

async function holder(path: string): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
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
