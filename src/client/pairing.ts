/** Pairs this device by an owner's link: six digits to show, then a record to keep. */
import type { Capability } from "../protocol/capabilities.js";
import { CloseCode, type DeviceKind, LINK_NOTIFICATIONS, type LinkReady } from "../protocol/link.js";
import { toBase64Url } from "../protocol/seal/encoding.js";
import { deviceIdOf, generateKeyPair } from "../protocol/seal/identity.js";
import type { KeyPair } from "../protocol/seal/noise.js";
import { type PairLink, parsePairLink, sasCode } from "../protocol/seal/pairing.js";
import type { RecordCipherFactory } from "../protocol/seal/record.js";
import { type DeviceRecord, rpcUrl } from "./device-record.js";
import { CONNECT_DEADLINE_MS } from "./limits.js";
import { openLink, type SealedLink } from "./link.js";
import { readMessage } from "./messages.js";
import type { SocketConstructor } from "./socket.js";
import type { ClientState } from "./state.js";
import { ConnectError, type TransportEnd } from "./transport.js";

export interface PairOptions {
  /** As the owner gave it: pasted, scanned, or a page's own address. */
  readonly link: string;
  /** What the owner will know this device by. */
  readonly name: string;
  readonly kind: DeviceKind;
  /** Wishes; the owner ticks what is granted. */
  readonly wants: readonly Capability[];
  readonly WebSocket: SocketConstructor;
  /** A daemon's own key; a new one when absent. */
  readonly keyPair?: KeyPair;
  readonly cipher?: RecordCipherFactory;
  readonly signal?: AbortSignal;
  readonly onState?: (state: ClientState) => void;
}

export interface Pairing {
  /** Six digits for the owner to type at the workstation. */
  readonly code: string;
  /** The record once the owner approved; rejects with a PairingError. */
  readonly approved: Promise<DeviceRecord>;
  /** Gives up; `approved` rejects. */
  cancel(): void;
}

export type PairingErrorKind =
  /** The text is no link to pair with. */
  | "bad-link"
  /** The server could not be reached. */
  | "unreachable"
  /** Used, expired, replaced or never made: the server does not say which. */
  | "refused"
  /** The owner said no, or did not answer in time. */
  | "denied"
  /** The connection ended before the owner answered. */
  | "lost";

export class PairingError extends Error {
  readonly kind: PairingErrorKind;

  constructor(kind: PairingErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PairingError";
    this.kind = kind;
  }
}

/** Resolves when the server took the offer and the owner is asked, or approved beforehand. */
export async function pairDevice(options: PairOptions): Promise<Pairing> {
  const offer = parsePairLink(options.link);
  if (offer === undefined) {
    throw new PairingError("bad-link", "This is no link to pair with; make a new one with nexusd pair");
  }
  const keyPair = options.keyPair ?? generateKeyPair();
  const attempt = new Attempt(options, { offer, keyPair });
  await attempt.open();
  return attempt;
}

class Attempt implements Pairing {
  readonly approved: Promise<DeviceRecord>;
  readonly #options: PairOptions;
  readonly #offer: PairLink;
  readonly #keyPair: KeyPair;
  #resolve: (record: DeviceRecord) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #link: SealedLink | undefined;
  #code = "";
  #over = false;
  #failure: PairingError | undefined;

  constructor(options: PairOptions, parts: { offer: PairLink; keyPair: KeyPair }) {
    this.#options = options;
    this.#offer = parts.offer;
    this.#keyPair = parts.keyPair;
    this.approved = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // whoever asks for it hears of the failure; nobody has to
    this.approved.catch(() => undefined);
  }

  get code(): string {
    return this.#code;
  }

  cancel(): void {
    this.#fail(new PairingError("lost", "The pairing was given up"));
  }

  async open(): Promise<void> {
    const { name, kind, wants, WebSocket, cipher, signal } = this.#options;
    this.#tell({ state: "connecting", reason: "connecting" });
    const { url, offerId, secret, serverKey } = this.#offer;
    try {
      this.#link = await openLink({
        url: rpcUrl(url),
        WebSocket,
        handshake: {
          serverKey,
          keyPair: this.#keyPair,
          intent: { mode: "pair", offerId, secret, payload: { name, kind, wants } },
          ...(cipher !== undefined && { cipher }),
        },
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      throw this.#fail(errorOf(error));
    }
    this.#code = sasCode(this.#link.handshakeHash);
    await this.#taken(this.#link);
  }

  /** Until the server took the offer, which it says by asking the owner or by link.ready at once. */
  #taken(link: SealedLink): Promise<void> {
    const { signal } = this.#options;
    const abort = (): void => this.cancel();
    signal?.addEventListener("abort", abort);
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => link.close({ reason: "no answer in time" }), CONNECT_DEADLINE_MS);
      link.onClose((end) => {
        clearTimeout(deadline);
        signal?.removeEventListener("abort", abort);
        reject(this.#fail(endError(end, { opened: true })));
      });
      link.onMessage((text) => {
        clearTimeout(deadline);
        resolve(); // before the message is read: an approval closes the link
        this.#receive(text);
      });
    });
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (message?.kind !== "notification") return;
    const { method, params } = message;
    if (method === "link.ready") {
      const ready = LINK_NOTIFICATIONS[method].safeParse(params).data;
      if (ready !== undefined) this.#succeed(ready);
    } else if (method === "link.pairing") {
      const state = LINK_NOTIFICATIONS[method].safeParse(params).data?.state;
      if (state === "approve")
        this.#tell({ state: "pairing", reason: "the owner is asked", code: this.#code });
      if (state === "denied")
        this.#fail(endError({ code: CloseCode.revoked, reason: "denied" }, { opened: true }));
    }
  }

  #succeed(ready: LinkReady): void {
    if (this.#over) return;
    this.#over = true;
    const { publicKey, secretKey } = this.#keyPair;
    this.#resolve({
      urls: [this.#offer.url],
      serverKey: toBase64Url(this.#offer.serverKey),
      serverName: ready.server.name,
      secretKey: toBase64Url(secretKey),
      deviceId: deviceIdOf(publicKey),
      name: ready.device.name,
    });
    this.#tell({ state: "ready", reason: "paired", ready });
    this.#link?.close();
  }

  /** The first end counts, and comes back. */
  #fail(error: PairingError): PairingError {
    if (this.#over) return this.#failure ?? error;
    this.#over = true;
    this.#failure = error;
    this.#reject(error);
    this.#tell({ state: "closed", reason: error.message });
    this.#link?.close();
    return error;
  }

  #tell(state: ClientState): void {
    this.#options.onState?.(state);
  }
}

function errorOf(error: unknown): PairingError {
  if (!(error instanceof ConnectError)) {
    return new PairingError("unreachable", "The connection could not be made", { cause: error });
  }
  return endError(error.end, { opened: false });
}

function endError(end: TransportEnd, { opened }: { opened: boolean }): PairingError {
  if (end.code === CloseCode.revoked) {
    return new PairingError("denied", "The owner did not approve this device; ask for a new link");
  }
  if (end.code === CloseCode.handshake) {
    return new PairingError("refused", "This link was used, or is over; make a new one with nexusd pair");
  }
  if (end.code === CloseCode.tooMany) {
    return new PairingError("refused", "The server refuses more attempts for now; try again in a minute");
  }
  if (opened)
    return new PairingError("lost", `The connection ended before the owner answered: ${end.reason}`);
  return new PairingError("unreachable", `The server could not be asked: ${end.reason}`);
}
