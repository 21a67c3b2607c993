/**
 * The serving end of the sealed link for tests of the client: a real WebSocket
 * server that answers as the test says, and breaks off as the test says.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { CAPABILITIES } from "../../src/protocol/capabilities.js";
import type { RpcFailure } from "../../src/protocol/errors.js";
import { PROTOCOL_VERSION } from "../../src/protocol/limits.js";
import { SUBPROTOCOL } from "../../src/protocol/link.js";
import { HandshakeError, type ProvenClient, ServerHandshake } from "../../src/protocol/seal/handshake.js";
import { generateKeyPair } from "../../src/protocol/seal/identity.js";
import { formatPairLink } from "../../src/protocol/seal/pairing.js";

export interface ServedRequest {
  readonly id: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly link: ServedLink;
}

/** One client's link as the server has it. */
export class ServedLink {
  readonly socket: WebSocket;
  readonly client: ProvenClient;

  constructor(socket: WebSocket, client: ProvenClient) {
    this.socket = socket;
    this.client = client;
  }

  send(message: object): void {
    this.socket.send(this.client.records.seal(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  /** The first record of a link that may be used. */
  ready(options: { boot?: string; capabilities?: readonly string[] } = {}): void {
    this.notify("link.ready", {
      device: { id: this.client.deviceId, name: "test" },
      capabilities: options.capabilities ?? CAPABILITIES,
      protocol: PROTOCOL_VERSION,
      server: { name: "here", version: "0.0.0", boot: options.boot ?? "boot-1", startedAt: 1 },
      at: 2,
    });
  }
}

export interface ServerOptions {
  /** What a request is answered with; undefined: not at all. A thrown RpcFailure is the answer's error. */
  answer?: (request: ServedRequest) => unknown;
  /** After the handshake; link.ready when absent. */
  greet?: (link: ServedLink) => void;
  /** Before the handshake: true ends it here, for servers that are none. */
  intercept?: (socket: WebSocket) => boolean;
  port?: number;
  keyPair?: ReturnType<typeof generateKeyPair>;
}

const OFFER = { offerId: new Uint8Array(16).fill(7), secret: new Uint8Array(16).fill(9) };

export class SealedServer {
  readonly keyPair: ReturnType<typeof generateKeyPair>;
  /** All requests in the order in which they came. */
  readonly requests: ServedRequest[] = [];
  readonly links: ServedLink[] = [];
  /** Sockets that were opened, whatever became of them. */
  connections = 0;
  options: ServerOptions;
  readonly #server: WebSocketServer;

  private constructor(options: ServerOptions, server: WebSocketServer) {
    this.options = options;
    this.keyPair = options.keyPair ?? generateKeyPair();
    this.#server = server;
    server.on("connection", (socket) => this.#connected(socket));
  }

  static async start(options: ServerOptions = {}): Promise<SealedServer> {
    const server = new WebSocketServer({
      host: "127.0.0.1",
      port: options.port ?? 0,
      path: "/rpc",
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    });
    await once(server, "listening");
    return new SealedServer(options, server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  get pairLink(): string {
    return formatPairLink({ url: this.url, serverKey: this.keyPair.publicKey, ...OFFER });
  }

  /** The link that is open now. */
  get link(): ServedLink {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error("no link is open");
    return link;
  }

  asked(method: string): ServedRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connected(socket: WebSocket): void {
    this.connections++;
    socket.on("error", () => undefined);
    if (this.options.intercept?.(socket)) return;
    const handshake = new ServerHandshake({
      keyPair: this.keyPair,
      offerSecret: (id) => (Buffer.compare(id, OFFER.offerId) === 0 ? OFFER.secret : undefined),
    });
    let step = 0;
    let link: ServedLink | undefined;
    socket.on("message", (data: Buffer) => {
      try {
        if (link !== undefined) this.#request(link, data);
        else if (step++ === 0) socket.send(handshake.answer(data));
        else {
          link = new ServedLink(socket, handshake.finish(data));
          this.links.push(link);
          if (this.options.greet) this.options.greet(link);
          else link.ready();
        }
      } catch (error) {
        if (!(error instanceof HandshakeError)) throw error;
        socket.close(4401, "handshake failed");
      }
    });
  }

  #request(link: ServedLink, data: Buffer): void {
    const message = JSON.parse(Buffer.from(link.client.records.open(data)).toString()) as ServedRequest;
    const request = { id: message.id, method: message.method, params: message.params, link };
    this.requests.push(request);
    let result: unknown;
    try {
      result = this.options.answer?.(request);
    } catch (error) {
      const { code, message, data } = error as RpcFailure;
      link.send({ id: request.id, error: { code, message, data } });
      return;
    }
    if (result !== undefined) link.send({ id: request.id, result });
  }
}
