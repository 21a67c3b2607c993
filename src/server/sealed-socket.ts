/**
 * One WebSocket of the sealed link: the handshake, then records both ways. It
 * carries a Connection once the other side proved a key that is known; until
 * then it says nothing but the handshake's own messages.
 */
import type { WebSocket } from "ws";
import { MAX_UNAUTHENTICATED_BYTES } from "../protocol/limits.js";
import { CLOSE_REASONS, CloseCode } from "../protocol/link.js";
import {
  type ProvenClient,
  ServerHandshake,
  type ServerHandshakeOptions,
} from "../protocol/seal/handshake.js";
import type { RecordLink } from "../protocol/seal/record.js";
import type { Carrier, Connection } from "./connection.js";
import {
  CLOSE_GRACE_MS,
  DEAD_LINK_MS,
  HANDSHAKE_MS,
  HARD_BUFFERED_BYTES,
  MAX_LINK_AGE_MS,
  MAX_LINK_RECORDS,
  MAX_PINGS_PER_SECOND,
  MAX_STALL_MS,
  PING_MS,
  SEND_FRAGMENT_BYTES,
  SOFT_BUFFERED_BYTES,
} from "./limits.js";

export interface SealedSocketDeps {
  readonly handshake: ServerHandshakeOptions;
  /** Asks for a turn at the handshake's arithmetic; undefined means not now. */
  begin(): { succeeded(): void; failed(): void } | undefined;
  /** A handshake failed that named this offer. */
  offerFailed(offerId: Uint8Array): void;
  /** The other side proved its key; the connection to serve it by, or undefined for a stranger. */
  proven(client: ProvenClient, socket: SealedSocket): Connection | undefined;
  receive(connection: Connection, message: Uint8Array): Promise<void>;
  /** Counts received bytes; how long to read nothing more, in milliseconds. */
  spend(connection: Connection, bytes: number): number;
  closed(socket: SealedSocket): void;
  monotonic(): number;
}

type State = "message 1" | "message 3" | "open" | "closed";

export class SealedSocket implements Carrier {
  readonly #ws: WebSocket;
  readonly #deps: SealedSocketDeps;
  readonly #handshake: ServerHandshake;
  readonly #openedAt: number;
  readonly #deadline: NodeJS.Timeout;
  #state: State = "message 1";
  #pass: { succeeded(): void; failed(): void } | undefined;
  #records: RecordLink | undefined;
  #connection: Connection | undefined;
  #pausedBy = new Set<"rate" | "backlog">();
  #pingedAt: number;
  /** When the other side last showed life: a byte from it, or one of ours that it took. */
  #aliveAt: number;
  #progressAt: number;
  #pings = { second: 0, count: 0 };

