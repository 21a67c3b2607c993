/** One nexusd's connection to this host: its calls, its watches and its attached windows. */
import type { Socket } from "node:net";
import { RpcFailure } from "../../protocol/errors.js";
import type { ScreenWatch } from "../screen.js";
import type { OpenTerminal, TerminalInput, WaitOptions } from "../types.js";
import type { Attachment } from "./attachments.js";
import { MAX_LINK_BACKLOG_BYTES } from "./limits.js";
import {
  type ClientMessage,
  type DataFrame,
  encodeData,
  encodeMessage,
  FrameReader,
  HOST_PROTOCOL_VERSION,
  type HostError,
  type HostHello,
  type HostMessage,
  OLDEST_VERSION,
} from "./protocol.js";
import type { Registry } from "./registry.js";
import type { Size } from "./size.js";

export interface LinkOptions {
  readonly registry: Registry;
  readonly hello: Pick<HostHello, "host" | "pid" | "build">;
  /** No new terminals here: end when the last one is closed. */
  retire(): void;
  /** End everything now. */
  stop(): Promise<void>;
  failed(what: string, error: unknown): void;
  closed(link: Link): void;
  /** A terminal was closed by this link: all links are told. */
  closedTerminal(id: string): void;
}

/** Fields of a call; each handler takes those of its own. */
interface Params {
  readonly id: string;
  readonly watch: number;
  readonly attachment: number;
  readonly lines?: number;
  readonly ansi?: boolean;
  readonly force?: boolean;
  readonly input: TerminalInput;
  readonly wait: WaitOptions;
  readonly terminal: OpenTerminal;
  readonly size: Size;
}

type Handler = (params: Params, signal: AbortSignal) => unknown;

