/**
 * What the system knows of processes, from /proc where it is, else from `ps`.
 * A pid alone names nobody for long: with its start time it does.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgrp: number;
  readonly session: number;
  /** The foreground group of its terminal. */
  readonly tpgid: number;
  /** Tells two owners of one pid apart; equal for one process, else meaningless. */
  readonly start: string;
  readonly name: string;
  readonly zombie: boolean;
}

const hasProc = existsSync("/proc/self/stat");

/** One process now, without waiting; undefined when it is gone or there is no /proc. */
export function processNow(pid: number): ProcessEntry | undefined {
  if (!hasProc) return undefined;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined; // gone
  }
}

/** All processes of the session that `leader` leads, zombies left out. */
export async function sessionMembers(leader: number): Promise<ProcessEntry[]> {
  const all = hasProc ? await readProc() : await readPs();
  return all.filter((entry) => entry.session === leader && !entry.zombie);
}

/** Signals a process, or nobody when its pid has another owner by now. */
export function signalProcess(entry: Pick<ProcessEntry, "pid" | "start">, signal: NodeJS.Signals): boolean {
  if (hasProc && processNow(entry.pid)?.start !== entry.start) return false;
  try {
    process.kill(entry.pid, signal);
    return true;
  } catch {
    return false; // gone, or another user's
  }
}

/** A process's folder, where the system tells. */
export function workingFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

async function readProc(): Promise<ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, "latin1").then(parseStat, () => undefined)),
  );
  return entries.filter((entry) => entry !== undefined);
}

/** proc_pid_stat(5): the name is in brackets and may hold brackets and spaces itself. */
function parseStat(line: string): ProcessEntry | undefined {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  if (open < 0 || close < open) return undefined;
  const fields = line.slice(close + 2).split(" ");
  return {
    pid: Number(line.slice(0, open)),
    name: Buffer.from(line.slice(open + 1, close), "latin1").toString("utf8"),
    zombie: fields[0] === "Z" || fields[0] === "X",
    ppid: Number(fields[1]),
    pgrp: Number(fields[2]),
    session: Number(fields[3]),
    tpgid: Number(fields[5]),
    start: fields[19] ?? "",
  };
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

/** `sess` of BSD's ps is a kernel address, so a session is followed by parents from its leader. */
async function readPs(): Promise<ProcessEntry[]> {
  const { stdout } = await run("ps", ["-axo", "pid=,ppid=,pgid=,tpgid=,stat=,lstart=,comm="]);
  const rows = stdout.split("\n").flatMap((line) => {
    const match = PS_LINE.exec(line);
    if (!match) return [];
    const [, pid, ppid, pgrp, tpgid, stat, start, name] = match;
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgrp: Number(pgrp),
        tpgid: Number(tpgid),
        zombie: stat?.startsWith("Z") ?? false,
        start: start ?? "",
        name: name?.split("/").at(-1) ?? "",
      },
    ];
  });
  const parents = new Map(rows.map((row) => [row.pid, row.ppid]));
  const leaders = new Set(rows.filter((row) => row.pid === row.pgrp).map((row) => row.pid));
  return rows.map((row) => ({ ...row, session: sessionByParents(row.pid, parents, leaders) }));
}

function sessionByParents(pid: number, parents: Map<number, number>, leaders: Set<number>): number {
  let top = pid;
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
    if (at === process.pid) break;
    if (leaders.has(at)) top = at;
  }
  return top;
}
