/**
 * How a program is started so that it gets fds 0, 1 and 2 alone, and how a
 * start that cannot work is refused with its reason before anything runs.
 */
import { constants, existsSync } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import path from "node:path";
import { unavailable } from "../../protocol/errors.js";

/**
 * forkpty's master has no close-on-exec flag, so every terminal's master would
 * live on in the programs of the next ones, and with it whatever nexusd itself
 * was started with. bash closes them and becomes the program: 1.5 ms, nothing
 * added to the environment (-p reads neither BASH_ENV nor functions).
 */
const CLOSE_AND_BECOME = `for f in /dev/fd/*; do
  n=\${f##*/}
  [ "$n" -gt 2 ] 2>/dev/null && eval "exec $n>&-"
done
exec "$@"`;
const BASH_PATHS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

/** The same program with every fd above 2 closed first, where a bash is there to do it. */
export function withoutInheritedFds(launch: Launch): Launch {
  const bash = BASH_PATHS.find((file) => existsSync(file));
  if (!bash) return launch;
  return {
    file: bash,
    args: ["--norc", "--noprofile", "-p", "-c", CLOSE_AND_BECOME, "nexusd", launch.file, ...launch.args],
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not reachable, a part of its path is no folder",
  EACCES: "is not allowed to this user",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has too long a path",
};

/** Refuses with Unavailable when the folder or the program is not there, or is nothing that can run. */
export async function checkLaunch(file: string, cwd: string): Promise<void> {
  const folder = await stat(cwd).catch((cause: NodeJS.ErrnoException) => {
    throw unavailable(`The folder ${cwd} ${reasonOf(cause)}, choose another one`, cause);
  });
  if (!folder.isDirectory()) throw unavailable(`${cwd} is no folder, choose another one`);
  await access(cwd, constants.X_OK).catch((cause: NodeJS.ErrnoException) => {
    throw unavailable(`The folder ${cwd} ${reasonOf(cause)}, choose another one`, cause);
  });
  if (!path.isAbsolute(file)) throw unavailable(`The program ${file} has no absolute path`);
  const program = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw unavailable(`The program ${file} ${reasonOf(cause)}, choose another shell`, cause);
  });
  if (!program.isFile()) throw unavailable(`${file} is no program, choose another shell`);
  await access(file, constants.X_OK).catch((cause: NodeJS.ErrnoException) => {
    throw unavailable(`The program ${file} may not be executed by this user, choose another shell`, cause);
  });
  await checkFormat(file);
}

function reasonOf(cause: NodeJS.ErrnoException): string {
  return REASONS[cause.code ?? ""] ?? `cannot be used (${cause.code ?? "unknown"})`;
}

/** ENOEXEC ahead of time: execvp would hand such a file to /bin/sh, which prints nonsense. */
async function checkFormat(file: string): Promise<void> {
  const head = await readHead(file);
  if (head.subarray(0, 2).toString("latin1") === "#!") {
    const line = head.subarray(2).toString("utf8").split("\n", 1)[0] ?? "";
    const interpreter = line.trim().split(/\s+/, 1)[0] ?? "";
    if (!existsSync(interpreter)) {
      throw unavailable(`The program ${file} needs ${interpreter || "an interpreter"}, which does not exist`);
    }
    return;
  }
  const wrongKind = process.platform === "linux" ? !isElf(head) : false;
  if (head.length === 0 || (wrongKind && head.includes(0))) {
    throw unavailable(`The program ${file} is in no format that this machine can run`);
  }
}

const HEAD_BYTES = 256;

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file, "r").catch(() => undefined);
  // A program may be executable and not readable; then its format stays unknown.
  if (!handle) return Buffer.from("?");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

function isElf(head: Buffer): boolean {
  return head.subarray(0, ELF_MAGIC.length).equals(ELF_MAGIC);
}
