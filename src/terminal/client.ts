/**
 * nexusd's terminals. They live in host processes of their own, which nexusd
 * finds again after a restart; this side opens, watches and types, and never
 * parses what programs print.
 */
import { unavailable } from "../protocol/errors.js";
import { type AgentTurn, AgentTurns } from "./agent-turns.js";
import {
  type AttachOptions,
  HostChannel,
  type HostChannelEvents,
  type TerminalAttachment,
  type TerminalWatch,
  type Update,
} from "./host-channel.js";
import { findHosts } from "./host-find.js";
import { buildOf, type HostFiles, removeOldBuilds, removeSocket, startHost } from "./host-start.js";
import type {
  InputModes,
  OpenTerminal,
  TerminalInput,
  TerminalStatus,
  WaitOptions,
  WaitResult,
} from "./types.js";

export type { AgentTurn } from "./agent-turns.js";
export type { AttachOptions, TerminalAttachment, TerminalWatch } from "./host-channel.js";
export type * from "./types.js";

export interface TerminalsOptions extends HostFiles {
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** What can be listened to; the listener is called after the change. */
export interface TerminalsEvents {
  change(status: TerminalStatus): void;
  /** A program rang, or sent a notice. */
  bell(event: { id: string; message?: string }): void;
  closed(id: string): void;
}

interface Entry {
  status: TerminalStatus;
  /** undefined when its host is gone. */
  channel: HostChannel | undefined;
}

const HOST_GONE = "The process that held this terminal is gone";

export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #channels = new Set<HostChannel>();
  readonly #entries = new Map<string, Entry>();
  readonly #agents = new AgentTurns();
  readonly #opening = new Map<string, Promise<TerminalStatus>>();
  readonly #listeners: { [E in keyof TerminalsEvents]: Set<TerminalsEvents[E]> } = {
    change: new Set(),
    bell: new Set(),
    closed: new Set(),
  };
  /** The host for new terminals, once one is needed. */
  #current: Promise<HostChannel> | undefined;
  #disposed = false;

  /** Finds the hosts that live and takes up their terminals. */
  static async start(options: TerminalsOptions): Promise<Terminals> {
    const terminals = new Terminals(options);
    await terminals.#adopt();
    return terminals;
  }

  private constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  list(): TerminalStatus[] {
    return [...this.#entries.values()].map((entry) => entry.status);
  }

  get(id: string): TerminalStatus | undefined {
    return this.#entries.get(id)?.status;
  }

  /** Returns a function that takes the listener off again. */
  on<E extends keyof TerminalsEvents>(event: E, listener: TerminalsEvents[E]): () => void {
    const listeners: Set<TerminalsEvents[E]> = this.#listeners[event];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Opens a shell; a second open with the same id returns the first. Unavailable with the reason when it cannot start. */
  async open(terminal: OpenTerminal): Promise<TerminalStatus> {
    const known = this.get(terminal.id);
    if (known) return known;
    const opening = this.#opening.get(terminal.id) ?? this.#open(terminal);
    this.#opening.set(terminal.id, opening);
    return await opening.finally(() => this.#opening.delete(terminal.id));
  }

  async read(id: string, options: { lines?: number; ansi?: boolean }): Promise<string> {
    const { text } = await this.#channelOf(id).link.call<{ text: string }>("read", { id, ...options });
    return text;
  }

  /** The text now and an update at each change; the next one comes when `deliver` has settled. */
  async watch(
    id: string,
    options: { lines?: number; ansi?: boolean },
    deliver: (update: Update) => Promise<void> | void,
    ended: (why: string) => void,
  ): Promise<TerminalWatch> {
    return await this.#channelOf(id).watch(id, options, { deliver, ended });
  }

  /** Types text as a paste, then keys, then Enter; resolves with when that was, for a wait's `after`. */
  async input(id: string, input: TerminalInput): Promise<{ at: number }> {
    return await this.#channelOf(id).link.call("input", { id, input });
  }

  /** What the tty does with typing now. */
  async inputModes(id: string): Promise<InputModes> {
    return await this.#channelOf(id).link.call("inputModes", { id });
  }

  /** Holds until what is asked for, the timeout (`done` false), or the abort. */
  async wait(id: string, options: WaitOptions, signal: AbortSignal): Promise<WaitResult> {
    const entry = this.#entry(id);
    const goneWithHost = (): WaitResult => ({ done: true, state: "exited", message: HOST_GONE });
    if (!entry.channel) return goneWithHost();
    try {
      const forAgent = this.#agents.has(id) && !options.exit && options.match === undefined;
      if (forAgent) return await this.#waitForAgent(entry.channel, id, { options, signal });
      return await entry.channel.link.call("wait", { id, wait: options }, signal);
    } catch (error) {
      // The host went while it held: so did the program.
      if (entry.status.endedReason === HOST_GONE) return goneWithHost();
      throw error;
    }
  }

  /** An agent runs in this terminal, and how its turn stands; undefined when it is gone. */
  agent(id: string, turn: AgentTurn | undefined): void {
    this.#agents.set(id, turn);
  }

  /** Ends the program and forgets the terminal; Unavailable while something runs in it, unless `force`. */
  async close(id: string, options: { force?: boolean }): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry?.channel) {
      await entry.channel.link.call("close", { id, force: options.force === true });
    }
    this.#forget(id);
  }

  /** A window at the desk: the program's bytes as they come. The terminal has its size until it is detached. */
  async attach(id: string, options: AttachOptions): Promise<TerminalAttachment> {
    return await this.#channelOf(id).attach(id, options);
  }

  /** Ends all hosts and all programs in them. */
  async stopAll(): Promise<void> {
    await this.#current?.catch(() => undefined);
    await Promise.all(
      [...this.#channels].map((channel) => channel.link.call("stop", {}).catch(() => undefined)), // gone is what was asked for
    );
    this.dispose();
  }

  /** Lets go of the hosts; they and their programs go on. */
  dispose(): void {
    this.#disposed = true;
    for (const channel of [...this.#channels]) channel.link.close();
    this.#channels.clear();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  async #adopt(): Promise<void> {
    const { stateDir, log } = this.#options;
    const build = await buildOf(this.#options);
    const { channels, unknown } = await findHosts(this.#options, this.#channelEvents());
    for (const channel of channels) {
      this.#take(channel);
      const { hello, terminals } = channel.link;
      if (hello.build === build) this.#current ??= Promise.resolve(channel);
      // What runs in an older host goes on there; new terminals get the newer code.
      else await channel.link.call("retire", {}).catch(() => undefined);
      log.info({ host: hello.host, build: hello.build, terminals: terminals.length }, "terminal host found");
    }
    if (unknown) return;
    const inUse = new Set([build, ...channels.map((channel) => channel.link.hello.build)]);
    await removeOldBuilds(stateDir, inUse);
  }

  #take(channel: HostChannel): void {
    this.#channels.add(channel);
    for (const status of channel.link.terminals) this.#keep(status, channel);
  }

  async #open(terminal: OpenTerminal): Promise<TerminalStatus> {
    if (this.#disposed) throw unavailable("nexusd is ending");
    const channel = await this.#host();
    const status = await channel.link.call<TerminalStatus>("open", { terminal });
    // Its first change may have come before the answer, and is newer then.
    const entry = this.#entries.get(terminal.id) ?? { status, channel };
    this.#entries.set(terminal.id, entry);
    return entry.status;
  }

  /** The agent's turn, or the program's end, whichever comes first; the shell's own wait when the agent goes. */
  async #waitForAgent(
    channel: HostChannel,
    id: string,
    { options, signal }: { options: WaitOptions; signal: AbortSignal },
  ): Promise<WaitResult> {
    const first = new AbortController();
    const either = AbortSignal.any([signal, first.signal]);
    const exit = channel.link.call<WaitResult>("wait", { id, wait: { ...options, exit: true } }, either);
    const turn = this.#agents.ended(id, options, either);
    exit.catch(() => undefined); // it lost the race
    try {
      const result = await Promise.race([turn, exit]);
      return result ?? (await channel.link.call("wait", { id, wait: options }, signal));
    } finally {
      first.abort();
    }
  }

  async #host(): Promise<HostChannel> {
    this.#current ??= this.#startHost();
    const channel = await this.#current;
    if (this.#channels.has(channel)) return channel;
    // It went this very moment.
    this.#current = this.#startHost();
    return await this.#current;
  }

  async #startHost(): Promise<HostChannel> {
    try {
      const channel = await HostChannel.connect(await startHost(this.#options), this.#channelEvents());
      this.#take(channel);
      this.#options.log.info(
        { host: channel.link.hello.host, pid: channel.link.hello.pid },
        "terminal host started",
      );
      return channel;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  #channelEvents(): HostChannelEvents {
    return {
      change: (channel, status) => {
        this.#keep(status, channel);
        for (const listener of this.#listeners.change) listener(status);
      },
      bell: (id, message) => {
        for (const listener of this.#listeners.bell) {
          listener({ id, ...(message === undefined ? {} : { message }) });
        }
      },
      closedTerminal: (_channel, terminal) => this.#forget(terminal),
      lost: (channel) => this.#lost(channel),
    };
  }

  #lost(channel: HostChannel): void {
    this.#channels.delete(channel);
    if (this.#disposed) return;
    void this.#current?.then(
      (current) => {
        if (current === channel) this.#current = undefined;
      },
      () => undefined, // a start that failed has cleared it itself
    );
    void removeSocket(channel.socket);
    const { host, pid } = channel.link.hello;
    const held = [...this.#entries.values()].filter((entry) => entry.channel === channel);
    this.#options.log.warn({ host, pid, terminals: held.length }, "terminal host gone");
    for (const entry of held) {
      entry.channel = undefined;
      if (entry.status.phase !== "ended") entry.status = endedWithHost(entry.status);
      for (const listener of this.#listeners.change) listener(entry.status);
    }
  }

  #keep(status: TerminalStatus, channel: HostChannel): void {
    const known = this.#entries.get(status.id);
    if (known) Object.assign(known, { status, channel });
    else this.#entries.set(status.id, { status, channel });
  }

  #forget(id: string): void {
    if (!this.#entries.delete(id)) return;
    this.#agents.set(id, undefined);
    for (const listener of this.#listeners.closed) listener(id);
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw unavailable(`${HOST_GONE}, close this terminal and open a new one`);
    return entry;
  }

  #channelOf(id: string): HostChannel {
    const { channel } = this.#entry(id);
    if (!channel)
      throw unavailable(`${HOST_GONE} and its screen with it, close this terminal and open a new one`);
    return channel;
  }
}

function endedWithHost(status: TerminalStatus): TerminalStatus {
  const { foreground: _gone, ...rest } = status;
  return { ...rest, phase: "ended", since: Date.now(), exit: { code: null }, endedReason: HOST_GONE };
}
