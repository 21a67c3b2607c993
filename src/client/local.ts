/**
 * The owner's or an agent's Unix socket of this machine: one JSON message a
 * line. The only file of the client that needs Node.
 */
import { createConnection, type Socket } from "node:net";
import { MAX_MESSAGE_BYTES } from "../protocol/limits.js";
import {
  type Connect,
  ConnectError,
  type Transport,
  type TransportEnd,
  TransportEvents,
} from "./transport.js";

const NEWLINE = 0x0a;

/** Longer paths are cut silently by the system, and name another socket. */
const MAX_PATH_BYTES = 103;

export interface LocalOptions {
  readonly path: string;
  /** Goes before everything else: on the agents' socket, the line that names the tab. */
  readonly firstLine?: string;
}

/** For NexusClient: connects to a socket of this machine, which takes requests at once. */
export function connectLocal(options: LocalOptions): Connect {
  return (signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (Buffer.byteLength(options.path) > MAX_PATH_BYTES) {
        throw new ConnectError({ reason: `the socket's path is longer than ${MAX_PATH_BYTES} bytes` });
      }
      const socket = createConnection({ path: options.path, signal });
      socket.once("connect", () => {
        if (options.firstLine !== undefined) socket.write(`${options.firstLine}\n`);
        resolve(new LineTransport(socket));
      });
      socket.once("error", (cause: NodeJS.ErrnoException) =>
        reject(new ConnectError({ reason: reasonOf(cause) }, { cause })),
      );
    });
}

class LineTransport implements Transport {
  readonly greets = false;
  readonly #socket: Socket;
  readonly #events = new TransportEvents();
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true });
  #partial: Buffer[] = [];
  #partialBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#data(chunk));
    socket.on("error", () => undefined); // "close" follows
    socket.on("close", () => this.#events.close({ reason: "the daemon closed the connection" }));
  }

  send(text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${text}\n`);
  }

  onMessage(listener: (text: string) => void): void {
    this.#events.onMessage(listener);
  }

  onClose(listener: (end: TransportEnd) => void): void {
    this.#events.onClose(listener);
  }

  close(end: TransportEnd = { reason: "closed here" }): void {
    this.#events.close(end);
    this.#socket.destroy();
  }

  #data(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#line(Buffer.concat([...this.#partial, chunk.subarray(from, at)]));
      this.#partial = [];
      this.#partialBytes = 0;
      from = at + 1;
    }
    if (from === chunk.length) return;
    this.#partial.push(chunk.subarray(from));
    this.#partialBytes += chunk.length - from;
    if (this.#partialBytes > MAX_MESSAGE_BYTES)
      this.close({ reason: "the daemon sent a line that is too long" });
  }

  #line(line: Buffer): void {
    if (line.length === 0) return;
    let text: string;
    try {
      text = this.#utf8.decode(line);
    } catch {
      this.close({ reason: "the daemon sent a line that is no UTF-8" });
      return;
    }
    this.#events.message(text);
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT" || error.code === "ECONNREFUSED") return "no daemon runs on this machine";
  if (error.code === "EACCES") return "the daemon of this machine belongs to another user";
  return error.message;
}
