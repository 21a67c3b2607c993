/** Who a device is: its 25519 key pair, and the id that follows from the public key. */
import { x25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { toBase32 } from "./encoding.js";
import type { KeyPair } from "./noise.js";
import { KEY_BYTES } from "./symmetric.js";

/** 130 bits of the hash: nobody finds a second key with the same id. */
const DEVICE_ID_CHARS = 26;

/** 2^255 - 19 as its bytes from the highest down: 7f, thirty ff, ed. */
const FIELD_LOW_BYTE = 0xed;

export function generateKeyPair(): KeyPair {
  return x25519.keygen();
}

/** The pair of a saved secret key; throws unless it has 32 bytes. */
export function keyPairOf(secretKey: Uint8Array): KeyPair {
  return { secretKey, publicKey: x25519.getPublicKey(secretKey) };
}

/** Always computed from the key that a handshake proved, never taken from a payload. */
export function deviceIdOf(publicKey: Uint8Array): string {
  const hash = sha256(concatBytes(utf8ToBytes("nexus device 1"), publicKey));
  return toBase32(hash).slice(0, DEVICE_ID_CHARS);
}

/** Whether a static key may be stored or spoken to: 32 bytes, in its one spelling, and not of low order. */
export function isUsablePublicKey(key: Uint8Array): boolean {
  if (key.length !== KEY_BYTES || !isCanonical(key)) return false;
  try {
    x25519.getSharedSecret(new Uint8Array(KEY_BYTES).fill(1), key);
    return true;
  } catch {
    return false; // noble throws when the product is zero, whatever the secret key
  }
}

/** Below 2^255 - 19: X25519 takes the others too, and one device would have two ids. */
function isCanonical(key: Uint8Array): boolean {
  const [low, ...others] = key;
  const top = others.pop();
  if (low === undefined || top === undefined || top > 0x7f) return false;
  return top < 0x7f || low < FIELD_LOW_BYTE || others.some((byte) => byte !== 0xff);
}
