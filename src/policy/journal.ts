/**
 * An append-only file of lines that are on the disk before anyone goes on.
 * Lines that wait together share one write and one sync; a line that a crash
 * cut short is dropped at the next opening.
 */
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

export interface Journal {
  readonly path: string;
  /** The lines that were there when it was opened; none once they were replaced. */
  readonly lines: readonly string[];
  /** Resolves once the line is on the disk. */
  append(line: string): Promise<void>;
  /** Puts these lines in the place of all that were appended before. */
  replace(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 0x0a;

/** Opens or makes the file, mode 0600. */
export async function openJournal(path: string): Promise<Journal> {
  const handle = await open(path, "a+", 0o600);
  try {
    const bytes = await handle.readFile();
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole < bytes.length) await handle.truncate(whole);
    const text = bytes.subarray(0, whole).toString("utf8");
    return new FileJournal(path, handle, text === "" ? [] : text.slice(0, -1).split("\n"));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Batch {
  readonly lines: string[];
  readonly written: Promise<void>;
}

class FileJournal implements Journal {
  lines: readonly string[];
  readonly path: string;
  #handle: FileHandle;
  #queue: Promise<void> = Promise.resolve();
  #next: Batch | undefined;
  #closed = false;

  constructor(path: string, handle: FileHandle, lines: readonly string[]) {
    this.path = path;
    this.#handle = handle;
    this.lines = lines;
  }

  append(line: string): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("The journal is closed"));
    if (this.#next !== undefined) {
      this.#next.lines.push(line);
      return this.#next.written;
    }
    const lines = [line];
    const written = this.#inOrder(() => this.#write(lines));
    this.#next = { lines, written };
    return written;
  }

  replace(lines: readonly string[]): Promise<void> {
    this.lines = [];
    this.#next = undefined; // what comes now is written after it
    return this.#inOrder(() => this.#rewrite(lines));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#inOrder(() => this.#handle.close());
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #write(lines: readonly string[]): Promise<void> {
    if (this.#next?.lines === lines) this.#next = undefined;
    const { size } = await this.#handle.stat();
    try {
      await this.#handle.appendFile(lines.map((line) => `${line}\n`).join(""));
      await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(size).catch(() => undefined); // half a line would spoil the next one
      throw error;
    }
  }

  async #rewrite(lines: readonly string[]): Promise<void> {
    const temp = `${this.path}.new`;
    const handle = await open(temp, "w", 0o600);
    try {
      await handle.writeFile(lines.map((line) => `${line}\n`).join(""));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, this.path);
    const folder = await open(dirname(this.path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    const before = this.#handle;
    this.#handle = await open(this.path, "a+", 0o600);
    await before.close();
  }
}
