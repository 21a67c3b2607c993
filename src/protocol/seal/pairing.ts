/**
 * What pairing adds to a handshake: the link that carries an offer, the secret
 * made from it, and the six digits by which the owner knows the device.
 */
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { LINK_MODE, PAIR_MODE } from "../link.js";
import { fromBase64Url, toBase64Url } from "./encoding.js";
import { isUsablePublicKey } from "./identity.js";
import { KEY_BYTES } from "./symmetric.js";

export const OFFER_ID_BYTES = 16;
export const OFFER_SECRET_BYTES = 16;

const FRAGMENT = /^#pair=1\.([^.]+)\.([^.]+)\.([^.]+)$/;

/** An offer to pair, as the owner's link says it. */
export interface PairLink {
  /** Where the server's page is, with a slash at its end. */
  readonly url: string;
  readonly offerId: Uint8Array;
  readonly serverKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** What both sides feed into a handshake before its first message: a changed mode, offer or key fails it. */
export function prologueOf(handshake: {
  readonly mode: typeof LINK_MODE | typeof PAIR_MODE;
  /** Zeros in link mode. */
  readonly offerId: Uint8Array;
  readonly serverKey: Uint8Array;
}): Uint8Array {
  const { mode, offerId, serverKey } = handshake;
  return concatBytes(utf8ToBytes("nexus-remote/1\0"), Uint8Array.of(mode), offerId, serverKey);
}

/** The pre-shared key of an offer. */
export function pairingPsk(secret: Uint8Array, offerId: Uint8Array): Uint8Array {
  return hkdf(sha256, secret, offerId, utf8ToBytes("nexus pair psk 1"), KEY_BYTES);
}

/** The six digits that the device shows and the owner types; each side computes them alone. */
export function sasCode(handshakeHash: Uint8Array): string {
  const bytes = hkdf(sha256, handshakeHash, undefined, utf8ToBytes("nexus sas 1"), 32);
  const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return String(number % 1_000_000).padStart(6, "0");
}

/** The link as text. It holds the secret: for a terminal, a QR code or a pipe, never for a log or an argument. */
export function formatPairLink(link: PairLink): string {
  const parts = [link.offerId, link.serverKey, link.secret].map(toBase64Url);
  return `${new URL("./", link.url).href}#pair=1.${parts.join(".")}`;
}

/** The offer in a link that someone pasted or scanned, or undefined when it is none. */
export function parsePairLink(text: string): PairLink | undefined {
  const url = parseUrl(text.trim());
  const match = FRAGMENT.exec(url?.hash ?? "");
  if (url === undefined || match === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  const offerId = fromBase64Url(match[1] ?? "", OFFER_ID_BYTES);
  const serverKey = fromBase64Url(match[2] ?? "", KEY_BYTES);
  const secret = fromBase64Url(match[3] ?? "", OFFER_SECRET_BYTES);
  if (offerId === undefined || serverKey === undefined || secret === undefined) return undefined;
  if (!isUsablePublicKey(serverKey)) return undefined;
  return { url: new URL("./", url).href, offerId, serverKey, secret };
}

/** URL.canParse is missing in phones' browsers of before 2023. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // no URL, so no link
  }
}
