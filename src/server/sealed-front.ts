/**
 * The sealed link's front: takes upgraded sockets, lets known devices in, and
 * leads those that pair to the owner's approval.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Caller } from "../methods/context.js";
import type { Device, Devices } from "../policy/devices.js";
import type { Offers } from "../policy/offers.js";
import type { ByteRate, HandshakeRate } from "../policy/rate.js";
import { MAX_FRAME_BYTES, PROTOCOL_VERSION } from "../protocol/limits.js";
import { CloseCode, type LinkReady, SUBPROTOCOL } from "../protocol/link.js";
import type { ProvenClient } from "../protocol/seal/handshake.js";
import type { KeyPair } from "../protocol/seal/noise.js";
import { sasCode } from "../protocol/seal/pairing.js";
import { Connection } from "./connection.js";
import { LINK_CHECK_MS, MAX_WS_FRAGMENTS } from "./limits.js";
import type { Links } from "./links.js";
import type { Log } from "./log.js";
import { nodeCipher } from "./node-cipher.js";
import { SealedSocket } from "./sealed-socket.js";
import { WaitingRoom } from "./waiting-room.js";

export interface SealedFrontDeps {
  readonly keyPair: KeyPair;
  readonly devices: Devices;
  readonly offers: Offers;
  readonly links: Links;
  readonly handshakes: HandshakeRate;
  readonly bytes: ByteRate;
  readonly log: Log;
  /** The one proxy whose X-Forwarded-For is believed. */
  readonly trustProxy: string | undefined;
  /** What may be asked by a device, as it stands at each question. */
  callerOf(device: Device): Caller;
  receive(connection: Connection, message: Uint8Array): Promise<void>;
  /** What link.ready says of this daemon. */
  server(): LinkReady["server"];
  now(): number;
  monotonic(): number;
}

/** Where a socket comes from, as far as it is known. */
interface Origin {
  readonly address: string;
  /** A page that came over plain http. */
  readonly overHttp: boolean;
}

/** Nobody yet: may ask nothing, and is told so. */
const STRANGER: Caller = {
  kind: "device",
  deviceId: "pairing",
  name: "",
  sender: undefined,
  can: () => false,
  sees: () => false,
  onlyItsTabs: true,
  mayConsent: false,
};

export class SealedFront {
  readonly #deps: SealedFrontDeps;
  readonly #waitingRoom = new WaitingRoom();
  readonly #sockets = new Set<SealedSocket>();
  readonly #checks: NodeJS.Timeout;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_WS_FRAGMENTS,
    handleProtocols: () => SUBPROTOCOL,
  });

  constructor(deps: SealedFrontDeps) {
    this.#deps = deps;
    this.#checks = setInterval(() => {
      for (const socket of this.#sockets) socket.check();
    }, LINK_CHECK_MS);
    this.#checks.unref();
  }

  /** Takes a request that passed the Host, Origin and subprotocol checks. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, secure: boolean): void {
    const origin = this.#originOf(request, secure);
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const leave = this.#waitingRoom.enter(origin.address, () => sealed.refuse(CloseCode.tooMany));
      const sealed: SealedSocket = new SealedSocket(ws, {
        handshake: {
          keyPair: this.#deps.keyPair,
          offerSecret: (offerId) => this.#deps.offers.secretFor(offerId),
          cipher: nodeCipher,
        },
        begin: () => this.#deps.handshakes.begin(origin.address),
        offerFailed: (offerId) => this.#deps.offers.failed(offerId),
        proven: (client, from) => {
          leave();
          return this.#proven(client, from, origin);
        },
        receive: this.#deps.receive,
        spend: (connection, bytes) => this.#deps.bytes.spend(connection.caller.deviceId, bytes),
        closed: (gone) => {
          leave();
          this.#sockets.delete(gone);
        },
        monotonic: this.#deps.monotonic,
      });
      this.#sockets.add(sealed);
    });
  }

  dispose(): void {
    clearInterval(this.#checks);
    for (const socket of this.#sockets) socket.close(CloseCode.goingAway);
    this.#server.close();
  }

  #proven(client: ProvenClient, socket: SealedSocket, origin: Origin): Connection | undefined {
    if (client.mode === "pair") return this.#pair(client, socket, origin);
    const device = this.#deps.devices.byKey(client.clientKey);
    if (device === undefined) return undefined;
    return this.#link(device, socket);
  }

  /** Serves a known device from now on. */
  #link(device: Device, socket: SealedSocket): Connection | undefined {
    const { links, devices, log, now } = this.#deps;
    const connection = new Connection(this.#deps.callerOf(device), socket);
    if (!links.add(connection)) {
      socket.refuse(CloseCode.tooMany);
      return undefined;
    }
    socket.serve(connection);
    const ready: LinkReady = {
      device: { id: device.id, name: device.name },
      capabilities: device.capabilities,
      protocol: PROTOCOL_VERSION,
      server: this.#deps.server(),
      at: now(),
    };
    connection.notifyNow("link.ready", ready);
    devices.seen(device.id, now()).catch((error: unknown) => {
      log.warn({ reason: (error as Error).message }, "could not write when a device was seen");
    });
    log.info({ device: device.id, link: connection.id }, "link ready");
    connection.onClose(() => log.info({ device: device.id, link: connection.id }, "link ended"));
    return connection;
  }

  /** Spends the offer and waits for the owner; requests are Forbidden meanwhile. */
  #pair(
    client: ProvenClient & { mode: "pair" },
    socket: SealedSocket,
    origin: Origin,
  ): Connection | undefined {
    const { offers, log } = this.#deps;
    const claim = offers.claim(client.offerId, {
      key: client.clientKey,
      name: client.payload.name,
      kind: client.payload.kind,
      wants: client.payload.wants,
      overHttp: origin.overHttp,
      code: sasCode(client.handshakeHash),
    });
    if (claim === undefined) return undefined;
    const waiting = new Connection(STRANGER, socket);
    socket.serve(waiting);
    waiting.notifyNow("link.pairing", { state: "approve" });
    waiting.onClose(() => claim.withdraw());
    void claim.decision.then((decision) => {
      if (decision.approved) {
        log.info({ device: decision.device.id }, "device paired");
        if (!waiting.closed) this.#link(decision.device, socket);
      } else if (!waiting.closed) {
        waiting.notifyNow("link.pairing", { state: "denied" });
        waiting.end(CloseCode.revoked, "denied");
      }
    });
    return waiting;
  }

  #originOf(request: IncomingMessage, secure: boolean): Origin {
    const peer = request.socket.remoteAddress ?? "";
    const behindProxy = this.#deps.trustProxy !== undefined && sameAddress(peer, this.#deps.trustProxy);
    const forwarded = behindProxy ? lastOf(request.headers["x-forwarded-for"]) : undefined;
    const tlsAtProxy = behindProxy && lastOf(request.headers["x-forwarded-proto"]) === "https";
    return {
      address: forwarded ?? peer,
      overHttp: request.headers.origin !== undefined && !secure && !tlsAtProxy,
    };
  }
}

/** The entry that the proxy itself appended; those before it are the client's words. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  const last = entries.at(-1)?.trim();
  return last === "" ? undefined : last;
}

function sameAddress(a: string, b: string): boolean {
  return a.replace(/^::ffff:/i, "") === b.replace(/^::ffff:/i, "");
}
