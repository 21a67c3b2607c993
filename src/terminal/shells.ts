/** The shells of this machine that a new terminal can run: /etc/shells and the user's own. */
import { constants } from "node:fs";
import { access, readFile, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { loginShell } from "./env.js";
import type { Shell } from "./types.js";

export type { Shell } from "./types.js";

const SHELLS_FILE = "/etc/shells";
/** Listed in /etc/shells on some systems, and nothing to type into. */
const NOT_INTERACTIVE = new Set(["tmux", "screen", "git-shell", "nologin", "false", "true", "sftp-server"]);
/** A wrong /etc/shells must not make a list that fits no frame. */
const MAX_SHELLS = 32;

/** The default one first, each program once; an id is the program's name, with a number when two share it. */
export async function listShells(): Promise<Shell[]> {
  const wanted = [loginShell(), userShell(), ...(await listedShells()), "/bin/bash", "/bin/sh"];
  const found: { name: string; path: string }[] = [];
  const seen = new Set<string>();
  for (const file of wanted) {
    if (found.length >= MAX_SHELLS) break;
    if (!file || !path.isAbsolute(file) || NOT_INTERACTIVE.has(path.basename(file))) continue;
    const program = await runnable(file);
    // bash started as sh is another shell: the name counts along with the program.
    const key = `${program}\0${path.basename(file)}`;
    if (program === undefined || seen.has(key)) continue;
    seen.add(key);
    found.push({ name: path.basename(file), path: file });
  }
  return found.map((shell, index) => ({
    ...shell,
    id: idOf(found.slice(0, index), shell.name),
    isDefault: index === 0,
  }));
}

function idOf(before: readonly { name: string }[], name: string): string {
  const same = before.filter((other) => other.name === name).length;
  return same === 0 ? name : `${name}-${same + 1}`;
}

async function runnable(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    return await realpath(file);
  } catch {
    return undefined; // not on this machine
  }
}

function userShell(): string | undefined {
  try {
    return os.userInfo().shell ?? undefined;
  } catch {
    return undefined; // a user without an entry in the password file
  }
}

async function listedShells(): Promise<string[]> {
  const text = await readFile(SHELLS_FILE, "utf8").catch(() => "");
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("/"));
}
