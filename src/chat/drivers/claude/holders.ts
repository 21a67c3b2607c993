/**
 * Who else runs a session: Claude Code's programs write one file each under
 * <config>/sessions while they live. Two writers on one session lose messages.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { recordOf } from "./tools.js";

/** The process that holds the session, when there is one beside `own`. */
export async function holderOf(
  configDir: string,
  sessionId: string,
  own: ReadonlySet<number>,
): Promise<number | undefined> {
  const dir = path.join(configDir, "sessions");
  const names = await readdir(dir).catch(() => []); // no program of this profile ever ran
  for (const name of names.filter((file) => /^\d+\.json$/.test(file))) {
    const held = await readHolder(path.join(dir, name));
    if (held?.sessionId !== sessionId || own.has(held.pid)) continue;
    if (await isAlive(held.pid, held.started)) return held.pid;
  }
  return undefined;
}

async function readHolder(
  file: string,
): Promise<{ pid: number; sessionId: unknown; started: string | undefined } | undefined> {
  try {
    const { pid, sessionId, procStart } = recordOf(JSON.parse(await readFile(file, "utf8")));
    if (typeof pid !== "number") return undefined;
    return { pid, sessionId, started: procStart === undefined ? undefined : String(procStart) };
  } catch {
    return undefined; // gone, or half written
  }
}

/** A killed program leaves its file: the pid must live, and be the same process. */
async function isAlive(pid: number, started: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (started === undefined || process.platform !== "linux") return true;
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTicks = fields[19];
  if (state === "Z" || startTicks === undefined) return false;
  return !/^\d+$/.test(started) || started === startTicks;
}
