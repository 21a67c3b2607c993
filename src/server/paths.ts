/**
 * Where everything of one daemon lies, from HOME and the XDG variables alone,
 * so that two daemons with other variables never meet.
 */
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Longest path of a Unix socket on Linux less its NUL, less some for macOS (104); Node cuts longer ones silently. */
export const MAX_SOCKET_PATH_BYTES = 103;

export interface Paths {
  readonly stateDir: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly dataDir: string;
  /** 0700; the sockets. */
  readonly runtimeDir: string;
  readonly ownerSocket: string;
  readonly agentSocket: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Resolves, creates nothing. A relative XDG variable is ignored, as its specification says. */
export function resolvePaths(env: Env): Paths {
  const home = env.HOME || homedir();
  const base = (variable: string, fallback: string): string => {
    const value = env[variable];
    return value !== undefined && isAbsolute(value) ? value : join(home, fallback);
  };
  const stateDir = join(base("XDG_STATE_HOME", ".local/state"), "nexusd");
  const configDir = join(base("XDG_CONFIG_HOME", ".config"), "nexusd");
  const runtimeDir = runtimeFolder(env, stateDir);
  return {
    stateDir,
    configDir,
    configFile: join(configDir, "config.json"),
    dataDir: join(base("XDG_DATA_HOME", ".local/share"), "nexusd"),
    runtimeDir,
    ownerSocket: join(runtimeDir, "owner.sock"),
    agentSocket: join(runtimeDir, "agent.sock"),
  };
}

/** The longest name that lies in the runtime folder: a host's socket. */
const LONGEST_SOCKET_NAME = "host-0123456789abcdef.sock";

function runtimeFolder(env: Env, stateDir: string): string {
  const name = `nexusd-${createHash("sha256").update(stateDir).digest("hex").slice(0, 8)}`;
  const xdg = env.XDG_RUNTIME_DIR;
  if (xdg !== undefined && isAbsolute(xdg)) {
    const folder = join(xdg, name);
    if (Buffer.byteLength(join(folder, LONGEST_SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) return folder;
  }
  return join(tmpdir(), `${name}-${process.getuid?.() ?? 0}`);
}

/**
 * Creates a folder as 0700, or checks that the one there is ours and closed to
 * others: someone else may have made it first in a shared temp folder.
 */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} is not a folder; remove it and start again`);
  if (process.getuid !== undefined && stat.uid !== process.getuid()) {
    throw new Error(`${path} belongs to another user; remove it or set XDG_RUNTIME_DIR`);
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** Throws when a socket's path is longer than the kernel takes. */
export function checkSocketPath(path: string): void {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(
      `The socket path ${path} is longer than ${MAX_SOCKET_PATH_BYTES} bytes; set XDG_RUNTIME_DIR to a shorter folder`,
    );
  }
}
