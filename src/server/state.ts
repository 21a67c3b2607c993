/**
 * The daemon's state: small JSON files of one schema each, 0600, replaced
 * whole. A file that does not read as its schema stops the start by name; it
 * is never taken for an empty one.
 */
import { open, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { z } from "zod";

/** A state file in hand: what it holds, and the way to replace it. */
export interface Kept<T> {
  readonly value: T;
  /** Resolves once it is on the disk; calls are carried out in order. Rejects (disk full) with the old value still there. */
  save(next: T): Promise<void>;
}

/** State files hold ids and names; one above this is damaged or not ours. */
const MAX_STATE_FILE_BYTES = 16 * 1024 * 1024;

export class CorruptStateError extends Error {
  constructor(path: string, why: string) {
    super(`${path} is damaged (${why}); restore it from a backup, or move it away to start without it`);
    this.name = "CorruptStateError";
  }
}

export async function openKept<T>(path: string, schema: z.ZodType<T>, initial: T): Promise<Kept<T>> {
  let value = (await readState(path, schema)) ?? initial;
  let queue: Promise<void> = Promise.resolve();
  return {
    get value() {
      return value;
    },
    save(next) {
      const saved = queue.then(async () => {
        await replaceFile(path, `${JSON.stringify(next, null, 1)}\n`);
      });
      // What others read is the new value at once; a failed write puts the old one back.
      const before = value;
      value = next;
      queue = saved.catch(() => undefined);
      return saved.catch((error: unknown) => {
        if (value === next) value = before;
        throw new Error(`Could not write ${path}: ${(error as Error).message}`, { cause: error });
      });
    },
  };
}

async function readState<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  let text: string;
  try {
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      if (size > MAX_STATE_FILE_BYTES) throw new CorruptStateError(path, `${size} bytes`);
      text = await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new CorruptStateError(path, "it is no JSON");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new CorruptStateError(
    path,
    `${issue?.path.join(".") || "top"}: ${issue?.message ?? "unexpected shape"}`,
  );
}

/** Replaces a file whole: a reader sees the old text or the new one, also after a power cut. */
export async function replaceFile(path: string, text: string | Uint8Array): Promise<void> {
  const temp = `${dirname(path)}/.${basename(path)}.${process.pid}.new`;
  const handle = await open(temp, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await unlink(temp).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  await handle.close();
  await rename(temp, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Reads a small text file of ours, or undefined when it is not there. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
