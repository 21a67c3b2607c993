/**
 * Both sides of the link's handshake as WebSocket messages: three of them, then
 * records. Whatever goes wrong is one HandshakeError that says nothing more.
 */
import { concatBytes, randomBytes } from "@noble/hashes/utils.js";
import {
  HANDSHAKE_BYTE,
  LINK_MODE,
  type LinkPayload,
  LinkPayloadSchema,
  PAIR_MODE,
  type PairPayload,
  PairPayloadSchema,
} from "../link.js";
import { deviceIdOf, isUsablePublicKey } from "./identity.js";
import { type KeyPair, NoiseHandshake } from "./noise.js";
import { OFFER_ID_BYTES, OFFER_SECRET_BYTES, pairingPsk, prologueOf } from "./pairing.js";
import { type RecordCipherFactory, RecordLink } from "./record.js";

const NO_OFFER = new Uint8Array(OFFER_ID_BYTES);
const NO_BYTES = new Uint8Array(0);
/** The type byte, the mode and the offer's id, before Noise's own message. */
const HEAD_BYTES = 2 + OFFER_ID_BYTES;

export class HandshakeError extends Error {
  constructor(options?: ErrorOptions) {
    super("The handshake failed", options);
    this.name = "HandshakeError";
  }
}

export interface ClientHandshakeOptions {
  readonly serverKey: Uint8Array;
  readonly keyPair: KeyPair;
  /** What message 3 says: to pair with an offer, or to link as a device that is known. */
  readonly intent:
    | { readonly mode: "link"; readonly payload: LinkPayload }
    | {
        readonly mode: "pair";
        readonly payload: PairPayload;
        readonly offerId: Uint8Array;
        readonly secret: Uint8Array;
      };
  readonly cipher?: RecordCipherFactory;
}

/** The side that knows whom it calls: `start()`, then `finish()` with what came back. */
export class ClientHandshake {
  readonly #options: ClientHandshakeOptions;
  readonly #noise: NoiseHandshake;
  readonly #head: Uint8Array;

