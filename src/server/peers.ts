/**
 * The other daemons that this machine's agents can send to. This daemon has one
 * key for both roles, so its device id there is its peer id, and a peer that
 * pairs here is known by the same id.
 */
import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { z } from "zod";
import { connectDevice } from "../client/device-record.js";
import { type Pairing, PairingError, pairDevice } from "../client/pairing.js";
import type { Connect } from "../client/transport.js";
import type { PeerDesk } from "../methods/owner-peers.js";
import type { Devices } from "../policy/devices.js";
import { invalidParams, notFound, unavailable } from "../protocol/errors.js";
import type { OwnedPeer } from "../protocol/owner.js";
import { MAX_WAIT_MS } from "../protocol/rpc.js";
import { fromBase64Url } from "../protocol/seal/encoding.js";
import { deviceIdOf } from "../protocol/seal/identity.js";
import type { KeyPair } from "../protocol/seal/noise.js";
import { KEY_BYTES } from "../protocol/seal/symmetric.js";
import { MAX_PEERS, PEER_PAIRING_KEEP_MS } from "./limits.js";
import { nodeCipher } from "./node-cipher.js";
import type { Kept } from "./state.js";
import { VERSION } from "./version.js";

/** It stands in command lines that agents are told to run. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const PeerSchema = z.object({
  id: z.string().regex(/^[a-z2-7]{26}$/),
  name: z.string().regex(NAME),
  serverName: z.string(),
  serverKey: z.string(),
  urls: z.array(z.string()).min(1),
  pairedAt: z.number(),
});
export type Peer = z.infer<typeof PeerSchema>;

export const PeersFileSchema = z.object({ version: z.literal(1), peers: z.array(PeerSchema).max(MAX_PEERS) });
export type PeersFile = z.infer<typeof PeersFileSchema>;
export const EMPTY_PEERS: PeersFile = { version: 1, peers: [] };

export interface PeersOptions {
  readonly kept: Kept<PeersFile>;
  readonly keyPair: KeyPair;
  /** This machine's name to the others. */
  readonly name: string;
  readonly devices: Pick<Devices, "get">;
  now(): number;
}

interface Begun {
  readonly pairing: Pairing;
  readonly done: Promise<void>;
  state: "waiting" | "paired" | "over";
  message?: string;
  peerId?: string;
}

export class Peers implements PeerDesk {
  readonly #options: PeersOptions;
  readonly #begun = new Map<string, Begun>();
  readonly #removed = new Set<(peerId: string) => void>();

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  list(): OwnedPeer[] {
    return this.#all.map((peer) => this.#owned(peer));
  }

  /** By name, id or the name it gives itself, when that is one only. */
  find(text: string): Peer | undefined {
    const exact = this.#all.find(({ name, id }) => name === text || id === text);
    const near = this.#all.filter(({ serverName }) => serverName === text);
    return exact ?? (near.length === 1 ? near[0] : undefined);
  }

  nameOf(deviceId: string): string | undefined {
    return this.#all.find(({ id }) => id === deviceId)?.name;
  }

  /** A link to a peer with this daemon's own key. */
  connect({ urls, serverKey, serverName, id }: Peer): Connect {
    const secretKey = Buffer.from(this.#options.keyPair.secretKey).toString("base64url");
    const record = { urls, serverKey, serverName, secretKey, deviceId: id, name: this.#options.name };
    return connectDevice(record, { WebSocket, client: `nexusd ${VERSION}`, cipher: nodeCipher });
  }

  /** Called with a peer's id when it is no peer any more. */
  onRemoved(listener: (peerId: string) => void): () => void {
    this.#removed.add(listener);
    return () => void this.#removed.delete(listener);
  }

  async add(link: string, name: string | undefined): Promise<{ pairingId: string; code: string }> {
    if (name !== undefined && !NAME.test(name)) {
      throw invalidParams("A peer's name has letters, digits, dots and dashes, and at most 64");
    }
    if (this.#all.length >= MAX_PEERS) throw unavailable(`${MAX_PEERS} peers are known; remove one first`);
    const pairing = await this.#pair(link);
    const pairingId = randomBytes(9).toString("base64url");
    const begun: Begun = {
      pairing,
      state: "waiting",
      done: pairing.approved.then(
        async (record) => {
          begun.peerId = await this.#paired(record, name);
          begun.state = "paired";
        },
        (error: unknown) => {
          begun.state = "over";
          begun.message = error instanceof Error ? error.message : "The pairing failed";
        },
      ),
    };
    this.#begun.set(pairingId, begun);
    const forget = setTimeout(() => this.#forget(pairingId), PEER_PAIRING_KEEP_MS);
    forget.unref();
    return { pairingId, code: pairing.code };
  }

  async added(pairingId: string, signal: AbortSignal) {
    const begun = this.#begun.get(pairingId);
    if (begun === undefined) throw notFound("pairing");
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MS);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      void begun.done.then(end);
      signal.addEventListener("abort", end, { once: true });
    });
    const peer = this.#all.find(({ id }) => id === begun.peerId);
    return {
      state: begun.state,
      ...(begun.message === undefined ? {} : { message: begun.message }),
      ...(peer === undefined ? {} : { peer: this.#owned(peer) }),
    };
  }

  async remove(text: string): Promise<void> {
    const peer = this.find(text);
    if (peer === undefined) throw notFound("peer");
    await this.#save(this.#all.filter(({ id }) => id !== peer.id));
    for (const listener of [...this.#removed]) listener(peer.id);
  }

  dispose(): void {
    for (const pairingId of [...this.#begun.keys()]) this.#forget(pairingId);
  }

  get #all(): readonly Peer[] {
    return this.#options.kept.value.peers;
  }

  #owned({ id, name, serverName, urls, pairedAt }: Peer): OwnedPeer {
    const mayReply = this.#options.devices.get(id)?.capabilities.includes("agents") ?? false;
    return { id, name, serverName, urls, pairedAt, mayReply };
  }

  async #pair(link: string): Promise<Pairing> {
    const { name, keyPair } = this.#options;
    try {
      return await pairDevice({
        link,
        name,
        kind: "daemon",
        wants: ["agents"],
        WebSocket,
        keyPair,
        cipher: nodeCipher,
      });
    } catch (error) {
      if (!(error instanceof PairingError)) throw error;
      throw error.kind === "bad-link" ? invalidParams(error.message) : unavailable(error.message, error);
    }
  }

  async #paired(
    record: { serverKey: string; serverName: string; urls: string[] },
    wanted: string | undefined,
  ): Promise<string> {
    const key = fromBase64Url(record.serverKey, KEY_BYTES);
    if (key === undefined) throw new Error("a pairing without the server's key");
    const id = deviceIdOf(key);
    const others = this.#all.filter((peer) => peer.id !== id);
    const { serverKey, serverName, urls } = record;
    const name = freeName(wanted ?? plainName(serverName), others);
    await this.#save([...others, { id, name, serverName, serverKey, urls, pairedAt: this.#options.now() }]);
    return id;
  }

  #forget(pairingId: string): void {
    const begun = this.#begun.get(pairingId);
    this.#begun.delete(pairingId);
    if (begun?.state === "waiting") begun.pairing.cancel();
  }

  #save(peers: Peer[]): Promise<void> {
    return this.#options.kept.save({ version: 1, peers });
  }
}

function plainName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 60) || "daemon";
}

function freeName(base: string, others: readonly Peer[]): string {
  let name = base;
  for (let number = 2; others.some((peer) => peer.name === name); number++) name = `${base}-${number}`;
  return name;
}
