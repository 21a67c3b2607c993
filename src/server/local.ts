/**
 * The two Unix sockets: newline-delimited JSON, one message a line, into the
 * same dispatch as a sealed link's records. owner.sock is the owner's; on
 * agent.sock the first line names the tab by its token, and all that follows
 * comes from that tab's agent.
 */
import { chmodSync, existsSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import type { Caller } from "../methods/context.js";
import { MAX_MESSAGE_BYTES } from "../protocol/limits.js";
import { type Carrier, Connection } from "./connection.js";
import { HARD_BUFFERED_BYTES, MAX_LOCAL_CONNECTIONS, SOFT_BUFFERED_BYTES } from "./limits.js";
import { checkSocketPath } from "./paths.js";

const NEWLINE = 0x0a;

export interface LocalOptions {
  readonly path: string;
  /** Who speaks: at once for the owner's socket, from the first line for the agents'. */
  readonly identify: { first: Caller } | { fromLine(line: Uint8Array): Caller | Receiver | undefined };
  receive(connection: Connection, message: Uint8Array): Promise<void>;
}

/** Takes a connection's lines instead of the dispatch. */
export type Receiver = (carrier: Carrier) => { line(bytes: Uint8Array): void; close(): void };

export interface LocalServer {
  /** Ends its connections too: a client that stays would keep the daemon from ending. */
  close(): Promise<void>;
}

/** Listens with mode 0600. A socket file that nobody answers at is left over and replaced. */
export async function listenLocal(options: LocalOptions): Promise<LocalServer> {
  checkSocketPath(options.path);
  if (existsSync(options.path)) {
    if (await answers(options.path)) throw new Error(`Another daemon listens at ${options.path}`);
    rmSync(options.path, { force: true });
  }
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    new LocalConnection(socket, options);
  });
  server.maxConnections = MAX_LOCAL_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.path, resolve);
  });
  chmodSync(options.path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroySoon();
      }),
  };
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

class LocalConnection implements Carrier {
  readonly #socket: Socket;
  readonly #options: LocalOptions;
  #connection: Connection | undefined;
  #receiver: ReturnType<Receiver> | undefined;
  #partial: Buffer[] = [];
  #partialBytes = 0;

  constructor(socket: Socket, options: LocalOptions) {
    this.#socket = socket;
    this.#options = options;
    if ("first" in options.identify) this.#open(options.identify.first);
    socket.on("data", (chunk) => this.#data(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#receiver?.close();
      this.#connection?.lost();
    });
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  send(json: string): void {
    this.#socket.write(`${json}\n`, () => {
      this.#connection?.drained();
      if (this.bufferedBytes <= SOFT_BUFFERED_BYTES) this.#socket.resume();
    });
    if (this.bufferedBytes > HARD_BUFFERED_BYTES) this.#socket.destroy();
    else if (this.bufferedBytes > SOFT_BUFFERED_BYTES) this.#socket.pause();
  }

  close(): void {
    this.#socket.end();
  }

  #open(caller: Caller): void {
    this.#connection = new Connection(caller, this);
  }

  #data(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#partial.push(chunk.subarray(from, at));
      const line = this.#partial.length === 1 ? this.#partial[0] : Buffer.concat(this.#partial);
      this.#partial = [];
      this.#partialBytes = 0;
      from = at + 1;
      if (line !== undefined && line.length > 0) this.#line(line);
      if (this.#socket.destroyed) return;
    }
    if (from === chunk.length) return;
    this.#partial.push(chunk.subarray(from));
    this.#partialBytes += chunk.length - from;
    if (this.#partialBytes > MAX_MESSAGE_BYTES) this.#socket.destroy();
  }

  #line(line: Uint8Array): void {
    if (line.length > MAX_MESSAGE_BYTES) {
      this.#socket.destroy();
      return;
    }
    if (this.#connection !== undefined) {
      void this.#options.receive(this.#connection, line);
      return;
    }
    if (this.#receiver !== undefined) {
      this.#receiver.line(line);
      return;
    }
    const who = "fromLine" in this.#options.identify ? this.#options.identify.fromLine(line) : undefined;
    if (who === undefined) this.#socket.destroy();
    else if (typeof who === "function") this.#receiver = who(this);
    else this.#open(who);
  }
}