  constructor(options: ClientHandshakeOptions) {
    const { intent, serverKey } = options;
    const mode = intent.mode === "pair" ? PAIR_MODE : LINK_MODE;
    const offerId = intent.mode === "pair" ? intent.offerId : NO_OFFER;
    this.#options = options;
    this.#head = concatBytes(Uint8Array.of(HANDSHAKE_BYTE, mode), offerId);
    this.#noise = new NoiseHandshake({
      role: "initiator",
      prologue: prologueOf({ mode, offerId, serverKey }),
      keyPair: options.keyPair,
      remoteKey: serverKey,
      ...(intent.mode === "pair" && { psk: pairingPsk(intent.secret, intent.offerId) }),
    });
  }

  /** Message 1. */
  start(): Uint8Array {
    return failing(() => concatBytes(this.#head, this.#noise.writeMessage(NO_BYTES)));
  }

  /** Message 3 for a server that proved its key in message 2, and the records to go on with. */
  finish(message2: Uint8Array): { message3: Uint8Array; records: RecordLink; handshakeHash: Uint8Array } {
    return failing(() => {
      expectEmpty(this.#noise.readMessage(noiseOf(message2, 1)));
      const payload = new TextEncoder().encode(JSON.stringify(this.#options.intent.payload));
      const message3 = concatBytes(Uint8Array.of(HANDSHAKE_BYTE), this.#noise.writeMessage(payload));
      const records = new RecordLink(this.#noise.split(), this.#options.cipher);
      return { message3, records, handshakeHash: this.#noise.handshakeHash };
    });
  }
}

export interface ServerHandshakeOptions {
  readonly keyPair: KeyPair;
  /** The secret of the live offer with this id. Without one the handshake runs on and fails at message 3 like any other. */
  readonly offerSecret: (offerId: Uint8Array) => Uint8Array | undefined;
  readonly cipher?: RecordCipherFactory;
}

/** A client after message 3. Its key is proven; whether that key is known is for the caller to say. */
export type ProvenClient = {
  readonly clientKey: Uint8Array;
  /** Computed from the key. */
  readonly deviceId: string;
  readonly handshakeHash: Uint8Array;
  readonly records: RecordLink;
} & (
  | { readonly mode: "link"; readonly payload: LinkPayload }
  | { readonly mode: "pair"; readonly payload: PairPayload; readonly offerId: Uint8Array }
);

/** The side that is called: `answer()` message 1, then `finish()` with message 3. */
export class ServerHandshake {
  readonly #options: ServerHandshakeOptions;
  #noise: NoiseHandshake | undefined;
  #offerId: Uint8Array | undefined;

  constructor(options: ServerHandshakeOptions) {
    this.#options = options;
  }

  /** The offer that message 1 named, live or not; undefined in link mode. */
  get offerId(): Uint8Array | undefined {
    return this.#offerId;
  }

  /** Message 2. Throws, and so says nothing, to one that does not know this server's key. */
  answer(message1: Uint8Array): Uint8Array {
    return failing(() => {
      if (this.#noise !== undefined) throw new Error("Message 1 came before");
      const body = noiseOf(message1, HEAD_BYTES);
      const mode = message1[1];
      const offerId = message1.slice(2, HEAD_BYTES);
      if (mode !== LINK_MODE && mode !== PAIR_MODE) throw new Error("No such mode");
      if (mode === LINK_MODE && offerId.some((byte) => byte !== 0)) throw new Error("A link names no offer");
      if (mode === PAIR_MODE) this.#offerId = offerId;
      const { keyPair } = this.#options;
      this.#noise = new NoiseHandshake({
        role: "responder",
        prologue: prologueOf({ mode, offerId, serverKey: keyPair.publicKey }),
        keyPair,
        ...(mode === PAIR_MODE && { psk: this.#psk(offerId) }),
      });
      expectEmpty(this.#noise.readMessage(body));
      return concatBytes(Uint8Array.of(HANDSHAKE_BYTE), this.#noise.writeMessage(NO_BYTES));
    });
  }

  finish(message3: Uint8Array): ProvenClient {
    return failing(() => {
      const noise = this.#noise;
      if (noise === undefined) throw new Error("Message 1 is missing");
      const payload: unknown = JSON.parse(
        new TextDecoder("utf-8", { fatal: true }).decode(noise.readMessage(noiseOf(message3, 1))),
      );
      const clientKey = noise.remoteKey;
      if (clientKey === undefined || !isUsablePublicKey(clientKey)) throw new Error("No usable key");
      const proven = {
        clientKey,
        deviceId: deviceIdOf(clientKey),
        handshakeHash: noise.handshakeHash,
        records: new RecordLink(noise.split(), this.#options.cipher),
      };
      if (this.#offerId === undefined) {
        return { ...proven, mode: "link", payload: LinkPayloadSchema.parse(payload) };
      }
      return { ...proven, mode: "pair", payload: PairPayloadSchema.parse(payload), offerId: this.#offerId };
    });
  }

  #psk(offerId: Uint8Array): Uint8Array {
    // without an offer the same work is done, so the time to answer does not tell whether it lives
    return pairingPsk(this.#options.offerSecret(offerId) ?? randomBytes(OFFER_SECRET_BYTES), offerId);
  }
}

/** Noise's part of a handshake message that begins with `headBytes` of ours. */
function noiseOf(message: Uint8Array, headBytes: number): Uint8Array {
  if (message[0] !== HANDSHAKE_BYTE || message.length < headBytes) throw new Error("No handshake message");
  return message.subarray(headBytes);
}

function expectEmpty(payload: Uint8Array): void {
  if (payload.length !== 0) throw new Error("Only message 3 has a payload");
}

function failing<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new HandshakeError({ cause });
  }
}