  constructor(ws: WebSocket, deps: SealedSocketDeps) {
    this.#ws = ws;
    this.#deps = deps;
    this.#handshake = new ServerHandshake(deps.handshake);
    this.#openedAt = this.#pingedAt = this.#aliveAt = this.#progressAt = deps.monotonic();
    this.#deadline = setTimeout(() => this.refuse(CloseCode.timeout), HANDSHAKE_MS);
    ws.on("message", (data, isBinary) => this.#message(data as Buffer, isBinary));
    ws.on("ping", () => this.#ping());
    ws.on("pong", () => this.#alive());
    ws.on("error", () => undefined); // ws closes with its own code; "close" follows
    ws.on("close", () => this.#gone());
  }

  get bufferedBytes(): number {
    return this.#ws.bufferedAmount;
  }

  /** Serves another connection from now on: a device that paired. */
  serve(connection: Connection): void {
    this.#connection = connection;
  }

  /** Seals and sends; large records in fragments, so that a slow link shows its progress. */
  send(json: string): void {
    if (this.#state !== "open" || this.#records === undefined) return;
    this.#sendBytes(this.#records.seal(json));
    if (this.bufferedBytes > HARD_BUFFERED_BYTES) this.#connection?.refuse(CloseCode.tooSlow, "too slow");
    else if (this.bufferedBytes > SOFT_BUFFERED_BYTES) this.#pause("backlog");
  }

  close(code: number): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#ws.close(code, CLOSE_REASONS[code as CloseCode] ?? "");
    // A peer that does not answer the close is cut off.
    setTimeout(() => this.#ws.terminate(), CLOSE_GRACE_MS).unref();
    this.#ws.resume(); // or its close frame would never be read
  }

  /** Ends a socket that has no connection yet. */
  refuse(code: CloseCode): void {
    this.#pass?.failed();
    this.close(code);
  }

  /** Looks whether the link is still worth its place; called every few seconds. */
  check(): void {
    if (this.#state !== "open") return;
    const now = this.#deps.monotonic();
    const records = this.#records?.records ?? 0;
    if (now - this.#openedAt > MAX_LINK_AGE_MS || records >= MAX_LINK_RECORDS) {
      this.#connection?.refuse(CloseCode.goingAway, "fresh handshake due");
      return;
    }
    if (this.bufferedBytes > 0 && now - this.#progressAt > MAX_STALL_MS) {
      this.#connection?.refuse(CloseCode.tooSlow, "no progress");
      return;
    }
    const silent = now - this.#aliveAt;
    if (silent > PING_MS + DEAD_LINK_MS && this.#pausedBy.size === 0) {
      this.#ws.terminate();
      return;
    }
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      this.#ws.ping();
    }
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (this.#state === "closed") return;
    this.#alive();
    if (!isBinary) return this.#broken();
    if (this.#state === "open") return this.#record(data);
    if (data.length > MAX_UNAUTHENTICATED_BYTES) return this.#broken();
    try {
      if (this.#state === "message 1") this.#message1(data);
      else this.#message3(data);
    } catch {
      // Whatever it was, a stranger hears the same.
      const { offerId } = this.#handshake;
      if (offerId !== undefined) this.#deps.offerFailed(offerId);
      this.refuse(CloseCode.handshake);
    }
  }

  #message1(data: Buffer): void {
    this.#pass = this.#deps.begin();
    if (this.#pass === undefined) return this.refuse(CloseCode.tooMany);
    const message2 = this.#handshake.answer(data);
    this.#state = "message 3";
    this.#sendBytes(message2);
  }

  #message3(data: Buffer): void {
    const client = this.#handshake.finish(data);
    clearTimeout(this.#deadline);
    this.#records = client.records;
    this.#state = "open";
    const connection = this.#deps.proven(client, this);
    if ((this.#state as State) === "closed") return; // refused for a reason of its own
    if (connection === undefined) return this.refuse(CloseCode.handshake);
    this.#pass?.succeeded();
    this.#connection ??= connection;
  }

  #record(data: Buffer): void {
    const connection = this.#connection;
    if (connection === undefined || this.#records === undefined) return;
    let message: Uint8Array;
    try {
      message = this.#records.open(data);
    } catch {
      return connection.refuse(CloseCode.protocol, "a record did not open");
    }
    const pauseMs = this.#deps.spend(connection, data.length);
    if (pauseMs > 0) {
      this.#pause("rate");
      setTimeout(() => this.#resume("rate"), pauseMs).unref();
    }
    void this.#deps.receive(connection, message);
  }

  #broken(): void {
    if (this.#connection === undefined) this.refuse(CloseCode.protocol);
    else this.#connection.refuse(CloseCode.protocol, "protocol");
  }

  #sendBytes(bytes: Uint8Array): void {
    // Nothing waited until now: a stall is counted from here.
    if (this.bufferedBytes === 0) this.#progressAt = this.#deps.monotonic();
    for (let from = 0; from < bytes.length; from += SEND_FRAGMENT_BYTES) {
      const fin = from + SEND_FRAGMENT_BYTES >= bytes.length;
      this.#ws.send(bytes.subarray(from, from + SEND_FRAGMENT_BYTES), { binary: true, fin }, () =>
        this.#taken(),
      );
    }
  }

  /** The kernel took what was sent. */
  #taken(): void {
    this.#progressAt = this.#aliveAt = this.#deps.monotonic();
    if (this.bufferedBytes <= SOFT_BUFFERED_BYTES) this.#resume("backlog");
    this.#connection?.drained();
  }

  #alive(): void {
    this.#aliveAt = this.#deps.monotonic();
  }

  #ping(): void {
    this.#alive();
    const second = Math.floor(this.#deps.monotonic() / 1000);
    this.#pings = { second, count: this.#pings.second === second ? this.#pings.count + 1 : 1 };
    if (this.#pings.count > MAX_PINGS_PER_SECOND) this.#broken();
  }

  #pause(why: "rate" | "backlog"): void {
    this.#pausedBy.add(why);
    this.#ws.pause();
  }

  #resume(why: "rate" | "backlog"): void {
    if (!this.#pausedBy.delete(why) || this.#pausedBy.size > 0) return;
    this.#ws.resume();
  }

  #gone(): void {
    clearTimeout(this.#deadline);
    this.#state = "closed";
    this.#pass?.failed();
    this.#connection?.lost();
    this.#deps.closed(this);
  }
}
