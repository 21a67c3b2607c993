/**
 * How the workspaces' repositories stand, looked at now and then: after their
 * git dirs or top folders changed, and by a slow poll for all that is deeper.
 */
import { type FSWatcher, watch } from "node:fs";
import type { GitSummary } from "./git.js";
import { IDLE_SHARE, POLL_MS, SETTLE_MS } from "./limits.js";
import type { GitWorkspace } from "./place.js";
import type { Repository } from "./repository.js";

export interface WorkspaceGitOptions {
  /** Looks once; rejects for a folder in no repository. */
  summary(workspace: GitWorkspace): Promise<GitSummary & { repository: Repository }>;
  /** Real paths that no workspace shows. */
  readonly forbidden: readonly string[];
  readonly pollMs?: number;
  readonly settleMs?: number;
}

interface Watched {
  readonly path: string;
  summary: GitSummary | undefined;
  watchers: FSWatcher[];
  /** What is watched, so that it is set up again only when it moved. */
  places: string;
  timer: NodeJS.Timeout | undefined;
  looking: boolean;
  /** Something changed while it was looked at. */
  again: boolean;
}

/** Looks at one repository at a time each, and at nothing while paused. Starts paused. */
export class WorkspaceGit {
  readonly #options: WorkspaceGitOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #listeners = new Set<(path: string) => void>();
  /** The last look of each repository: worktrees and workspaces of one share it. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #paused = true;
  #closed = false;

  constructor(options: WorkspaceGitOptions) {
    this.#options = options;
  }

  /** As it was when last looked at; undefined when never, or when the folder is in no repository. */
  get(path: string): GitSummary | undefined {
    return this.#watched.get(path)?.summary;
  }

  /** Calls back with a workspace's path after what {@link get} says of it changed. Gives the way to stop that. */
  onChange(listener: (path: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A workspace's folder, a real path. */
  add(path: string): void {
    if (this.#closed || this.#watched.has(path)) return;
    const watched: Watched = {
      path,
      summary: undefined,
      watchers: [],
      places: "",
      timer: undefined,
      looking: false,
      again: false,
    };
    this.#watched.set(path, watched);
    if (!this.#paused) this.#lookIn(watched, 0);
  }

  remove(path: string): void {
    const watched = this.#watched.get(path);
    if (watched === undefined) return;
    this.#watched.delete(path);
    rest(watched);
  }

  /** Looks soon: for those who know that something changed, as at the end of an agent's turn. */
  touch(path: string): void {
    const watched = this.#watched.get(path);
    if (watched !== undefined && !this.#paused) this.#changed(watched);
  }

  /** No device is connected: nothing is looked at. */
  pause(): void {
    this.#paused = true;
    for (const watched of this.#watched.values()) rest(watched);
  }

  resume(): void {
    if (!this.#paused || this.#closed) return;
    this.#paused = false;
    for (const watched of this.#watched.values()) this.#lookIn(watched, 0);
  }

  close(): void {
    this.#closed = true;
    this.pause();
    this.#watched.clear();
    this.#listeners.clear();
  }

  #lookIn(watched: Watched, ms: number): void {
    clearTimeout(watched.timer);
    watched.timer = setTimeout(() => void this.#look(watched), ms);
    watched.timer.unref();
  }

  #changed(watched: Watched): void {
    if (watched.looking) watched.again = true;
    else this.#lookIn(watched, this.#options.settleMs ?? SETTLE_MS);
  }

  #active(watched: Watched): boolean {
    return !this.#paused && this.#watched.get(watched.path) === watched;
  }

  async #look(watched: Watched): Promise<void> {
    if (watched.looking || !this.#active(watched)) return;
    watched.looking = true;
    watched.again = false;
    const { summary, repository, tookMs } = await this.#inTurn(watched);
    watched.looking = false;
    if (!this.#active(watched)) return;
    this.#watch(watched, repository);
    const changed = JSON.stringify(summary) !== JSON.stringify(watched.summary);
    watched.summary = summary;
    if (watched.again) this.#changed(watched);
    else this.#lookIn(watched, Math.max(this.#options.pollMs ?? POLL_MS, tookMs * IDLE_SHARE));
    if (changed) for (const listener of [...this.#listeners]) listener(watched.path);
  }

  /** After the last look at the same repository, as far as it is known which one it is. */
  async #inTurn(watched: Watched): Promise<Look> {
    const key = watched.places.split("\n", 1)[0] ?? "";
    const before = this.#turns.get(key) ?? Promise.resolve();
    const turn = before.then(() => this.#summary(watched));
    this.#turns.set(key, turn);
    const look = await turn;
    if (this.#turns.get(key) === turn) this.#turns.delete(key);
    return look;
  }

  async #summary(watched: Watched): Promise<Look> {
    const start = performance.now();
    try {
      const { repository, ...summary } = await this.#options.summary({
        folder: watched.path,
        forbidden: this.#options.forbidden,
      });
      return { summary, repository, tookMs: performance.now() - start };
    } catch {
      // In no repository, refused, gone or too slow: there is nothing to show until it is.
      return { summary: undefined, repository: undefined, tookMs: performance.now() - start };
    }
  }

  #watch(watched: Watched, repository: Repository | undefined): void {
    const dirs = repository === undefined ? [] : [repository.commonDir, repository.gitDir];
    const folders = [...new Set([...dirs, watched.path])];
    const places = folders.join("\n");
    if (places === watched.places && watched.watchers.length > 0) return;
    for (const watcher of watched.watchers) watcher.close();
    watched.places = places;
    watched.watchers = folders.flatMap((folder) => this.#watcher(folder, watched));
  }

  #watcher(folder: string, watched: Watched): FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#changed(watched));
      watcher.on("error", () => watcher.close()); // the folder went: the poll finds out
      return [watcher];
    } catch {
      return []; // no more watches on this machine: the poll remains
    }
  }
}

interface Look {
  readonly summary: GitSummary | undefined;
  readonly repository: Repository | undefined;
  readonly tookMs: number;
}

function rest(watched: Watched): void {
  clearTimeout(watched.timer);
  for (const watcher of watched.watchers) watcher.close();
  watched.watchers = [];
}
