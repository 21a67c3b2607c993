/** The order in which things changed, by version: what a watcher at version n has not seen yet. */
import { MAX_CHANGE_LOG } from "./limits.js";

export type ChangeKind = "item" | "tool" | "task" | "agent" | "panel" | "status" | "cut";

interface Change {
  version: number;
  kind: ChangeKind;
  id: string;
}

export class ChangeLog {
  #version = 0;
  #entries: Change[] = [];
  /** Versions up to this one are no longer told apart. */
  #forgotten = 0;

  get version(): number {
    return this.#version;
  }

  /** Something changed that is not worked out yet. */
  touch(): void {
    this.#version += 1;
  }

  add(kind: ChangeKind, id: string): void {
    this.#version += 1;
    const last = this.#entries.at(-1);
    if (last !== undefined && last.kind === kind && last.id === id) {
      last.version = this.#version;
      return;
    }
    this.#entries.push({ version: this.#version, kind, id });
    if (this.#entries.length > 2 * MAX_CHANGE_LOG) this.#forget();
  }

  /** What changed after `version`, each once; undefined when that is too long ago to tell. */
  since(version: number): { kind: ChangeKind; id: string }[] | undefined {
    if (version < this.#forgotten) return undefined;
    const seen = new Map<string, { kind: ChangeKind; id: string }>();
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry === undefined || entry.version <= version) break;
      seen.set(`${entry.kind} ${entry.id}`, entry);
    }
    return [...seen.values()];
  }

  #forget(): void {
    const dropped = this.#entries.splice(0, this.#entries.length - MAX_CHANGE_LOG);
    this.#forgotten = dropped.at(-1)?.version ?? this.#forgotten;
  }
}
