/**
 * Windows at the desk on one terminal: each gets the program's bytes as they
 * come, less the questions, and the terminal has the size of the one that was
 * attached or resized last. Without any it has its own size again.
 */
import { invalidParams } from "../../protocol/errors.js";
import { ATTACH_BACKLOG_BYTES, MAX_ATTACHMENTS } from "./limits.js";
import { QueryFilter } from "./query-filter.js";
import { checkWindowSize, type Size } from "./size.js";

export interface AttachEvents {
  /** Resolves when the window took them. */
  data(bytes: Buffer): void;
  end(why: string): void;
}

export interface AttachTarget {
  /** The screen as bytes that draw it in an empty window. */
  picture(): Buffer;
  resize(size: Size): void;
  readonly ownSize: Size;
}

export interface Attachment {
  resize(size: Size): void;
  /** The window took this many of the bytes that it was given. */
  taken(bytes: number): void;
  detach(): void;
}

interface Window {
  size: Size;
  /** Rises with each attach and resize: the highest is the size's owner. */
  turn: number;
  readonly filter: QueryFilter;
  readonly events: AttachEvents;
  backlog: number;
  /** It was too slow: bytes are left out until it has caught up, then the screen is drawn whole. */
  behind: boolean;
}

export class Attachments {
  readonly #target: AttachTarget;
  readonly #windows = new Set<Window>();
  #turn = 0;

  constructor(target: AttachTarget) {
    this.#target = target;
  }

  get size(): number {
    return this.#windows.size;
  }

  attach(size: Size, events: AttachEvents): Attachment {
    checkWindowSize(size);
    if (this.#windows.size >= MAX_ATTACHMENTS) {
      throw invalidParams("Too many windows are attached to this terminal, detach one first");
    }
    const window: Window = {
      size,
      turn: ++this.#turn,
      filter: new QueryFilter(),
      events,
      backlog: 0,
      behind: false,
    };
    this.#windows.add(window);
    this.#resize();
    this.#send(window, this.#target.picture());
    return {
      resize: (next) => {
        checkWindowSize(next);
        if (!this.#windows.has(window)) return;
        window.size = next;
        window.turn = ++this.#turn;
        this.#resize();
      },
      taken: (bytes) => this.#taken(window, bytes),
      detach: () => {
        if (this.#windows.delete(window)) this.#resize();
      },
    };
  }

  /** The program's output, in order. */
  output(chunk: Buffer): void {
    for (const window of this.#windows) {
      const bytes = window.filter.push(chunk);
      if (window.behind || bytes.length === 0) continue;
      if (window.backlog + bytes.length > ATTACH_BACKLOG_BYTES) window.behind = true;
      else this.#send(window, bytes);
    }
  }

  end(why: string): void {
    const windows = [...this.#windows];
    this.#windows.clear();
    for (const window of windows) window.events.end(why);
  }

  #send(window: Window, bytes: Buffer): void {
    window.backlog += bytes.length;
    window.events.data(bytes);
  }

  #taken(window: Window, bytes: number): void {
    window.backlog = Math.max(0, window.backlog - bytes);
    if (!window.behind || window.backlog > 0 || !this.#windows.has(window)) return;
    window.behind = false;
    this.#send(window, this.#target.picture());
  }

  #resize(): void {
    let latest: Window | undefined;
    for (const window of this.#windows) {
      if (!latest || window.turn > latest.turn) latest = window;
    }
    this.#target.resize(latest ? latest.size : this.#target.ownSize);
  }
}
