/** One sealed link over one WebSocket: the handshake, then a JSON message in each record. */
import { CLOSE_REASONS, CloseCode, SUBPROTOCOL } from "../protocol/link.js";
import { ClientHandshake, type ClientHandshakeOptions } from "../protocol/seal/handshake.js";
import type { RecordLink } from "../protocol/seal/record.js";
import { CONNECT_DEADLINE_MS } from "./limits.js";
import type { SocketConstructor, SocketLike } from "./socket.js";
import { ConnectError, type Transport, type TransportEnd, TransportEvents } from "./transport.js";

export interface LinkOptions {
  /** ws: or wss: */
  readonly url: string;
  readonly WebSocket: SocketConstructor;
  readonly handshake: ClientHandshakeOptions;
  readonly signal?: AbortSignal;
}

export interface SealedLink extends Transport {
  /** What the six digits of a pairing come from. */
  readonly handshakeHash: Uint8Array;
}

const PROTOCOL_END: TransportEnd = { code: CloseCode.protocol, reason: CLOSE_REASONS[CloseCode.protocol] };
const IMPOSTOR_END: TransportEnd = {
  code: CloseCode.protocol,
  reason: "whoever answered does not hold the server's key",
};
const TIMEOUT_END: TransportEnd = { reason: "no answer in time" };

/** Resolves when the handshake is done, which for the server is when link.ready or link.pairing follows. */
export function openLink(options: LinkOptions): Promise<SealedLink> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const link = new WebSocketLink(options, () => settle(() => resolve(link)));
    const deadline = setTimeout(() => link.close(TIMEOUT_END), CONNECT_DEADLINE_MS);
    const abort = (): void => link.close({ reason: "given up" });
    const settle = (act: () => void): void => {
      clearTimeout(deadline);
      options.signal?.removeEventListener("abort", abort);
      act();
    };
    options.signal?.addEventListener("abort", abort);
    link.onClose((end) => settle(() => reject(new ConnectError(end))));
  });
}

class WebSocketLink implements SealedLink {
  readonly greets = true;
  readonly #socket: SocketLike;
  readonly #handshake: ClientHandshake;
  readonly #opened: () => void;
  readonly #events = new TransportEvents();
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true });
  #records: RecordLink | undefined;
  #handshakeHash = new Uint8Array(0);

  constructor(options: LinkOptions, opened: () => void) {
    this.#handshake = new ClientHandshake(options.handshake);
    this.#opened = opened;
    this.#socket = new options.WebSocket(options.url, SUBPROTOCOL);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () =>
      this.#guarded(() => this.#socket.send(this.#handshake.start())),
    );
    this.#socket.addEventListener("message", ({ data }) => this.#guarded(() => this.#receive(data)));
    this.#socket.addEventListener("error", () => undefined); // "close" follows and says as much as there is
    this.#socket.addEventListener("close", ({ code, reason }) =>
      this.#end({ code, reason: reason || closeReason(code) }),
    );
  }

  get handshakeHash(): Uint8Array {
    return this.#handshakeHash;
  }

  send(text: string): void {
    if (this.#events.end !== undefined || this.#records === undefined) return;
    this.#socket.send(this.#records.seal(text));
  }

  onMessage(listener: (text: string) => void): void {
    this.#events.onMessage(listener);
  }

  onClose(listener: (end: TransportEnd) => void): void {
    this.#events.onClose(listener);
  }

  close(end: TransportEnd = { reason: "closed here" }): void {
    if (this.#events.end !== undefined) return;
    try {
      // browsers let a page send its own codes only
      if (end.code !== undefined && end.code >= 4000) this.#socket.close(end.code);
      else this.#socket.close();
    } catch {
      // a socket that never opened may refuse to close; it is let go all the same
    }
    this.#end(end);
  }

  #receive(data: unknown): void {
    if (this.#events.end !== undefined) return;
    if (!(data instanceof ArrayBuffer)) throw new TypeError("A sealed link has binary messages only");
    const message = new Uint8Array(data);
    if (this.#records !== undefined) {
      const text = this.#utf8.decode(this.#records.open(message));
      this.#events.message(text);
      return;
    }
    const { message3, records, handshakeHash } = this.#handshake.finish(message);
    this.#handshakeHash = handshakeHash.slice();
    this.#records = records;
    this.#socket.send(message3);
    this.#opened();
  }

  /** What cannot be read ends the link: there is no way back into step. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch {
      // the cause is the other side's bytes, which say nothing that helps
      this.close(this.#records === undefined ? IMPOSTOR_END : PROTOCOL_END);
    }
  }

  #end(end: TransportEnd): void {
    this.#records?.dispose();
    this.#events.close(end);
  }
}

function closeReason(code: number): string {
  return Object.hasOwn(CLOSE_REASONS, code) ? CLOSE_REASONS[code as CloseCode] : "the connection was lost";
}
