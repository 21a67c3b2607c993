/** The host's log: failures only, cut back when it grows, never a word of what terminals show. */
import { appendFileSync, statSync, truncateSync } from "node:fs";
import { LOG_BYTES } from "./limits.js";

export class HostLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  write(what: string, error?: unknown): void {
    const detail =
      error instanceof Error ? (error.stack ?? error.message) : error === undefined ? "" : String(error);
    try {
      if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES)
        truncateSync(this.#file, 0);
      appendFileSync(this.#file, `${new Date().toISOString()} ${what} ${detail}\n`, { mode: 0o600 });
    } catch {
      // A full disk or a folder that is gone must not end the programs of this host.
    }
  }
}
