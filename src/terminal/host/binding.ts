/**
 * node-pty's native binding, typed. Its JavaScript loses the end of output on
 * Linux, so only the four native functions are used. The version is pinned in
 * package.json and the shape is checked here.
 */
import { createRequire } from "node:module";
import path from "node:path";
import { unavailable } from "../../protocol/errors.js";

export interface ForkedPty {
  /** The master, non-blocking. */
  readonly fd: number;
  readonly pid: number;
  /** The slave's path. */
  readonly pty: string;
}

export interface PtyBinding {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): ForkedPty;
  resize(fd: number, cols: number, rows: number): void;
  /** The foreground program's name; on macOS it takes the fd alone. */
  process(fd: number, pty?: string): string | undefined;
  /** macOS starts programs through this file, which lies beside the binding. */
  readonly helperPath: string;
}

const NATIVE_FUNCTIONS = ["fork", "resize", "process"] as const;

/** Loads `pty.node`; Unavailable with what to do when it is missing or another version's. */
export function loadBinding(file: string): PtyBinding {
  let native: Record<string, unknown>;
  try {
    native = createRequire(import.meta.url)(file) as Record<string, unknown>;
  } catch (cause) {
    throw unavailable(
      "The native terminal binding did not load, run npm rebuild node-pty and restart nexusd",
      cause,
    );
  }
  if (NATIVE_FUNCTIONS.some((name) => typeof native[name] !== "function")) {
    throw unavailable("The native terminal binding is of another version, run npm ci and restart nexusd");
  }
  const { fork, resize, process } = native as unknown as PtyBinding;
  return { fork, resize, process, helperPath: path.join(path.dirname(file), "spawn-helper") };
}
