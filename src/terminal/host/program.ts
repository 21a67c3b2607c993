/** Who runs in a terminal, by the process table: the root program, who has the foreground, who lives beside. */
import { readFileSync } from "node:fs";
import type { ProcessView } from "./activity.js";
import type { Launch } from "./launch.js";
import { type ProcessEntry, processNow, sessionMembers } from "./process-table.js";
import type { Pty } from "./pty.js";

export class Program {
  readonly #pty: Pty;
  /** How its command line reads while it is the program that was started. */
  readonly #commandLine: string;
  readonly #name: string;
  #started = false;

  constructor(pty: Pty, launch: Launch) {
    this.#pty = pty;
    this.#commandLine = [launch.file, ...launch.args].join("\0");
    this.#name = launch.file.split("/").at(-1) ?? launch.file;
  }

  /** Takes about 50 µs; undefined when the system does not tell. */
  look(): ProcessView | undefined {
    const leader = processNow(this.#pty.pid);
    if (!leader) return this.#lookByName();
    const replaced = this.#isReplaced();
    // Between fork and exec the process is still the host, or the bash that closes descriptors.
    const root = this.#started ? leader.name : this.#name;
    if (!this.#started) return { foreground: undefined, root, replaced };
    return { foreground: foregroundOf(leader)?.name, root, replaced };
  }

  /** Processes that a close without force would end, the root program's own children first. */
  async others(): Promise<ProcessEntry[]> {
    const { pid } = this.#pty;
    const others = (await sessionMembers(pid)).filter((entry) => entry.pid !== pid);
    return others.sort((a, b) => Number(b.ppid === pid) - Number(a.ppid === pid));
  }

  #lookByName(): ProcessView | undefined {
    const name = this.#pty.foregroundName()?.split("/").at(-1)?.replace(/^-/, "");
    if (name === undefined) return undefined;
    return { foreground: name === this.#name ? undefined : name, root: this.#name, replaced: false };
  }

  #isReplaced(): boolean {
    const now = readNow(`/proc/${this.#pty.pid}/cmdline`)?.replace(/\0$/, "");
    if (now === undefined || now === "") return false;
    const same = now === this.#commandLine;
    this.#started ||= same;
    return this.#started && !same;
  }
}

/** The foreground program; undefined while the leader itself has the terminal and no child shares its group. */
function foregroundOf(leader: ProcessEntry): ProcessEntry | undefined {
  if (leader.tpgid !== leader.pgrp) return processNow(leader.tpgid) ?? memberOf(leader, leader.tpgid);
  // A command substitution or a file that the shell reads runs programs in the shell's own group.
  return memberOf(leader, leader.pgrp);
}

function memberOf(leader: ProcessEntry, group: number): ProcessEntry | undefined {
  const children = readNow(`/proc/${leader.pid}/task/${leader.pid}/children`) ?? "";
  for (const pid of children.split(" ").filter((word) => word !== "")) {
    const child = processNow(Number(pid));
    if (child && child.pgrp === group && !child.zombie) return child;
  }
  return undefined;
}

function readNow(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // gone, or no /proc
  }
}
