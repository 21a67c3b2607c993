/**
 * The open watches, by the link that holds them. A watch ends when its link
 * ends, when it is unwatched, or when the right it stands on is taken away.
 */
import { randomBytes } from "node:crypto";
import type { Capability } from "../protocol/capabilities.js";
import { notFound, unavailable } from "../protocol/errors.js";
import { MAX_WATCHES } from "../protocol/limits.js";

/** The part of a link that the hub needs. */
export interface HubLink {
  readonly id: string;
  onClose(listener: () => void): void;
}

export type WatchKind = "sessions" | "chat" | "terminal";

interface OpenWatch {
  readonly kind: WatchKind;
  readonly capability: Capability;
  readonly tabId: string | undefined;
  stop(): void;
}

export class WatchHub {
  readonly #links = new Map<string, Map<string, OpenWatch>>();

  /** Opens a watch on a link; throws Unavailable past MAX_WATCHES. Its id means nothing on other links. */
  open(link: HubLink, watch: Omit<OpenWatch, "stop">): OpenedWatch {
    let watches = this.#links.get(link.id);
    if (watches === undefined) {
      watches = new Map();
      this.#links.set(link.id, watches);
      link.onClose(() => {
        this.#drop(link.id, () => true);
        this.#links.delete(link.id);
      });
    }
    if (watches.size >= MAX_WATCHES) {
      throw unavailable(`This link has ${MAX_WATCHES} watches open; end one first`);
    }
    const id = randomBytes(9).toString("base64url");
    const opened = new OpenedWatch(id, () => watches.delete(id));
    watches.set(id, { ...watch, stop: () => opened.close() });
    return opened;
  }

  /** Ends a watch of this link and kind; NotFound when there is none by that id. */
  close(link: HubLink, kind: WatchKind, watchId: string): void {
    const watch = this.#links.get(link.id)?.get(watchId);
    if (watch?.kind !== kind) throw notFound("watch");
    watch.stop();
  }

  /** Ends the link's watches that stand on a right which it lost. */
  narrow(link: HubLink, can: (capability: Capability) => boolean): void {
    this.#drop(link.id, (watch) => !can(watch.capability));
  }

  /** Ends the watches of a tab that was closed. */
  closeTab(tabId: string): void {
    for (const id of this.#links.keys()) this.#drop(id, (watch) => watch.tabId === tabId);
  }

  get size(): number {
    let size = 0;
    for (const watches of this.#links.values()) size += watches.size;
    return size;
  }

  #drop(linkId: string, goes: (watch: OpenWatch) => boolean): void {
    const watches = this.#links.get(linkId);
    for (const watch of [...(watches?.values() ?? [])]) if (goes(watch)) watch.stop();
  }
}

/** A watch in hand: its id, and what to stop when it ends. */
export class OpenedWatch {
  readonly id: string;
  readonly #stops: (() => void)[] = [];
  readonly #forget: () => void;
  #closed = false;

  constructor(id: string, forget: () => void) {
    this.id = id;
    this.#forget = forget;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Called once when the watch ends; at once when it has ended. */
  onStop(stop: () => void): void {
    if (this.#closed) stop();
    else this.#stops.push(stop);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    for (const stop of this.#stops.splice(0)) stop();
  }
}
