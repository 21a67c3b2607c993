/** One live host as nexusd holds it: its link, with the watches and attached windows that run over it. */
import { invalidParams } from "../protocol/errors.js";
import { HostLink } from "./host-link.js";
import type { TerminalStatus } from "./types.js";

export interface HostChannelEvents {
  change(channel: HostChannel, status: TerminalStatus): void;
  bell(terminal: string, message?: string): void;
  closedTerminal(channel: HostChannel, terminal: string): void;
  lost(channel: HostChannel): void;
}

export type Update = { start: number; text: string };

export interface TerminalWatch {
  /** The text as it was when the watch began. */
  readonly text: string;
  close(): void;
}

export interface TerminalAttachment {
  /** Types bytes as they are. */
  write(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  detach(): void;
}

export interface AttachOptions {
  readonly cols: number;
  readonly rows: number;
  /** The next bytes come when this has settled, or the screen drawn anew when it took too long. */
  onData(bytes: Buffer): Promise<void> | void;
  onEnd(why: string): void;
}

interface WatchEntry {
  readonly terminal: string;
  readonly deliver: (update: Update) => Promise<void> | void;
  readonly ended: (why: string) => void;
}

export class HostChannel {
  readonly socket: string;
  readonly link: HostLink;
  readonly #watches = new Map<number, WatchEntry>();
  readonly #windows = new Map<number, AttachOptions & { terminal: string }>();
  #lastId = 0;

  /** Rejects when no host listens there, or one that speaks no version of ours. */
  static async connect(socket: string, events: HostChannelEvents): Promise<HostChannel> {
    return new HostChannel(socket, await HostLink.connect(socket), events);
  }

  private constructor(socket: string, link: HostLink, events: HostChannelEvents) {
    this.socket = socket;
    this.link = link;
    link.listen({
      change: (status) => events.change(this, status),
      bell: (terminal, message) => events.bell(terminal, message),
      closedTerminal: (terminal) => {
        this.#endAll(terminal, "The terminal was closed");
        events.closedTerminal(this, terminal);
      },
      update: (watch, update) => void this.#update(watch, update),
      data: (attachment, bytes) => void this.#data(attachment, bytes),
      detached: (attachment, why) => this.#detached(attachment, why),
      lost: () => {
        this.#endAll(undefined, "The process that held this terminal is gone");
        events.lost(this);
      },
    });
  }

  async watch(
    terminal: string,
    options: { lines?: number; ansi?: boolean },
    entry: Omit<WatchEntry, "terminal">,
  ): Promise<TerminalWatch> {
    const watch = ++this.#lastId;
    this.#watches.set(watch, { terminal, ...entry });
    try {
      const params = { id: terminal, watch, ...options };
      const { text } = await this.link.call<{ text: string }>("watch", params);
      return { text, close: () => this.#unwatch(watch) };
    } catch (error) {
      this.#watches.delete(watch);
      throw error;
    }
  }

  async attach(terminal: string, options: AttachOptions): Promise<TerminalAttachment> {
    const attachment = ++this.#lastId;
    this.#windows.set(attachment, { ...options, terminal });
    const { cols, rows } = options;
    try {
      await this.link.call("attach", { id: terminal, attachment, size: { cols, rows } });
    } catch (error) {
      this.#windows.delete(attachment);
      throw error;
    }
    return {
      write: (bytes) => this.link.sendData(attachment, bytes),
      resize: (nextCols, nextRows) => this.#resize(attachment, nextCols, nextRows),
      detach: () => this.#detach(attachment),
    };
  }

  #unwatch(watch: number): void {
    if (this.#watches.delete(watch)) this.#tell("unwatch", { watch });
  }

  #detach(attachment: number): void {
    if (this.#windows.delete(attachment)) this.#tell("detach", { attachment });
  }

  /** Refuses sizes that no window has, so that the caller hears of it and not the log. */
  #resize(attachment: number, cols: number, rows: number): void {
    if (![cols, rows].every((cells) => Number.isInteger(cells) && cells >= 1)) {
      throw invalidParams("A window's columns and rows are whole numbers from 1 on");
    }
    this.#tell("resize", { attachment, size: { cols, rows } });
  }

  #tell(method: string, params: object): void {
    this.link.call(method, params).catch(() => undefined); // the host is gone, and what this ends with it
  }

  async #update(watch: number, update: Update): Promise<void> {
    const entry = this.#watches.get(watch);
    if (!entry) return;
    try {
      await entry.deliver(update);
      this.link.send({ type: "ack", watch });
    } catch {
      // Its reader is gone: without an acknowledgement nothing more comes, and this ends it.
      this.#unwatch(watch);
    }
  }

  async #data(attachment: number, bytes: Buffer): Promise<void> {
    const window = this.#windows.get(attachment);
    if (!window) return;
    try {
      await window.onData(bytes);
      this.link.send({ type: "taken", attachment, bytes: bytes.length });
    } catch {
      this.#detach(attachment); // its window is gone
    }
  }

  #detached(attachment: number, why: string): void {
    const window = this.#windows.get(attachment);
    this.#windows.delete(attachment);
    window?.onEnd(why);
  }

  /** Ends what looks at one terminal, or at all of them. */
  #endAll(terminal: string | undefined, why: string): void {
    for (const [id, entry] of [...this.#watches]) {
      if (terminal !== undefined && entry.terminal !== terminal) continue;
      this.#watches.delete(id);
      entry.ended(why);
    }
    for (const [id, window] of [...this.#windows]) {
      if (terminal !== undefined && window.terminal !== terminal) continue;
      this.#windows.delete(id);
      window.onEnd(why);
    }
  }
}
