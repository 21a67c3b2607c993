/** The watches of a client: which id means which on the link now, and what each kind is made of. */
import type { RpcNotificationMethod, SessionsUpdate } from "../protocol/rpc.js";
import { applyChatUpdate, applyTerminalUpdate, type ChatState } from "./apply.js";
import { MAX_STASHED_UPDATES } from "./limits.js";
import { type AnyWatch, missingRight, type WatchHost, type WatchKind } from "./watch.js";

export type SessionsState = Omit<SessionsUpdate, "watchId">;

export const SESSIONS: WatchKind<"sessions.watch", "sessions.update", SessionsState> = {
  watch: "sessions.watch",
  unwatch: "sessions.unwatch",
  update: "sessions.update",
  begin: ({ workspaces, sessions }) => ({ workspaces, sessions }),
  apply: (_before, { workspaces, sessions }) => ({ workspaces, sessions }),
  rev: () => undefined,
};

export const CHAT: WatchKind<"chat.watch", "chat.update", ChatState> = {
  watch: "chat.watch",
  unwatch: "chat.unwatch",
  update: "chat.update",
  begin: ({ watchId: _, ...page }) => page,
  apply: (before, update) => applyChatUpdate(before, update),
  rev: ({ rev }) => rev,
};

export const TERMINAL: WatchKind<"terminal.watch", "terminal.update", string> = {
  watch: "terminal.watch",
  unwatch: "terminal.unwatch",
  update: "terminal.update",
  begin: ({ text }) => text,
  apply: applyTerminalUpdate,
  rev: ({ rev }) => rev,
};

export class Watches implements WatchHost {
  readonly #all = new Set<AnyWatch>();
  readonly #byId = new Map<string, AnyWatch>();
  readonly #request: WatchHost["request"];
  /** Updates of watches whose opening was not answered yet, oldest first. */
  #stash: { watchId: string; method: RpcNotificationMethod; params: unknown }[] = [];
  #openings = 0;

  constructor(request: WatchHost["request"]) {
    this.#request = request;
  }

  add(watch: AnyWatch): void {
    this.#all.add(watch);
  }

  linkUp(): void {
    for (const watch of [...this.#all]) watch.linkUp();
  }

  linkDown(): void {
    this.#byId.clear();
    this.#stash = [];
    for (const watch of [...this.#all]) watch.linkDown();
  }

  /** Ends the watches whose right is gone. */
  narrow(capabilities: readonly string[]): void {
    for (const watch of [...this.#all]) {
      if (!capabilities.includes(watch.capability)) watch.end(missingRight(watch.capability));
    }
  }

  deliver(method: RpcNotificationMethod, params: unknown): void {
    const watchId = (params as { watchId?: unknown } | null | undefined)?.watchId;
    if (typeof watchId !== "string") return;
    const watch = this.#byId.get(watchId);
    if (watch !== undefined) {
      if (watch.update === method) watch.receive(params);
    } else if (this.#openings > 0) {
      this.#stash.push({ watchId, method, params });
      // one that is lost here shows as a gap, and the watch is opened again
      if (this.#stash.length > MAX_STASHED_UPDATES) this.#stash.shift();
    }
  }

  close(error: Error): void {
    for (const watch of [...this.#all]) watch.end(error);
  }

  request(method: string, params: unknown): Promise<unknown> {
    return this.#request(method, params);
  }

  register(watchId: string, watch: AnyWatch): void {
    this.#byId.set(watchId, watch);
    const early = this.#stash.filter((update) => update.watchId === watchId);
    this.#stash = this.#stash.filter((update) => update.watchId !== watchId);
    for (const { method, params } of early) {
      if (this.#byId.get(watchId) === watch && watch.update === method) watch.receive(params);
    }
  }

  unregister(watchId: string): void {
    this.#byId.delete(watchId);
  }

  opening(): void {
    this.#openings++;
  }

  opened(): void {
    this.#openings--;
    if (this.#openings === 0) this.#stash = [];
  }

  ended(watch: AnyWatch): void {
    this.#all.delete(watch);
  }
}
