/**
 * Who did what: an append-only log of JSON lines, each with the hash of the
 * one before, so that a line changed or taken out shows. Ids and outcomes
 * only; there is no field for content.
 */
import { type FileHandle, open, rm } from "node:fs/promises";
import { lastLines, numbered, type OpenedFile, openFile, renameIfThere, verifyAudit } from "./audit-file.js";
import { type AuditCheck, type AuditEntry, type AuditLine, encodeLine, sha256 } from "./audit-line.js";
import { AUDIT_FILE_BYTES, AUDIT_FILES, MAX_AUDIT_TAIL } from "./limits.js";

export { verifyAudit } from "./audit-file.js";
export type { AuditCheck, AuditEntry, AuditLine } from "./audit-line.js";

export interface AuditOptions {
  /** The newest file; older ones are `PATH.1` to `PATH.4`. */
  readonly path: string;
  now(): number;
  readonly fileBytes?: number;
}

export class Audit {
  readonly #path: string;
  readonly #now: () => number;
  readonly #fileBytes: number;
  #handle: FileHandle;
  #size: number;
  #last: { readonly seq: number; readonly hash: string };
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(options: AuditOptions, file: OpenedFile) {
    this.#path = options.path;
    this.#now = options.now;
    this.#fileBytes = options.fileBytes ?? AUDIT_FILE_BYTES;
    this.#handle = file.handle;
    this.#size = file.size;
    this.#last = file.last;
  }

  /** Opens or makes the log, 0600, and goes on from its last whole line. */
  static async open(options: AuditOptions): Promise<Audit> {
    return new Audit(options, await openFile(options.path, `${options.path}.1`));
  }

  /** Writes one line; resolves once it is handed to the system. Lines stand in the order of the calls. */
  append(entry: AuditEntry): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("The audit log is closed"));
    const at = this.#now();
    return this.#inOrder(() => this.#write(entry, at));
  }

  /** The last lines, oldest first. */
  tail(count: number): Promise<AuditLine[]> {
    return this.#inOrder(async () => {
      const wanted = Math.min(count, MAX_AUDIT_TAIL);
      const lines: string[] = [];
      for (let n = 0; n < AUDIT_FILES && lines.length < wanted; n++) {
        lines.unshift(...(await lastLines(numbered(this.#path, n), wanted - lines.length)));
      }
      return lines.map((line) => JSON.parse(line) as AuditLine);
    });
  }

  /** Reads all files again: every line whole, every hash right, and the end where this process left it. */
  verify(): Promise<AuditCheck> {
    return this.#inOrder(async () => {
      const check = await verifyAudit(this.#path);
      if (!check.ok) return check;
      const { seq, hash } = this.#last;
      const there = check.last ?? { seq: 0, hash };
      if (there.seq === seq && there.hash === hash) return { ok: true, lines: check.lines };
      return { ok: false, file: this.#path, line: check.lines, why: "the end is not what this daemon wrote" };
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#inOrder(() => this.#handle.close());
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(step);
    this.#queue = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #write(entry: AuditEntry, at: number): Promise<void> {
    const seq = this.#last.seq + 1;
    const text = encodeLine({ seq, at, prev: this.#last.hash }, entry);
    const bytes = Buffer.from(`${text}\n`);
    if (this.#size > 0 && this.#size + bytes.length > this.#fileBytes) await this.#rotate();
    try {
      await this.#handle.appendFile(bytes);
    } catch (error) {
      await this.#handle.truncate(this.#size).catch(() => undefined); // no half line under the next one
      throw error;
    }
    this.#size += bytes.length;
    this.#last = { seq, hash: sha256(text) };
  }

  async #rotate(): Promise<void> {
    const old = this.#handle;
    await rm(`${this.#path}.${AUDIT_FILES - 1}`, { force: true });
    for (let n = AUDIT_FILES - 2; n >= 0; n--) {
      await renameIfThere(numbered(this.#path, n), numbered(this.#path, n + 1));
    }
    this.#handle = await open(this.#path, "a+", 0o600);
    this.#size = 0;
    await old.close();
  }
}
