/** nexusd's end of a connection to one terminal host: calls with answers, and what the host tells by itself. */
import net from "node:net";
import { RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_LINK_WAIT_MS } from "./host/limits.js";
import {
  type ClientMessage,
  commonVersion,
  encodeData,
  encodeMessage,
  FrameReader,
  type HostError,
  type HostHello,
  type HostMessage,
} from "./host/protocol.js";
import type { TerminalStatus } from "./types.js";

export interface HostLinkEvents {
  change(status: TerminalStatus): void;
  bell(terminal: string, message?: string): void;
  closedTerminal(terminal: string): void;
  update(watch: number, update: { start: number; text: string }): void;
  data(attachment: number, bytes: Buffer): void;
  detached(attachment: number, why: string): void;
  /** Once: the host is gone, or its link broke. */
  lost(): void;
}

/** Thrown by {@link HostLink.connect} for a host that speaks no version of ours. */
export class HostVersionError extends Error {}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class HostLink {
  readonly hello: HostHello;
  /** The terminals that the host had when the link was made. */
  readonly terminals: readonly TerminalStatus[];
  readonly #socket: net.Socket;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #events: HostLinkEvents | undefined;
  #closed = false;

  /** Rejects when nobody listens there, or with {@link HostVersionError}. */
  static async connect(path: string): Promise<HostLink> {
    const socket = net.connect(path);
    const start = new Handshake(socket);
    try {
      const { hello, terminals } = await start.done;
      return new HostLink(socket, { hello, terminals, reader: start });
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private constructor(
    socket: net.Socket,
    parts: { hello: HostHello; terminals: readonly TerminalStatus[]; reader: Handshake },
  ) {
    this.#socket = socket;
    this.hello = parts.hello;
    this.terminals = parts.terminals;
    parts.reader.handOver({
      message: (message) => this.#message(message),
      data: (attachment, bytes) => this.#events?.data(attachment, bytes),
      lost: () => this.close(),
    });
  }

  /** Call at once after connecting: nothing that the host tells is kept. */
  listen(events: HostLinkEvents): void {
    this.#events = events;
    if (this.#closed) events.lost();
  }

  /** The host's answer; an RpcFailure of its making, or Unavailable when it is gone or too old for the method. */
  call<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
    if (this.#closed) return Promise.reject(unavailable("The process that held this terminal is gone"));
    const id = ++this.#lastId;
    const cancel = (): void => this.send({ type: "cancel", id });
    const answer = new Promise<unknown>((resolve, reject) => this.#calls.set(id, { resolve, reject }));
    this.send({ type: "call", id, method, params });
    signal?.addEventListener("abort", cancel, { once: true });
    return answer.finally(() => signal?.removeEventListener("abort", cancel)) as Promise<T>;
  }

  send(message: ClientMessage): void {
    if (!this.#closed) this.#socket.write(encodeMessage(message));
  }

  sendData(attachment: number, bytes: Buffer): void {
    if (!this.#closed) this.#socket.write(encodeData({ attachment, bytes }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    for (const call of this.#calls.values()) {
      call.reject(unavailable("The process that held this terminal is gone"));
    }
    this.#calls.clear();
    this.#events?.lost();
  }

  #message(message: HostMessage): void {
    switch (message.type) {
      case "result":
        this.#answer(message.id)?.resolve(message.result);
        return;
      case "error":
        this.#answer(message.id)?.reject(asFailure(message.error));
        return;
      case "change":
        this.#events?.change(message.status);
        return;
      case "bell":
        this.#events?.bell(message.terminal, message.message);
        return;
      case "closed":
        this.#events?.closedTerminal(message.terminal);
        return;
      case "update":
        this.#events?.update(message.watch, { start: message.start, text: message.text });
        return;
      case "detached":
        this.#events?.detached(message.attachment, message.why);
        return;
      case "hello":
      case "ready":
        return;
      default:
        // A host of a newer build may say more than this nexusd knows.
        message satisfies never;
    }
  }

  #answer(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}

function asFailure(error: HostError): Error {
  if (error.code === "unknown") {
    return unavailable("This terminal runs in a host of an older nexusd that cannot do this, open a new one");
  }
  return error.code === "internal" ? new Error(error.message) : new RpcFailure(error.code, error.message);
}

interface Receiver {
  message(message: HostMessage): void;
  data(attachment: number, bytes: Buffer): void;
  lost(): void;
}

/** Reads the stream: up to `ready` for itself, then for whom it was handed over to. */
class Handshake {
  readonly done: Promise<{ hello: HostHello; terminals: readonly TerminalStatus[] }>;
  #receiver: Receiver | undefined;
  /** What came between `ready` and the hand-over. */
  readonly #early: HostMessage[] = [];

  constructor(socket: net.Socket) {
    let hello: HostHello | undefined;
    const { promise, resolve, reject } = deferred<{
      hello: HostHello;
      terminals: readonly TerminalStatus[];
    }>();
    this.done = promise;
    const late = setTimeout(() => reject(new Error("The terminal host does not answer")), MAX_LINK_WAIT_MS);
    void promise.finally(() => clearTimeout(late)).catch(() => undefined);
    const reader = new FrameReader<HostMessage>({
      message: (message) => {
        if (this.#receiver) this.#receiver.message(message);
        else if (message.type === "hello") hello = greet(socket, message.hello);
        else if (message.type === "ready" && hello) resolve({ hello, terminals: message.ready.terminals });
        else this.#early.push(message);
      },
      data: ({ attachment, bytes }) => this.#receiver?.data(attachment, bytes),
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        reject(error as Error);
        socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => {
      reject(new Error("The terminal host closed its link"));
      this.#receiver?.lost();
    });
  }

  handOver(receiver: Receiver): void {
    this.#receiver = receiver;
    queueMicrotask(() => {
      for (const message of this.#early.splice(0)) receiver.message(message);
    });
  }
}

function greet(socket: net.Socket, hello: HostHello): HostHello {
  const version = commonVersion(hello);
  if (version === undefined) {
    throw new HostVersionError(
      `The terminal host ${hello.host} speaks versions ${hello.oldest} to ${hello.newest}`,
    );
  }
  socket.write(encodeMessage({ type: "hello", hello: { version } }));
  return hello;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((good, bad) => {
    resolve = good;
    reject = bad;
  });
  return { promise, resolve, reject };
}
