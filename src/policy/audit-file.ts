/** The files of the audit log: numbered, read from their ends, and checked from the oldest on. */
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type AuditCheck, type AuditLine, faultOf, NO_LINE, sha256 } from "./audit-line.js";
import { AUDIT_FILES, MAX_AUDIT_LINE_BYTES } from "./limits.js";

/** Checks a log that no daemon need have open, oldest file first. */
export async function verifyAudit(
  path: string,
): Promise<
  | { readonly ok: true; readonly lines: number; readonly last: { seq: number; hash: string } | undefined }
  | Extract<AuditCheck, { ok: false }>
> {
  let last: { seq: number; hash: string } | undefined;
  let lines = 0;
  for (let n = AUDIT_FILES - 1; n >= 0; n--) {
    const file = numbered(path, n);
    if (!(await isThere(file))) continue;
    let line = 0;
    for await (const text of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      line++;
      const why = faultOf(text, last);
      if (why !== undefined) return { ok: false, file, line, why };
      last = { seq: (JSON.parse(text) as AuditLine).seq, hash: sha256(text) };
      lines++;
    }
  }
  return { ok: true, lines, last };
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly last: { seq: number; hash: string };
}

export async function openFile(path: string, older: string): Promise<OpenedFile> {
  const handle = await open(path, "a+", 0o600);
  try {
    const size = await dropHalfLine(handle);
    const line = (await lastLines(path, 1))[0] ?? (await lastLines(older, 1))[0];
    if (line === undefined) return { handle, size, last: { seq: 0, hash: NO_LINE } };
    const why = faultOf(line, undefined);
    if (why !== undefined) throw new Error(`${path} is damaged: ${why}; move it away to start a new log`);
    return { handle, size, last: { seq: (JSON.parse(line) as AuditLine).seq, hash: sha256(line) } };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Cuts off what a crash left of a line; the answer is the size of the rest. */
async function dropHalfLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - 2 * MAX_AUDIT_LINE_BYTES);
  const end = Buffer.alloc(size - start);
  const { bytesRead } = await handle.read(end, 0, end.length, start);
  const whole = start + end.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
  if (whole < size) await handle.truncate(whole);
  return whole;
}

export async function lastLines(path: string, count: number): Promise<string[]> {
  if (count <= 0 || !(await isThere(path))) return [];
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - count * MAX_AUDIT_LINE_BYTES - 1);
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    const lines = bytes.toString("utf8", 0, bytesRead).split("\n").slice(0, -1);
    return (start > 0 ? lines.slice(1) : lines).slice(-count);
  } finally {
    await handle.close();
  }
}

export function numbered(path: string, n: number): string {
  return n === 0 ? path : `${path}.${n}`;
}

export async function renameIfThere(from: string, to: string): Promise<void> {
  if (await isThere(from)) await rename(from, to);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
