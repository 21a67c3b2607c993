/**
 * One program on a pseudo-terminal, without losing a byte of it: every byte
 * that it wrote before it ended is handed on before `exit` is. It knows nothing
 * of screens.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import os from "node:os";
import tty from "node:tty";
import { RpcFailure, unavailable } from "../../protocol/errors.js";
import type { ForkedPty, PtyBinding } from "./binding.js";
import { checkLaunch, type Launch, withoutInheritedFds } from "./launch.js";
import { DRAIN_AT_EXIT_BYTES, DRAIN_CHUNK_BYTES } from "./limits.js";
import { type ProcessEntry, processNow } from "./process-table.js";
import { WriteQueue } from "./write-queue.js";

export interface PtyExit {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal?: string;
}

export interface PtyOptions {
  readonly launch: Launch;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
}

export interface PtyEvents {
  data(chunk: Buffer): void;
  /** Once, after the last `data`. */
  exit(exit: PtyExit): void;
}

export class Pty {
  readonly pid: number;
  /** The slave's path. */
  readonly path: string;
  /** The leader as it was at the start: its pid with its start time. */
  readonly leader: Pick<ProcessEntry, "pid" | "start">;
  readonly #binding: PtyBinding;
  readonly #fd: number;
  readonly #slave: number;
  readonly #stream: tty.ReadStream;
  readonly #writes: WriteQueue;
  readonly #events: PtyEvents;
  #exited = false;
  #closed = false;

  /** Starts the program; Unavailable with the reason when it cannot start. */
  static async start(binding: PtyBinding, options: PtyOptions, events: PtyEvents): Promise<Pty> {
    await checkLaunch(options.launch.file, options.cwd);
    let ended: (code: number, signal: number) => void = () => undefined;
    const forked = fork(binding, options, (code, signal) => ended(code, signal));
    const pty = adopt(forked, () => new Pty(binding, forked, events));
    ended = (code, signal) => pty.#end(code, signal);
    return pty;
  }

  private constructor(binding: PtyBinding, forked: ForkedPty, events: PtyEvents) {
    this.#binding = binding;
    this.#events = events;
    this.#fd = forked.fd;
    this.pid = forked.pid;
    this.path = forked.pty;
    this.leader = { pid: forked.pid, start: processNow(forked.pid)?.start ?? "" };
    // While one slave is open here the kernel neither ends nor hangs up the master, so the end of the
    // output is where the program's exit says it is.
    this.#slave = openSync(forked.pty, constants.O_RDWR | constants.O_NOCTTY);
    this.#stream = new tty.ReadStream(forked.fd);
    this.#stream.on("data", (chunk: Buffer) => this.#events.data(chunk));
    // Errors of the master come as the exit too, which is the one that counts.
    this.#stream.on("error", () => undefined);
    this.#writes = new WriteQueue(forked.fd);
  }

  /** The slave, held open for as long as the program runs; for asking after the tty's modes. */
  get slave(): number | undefined {
    return this.#closed ? undefined : this.#slave;
  }

  get unwrittenBytes(): number {
    return this.#writes.bytes;
  }

  /** The foreground program's name as the binding tells it. */
  foregroundName(): string | undefined {
    if (this.#closed) return undefined;
    return process.platform === "linux"
      ? this.#binding.process(this.#fd, this.path)
      : this.#binding.process(this.#fd);
  }

  /** Types; resolves when the tty has taken it. */
  write(data: Buffer): Promise<void> {
    return this.#writes.write(data);
  }

  resize(cols: number, rows: number): void {
    if (!this.#closed) this.#binding.resize(this.#fd, cols, rows);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#exited) this.#stream.resume();
  }

  /** Closes the descriptors; the kernel hangs up on whoever still has the terminal. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#writes.close(unavailable("The program of this terminal has ended"));
    this.#stream.destroy();
    closeSync(this.#slave);
  }

  #end(code: number, signal: number): void {
    if (this.#exited) return;
    this.#exited = true;
    if (!this.#closed) {
      this.#drain();
      this.close();
    }
    this.#events.exit(signal > 0 ? { code: null, signal: signalName(signal) } : { code });
  }

  /** What the stream holds already, then what the kernel still has. */
  #drain(): void {
    this.#stream.removeAllListeners("data");
    this.#stream.pause();
    for (let chunk = this.#stream.read(); chunk !== null; chunk = this.#stream.read()) {
      this.#events.data(chunk as Buffer);
    }
    for (let total = 0; total < DRAIN_AT_EXIT_BYTES; ) {
      const chunk = Buffer.allocUnsafe(DRAIN_CHUNK_BYTES);
      const read = this.#readNow(chunk);
      if (read === 0) return;
      total += read;
      this.#events.data(chunk.subarray(0, read));
    }
  }

  /** Bytes read, 0 when there are none: EAGAIN, or EIO from a master that was hung up. */
  #readNow(chunk: Buffer): number {
    try {
      return readSync(this.#fd, chunk);
    } catch {
      return 0;
    }
  }
}

function fork(
  binding: PtyBinding,
  options: PtyOptions,
  onExit: (code: number, signal: number) => void,
): ForkedPty {
  // On macOS the binding starts programs with POSIX_SPAWN_CLOEXEC_DEFAULT: nothing to close there.
  const launch = process.platform === "darwin" ? options.launch : withoutInheritedFds(options.launch);
  const env = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
  try {
    return binding.fork(
      launch.file,
      launch.args,
      env,
      options.cwd,
      options.cols,
      options.rows,
      -1,
      -1,
      true,
      binding.helperPath,
      onExit,
    );
  } catch (cause) {
    throw cause instanceof RpcFailure ? cause : unavailable(forkReason(), cause);
  }
}

/** Ends the program again when its descriptors could not be set up. */
function adopt(forked: ForkedPty, make: () => Pty): Pty {
  try {
    return make();
  } catch (cause) {
    process.kill(forked.pid, "SIGKILL");
    closeSync(forked.fd);
    throw unavailable(forkReason(), cause);
  }
}

/** The binding does not say why; an open that fails the same way does. */
function forkReason(): string {
  try {
    closeSync(openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EMFILE" || code === "ENFILE") {
      return "Too many files are open in the terminal host, close some terminals (EMFILE)";
    }
    if (code === "ENOSPC") return "The system has no terminal left, close some terminals (ENOSPC)";
    return `The system gives no terminal (${code ?? "unknown"})`;
  }
  return "The system starts no process for a new terminal now, close some programs (EAGAIN)";
}

function signalName(signal: number): string {
  const found = Object.entries(os.constants.signals).find(([, number]) => number === signal);
  return found?.[0] ?? `signal ${signal}`;
}