export class Link {
  readonly #socket: Socket;
  readonly #options: LinkOptions;
  readonly #calls = new Map<number, AbortController>();
  readonly #watches = new Map<number, { watch: ScreenWatch; terminal: string; taken: () => void }>();
  readonly #windows = new Map<number, { attachment: Attachment; terminal: string }>();
  readonly #handlers: Readonly<Record<string, Handler>>;
  #ready = false;
  #closed = false;

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#handlers = this.#createHandlers();
    const reader = new FrameReader<ClientMessage>({
      message: (message) => this.#message(message),
      data: (data) => this.#typed(data),
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        options.failed("a link that broke the protocol", error);
        this.close();
      }
    });
    socket.on("error", () => undefined); // its close follows
    socket.on("close", () => this.close());
    this.send({
      type: "hello",
      hello: { ...options.hello, oldest: OLDEST_VERSION, newest: HOST_PROTOCOL_VERSION },
    });
  }

  get ready(): boolean {
    return this.#ready && !this.#closed;
  }

  send(message: HostMessage): void {
    if (this.#closed) return;
    this.#socket.write(encodeMessage(message));
    if (this.#socket.writableLength > MAX_LINK_BACKLOG_BYTES) this.close();
  }

  /** The terminal is gone: what looked at it ends. */
  forget(terminal: string): void {
    for (const [id, entry] of this.#watches) {
      if (entry.terminal === terminal) this.#unwatch(id);
    }
    for (const [id, entry] of this.#windows) {
      if (entry.terminal === terminal) this.#windows.delete(id);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const call of this.#calls.values()) call.abort();
    for (const id of [...this.#watches.keys()]) this.#unwatch(id);
    for (const window of this.#windows.values()) window.attachment.detach();
    this.#windows.clear();
    this.#socket.destroy();
    this.#options.closed(this);
  }

  #message(message: ClientMessage): void {
    switch (message.type) {
      case "hello":
        this.#ready = true;
        this.send({ type: "ready", ready: { terminals: this.#options.registry.list() } });
        return;
      case "call":
        void this.#call(message.id, message.method, message.params as Params);
        return;
      case "cancel":
        this.#calls.get(message.id)?.abort();
        return;
      case "ack":
        this.#watches.get(message.watch)?.taken();
        return;
      case "taken":
        this.#windows.get(message.attachment)?.attachment.taken(message.bytes);
        return;
      default:
        // A newer nexusd may say more than this host knows.
        message satisfies never;
    }
  }

  async #call(id: number, method: string, params: Params): Promise<void> {
    const handler = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined;
    if (!handler) {
      this.send({ type: "error", id, error: { code: "unknown", message: method } });
      return;
    }
    const call = new AbortController();
    this.#calls.set(id, call);
    try {
      const result = await handler(params, call.signal);
      this.#options.registry.find(params.id)?.flushReport();
      this.send({ type: "result", id, result: result ?? {} });
    } catch (error) {
      this.send({ type: "error", id, error: this.#asError(method, error) });
    } finally {
      this.#calls.delete(id);
    }
  }

  #asError(method: string, error: unknown): HostError {
    if (error instanceof RpcFailure) return { code: error.code, message: error.message };
    this.#options.failed(`the call ${method}`, error);
    return { code: "internal", message: "The terminal host failed, its log says why" };
  }

  #createHandlers(): Readonly<Record<string, Handler>> {
    const { registry, retire, stop } = this.#options;
    return {
      open: async ({ terminal }) => (await registry.open(terminal)).status(),
      read: async ({ id, ...options }) => ({ text: await registry.get(id).read(linesOf(options)) }),
      watch: (params) => this.#watch(params),
      unwatch: ({ watch }) => this.#unwatch(watch),
      input: ({ id, input }) => registry.get(id).input(input),
      inputModes: ({ id }) => registry.get(id).inputModes(),
      wait: ({ id, wait }, signal) => registry.get(id).wait(wait, signal),
      close: async ({ id, force }) => {
        await registry.close(id, force === true);
        this.#options.closedTerminal(id);
      },
      attach: (params) => this.#attach(params),
      resize: ({ attachment, size }) => this.#windows.get(attachment)?.attachment.resize(size),
      detach: ({ attachment }) => {
        this.#windows.get(attachment)?.attachment.detach();
        this.#windows.delete(attachment);
      },
      retire: () => retire(),
      stop: () => stop(),
    };
  }

  /** The id is nexusd's choice, so that it knows the watch before the first update. */
  #watch({ id, watch: watchId, ...options }: Params): { text: string } {
    let taken: () => void = () => undefined;
    const deliver = (update: { start: number; text: string }): Promise<void> => {
      const credit = new Promise<void>((resolve) => {
        taken = resolve;
      });
      this.send({ type: "update", watch: watchId, ...update });
      return credit;
    };
    const watch = this.#options.registry.get(id).watch(linesOf(options), deliver);
    this.#watches.set(watchId, { watch, terminal: id, taken: () => taken() });
    return { text: watch.text };
  }

  #unwatch(id: number): void {
    const entry = this.#watches.get(id);
    this.#watches.delete(id);
    entry?.watch.close();
    entry?.taken();
  }

  #attach({ id, attachment, size }: Params): void {
    const window = this.#options.registry.get(id).attach(size, {
      data: (bytes) => this.#sendData({ attachment, bytes }),
      end: (why) => {
        this.#windows.delete(attachment);
        this.send({ type: "detached", attachment, why });
      },
    });
    this.#windows.set(attachment, { attachment: window, terminal: id });
  }

  #sendData(data: DataFrame): void {
    if (!this.#closed) this.#socket.write(encodeData(data));
  }

  #typed({ attachment, bytes }: DataFrame): void {
    const window = this.#windows.get(attachment);
    if (window) this.#options.registry.get(window.terminal).typeRaw(bytes);
  }
}

function linesOf({ lines, ansi }: { lines?: number; ansi?: boolean }): { lines?: number; ansi?: boolean } {
  return { ...(lines === undefined ? {} : { lines }), ...(ansi === undefined ? {} : { ansi }) };
}
