/**
 * The symmetric half of a Noise handshake (revision 34, section 5.2) with
 * ChaChaPoly and SHA256: the chaining key, the running hash and the cipher key.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** Bytes of a hash, of a cipher key, and of a 25519 key, public or secret. */
export const KEY_BYTES = 32;
/** Bytes that sealing adds. */
export const TAG_BYTES = 16;

const NO_BYTES = new Uint8Array(0);

export class SymmetricState {
  #chainingKey: Uint8Array;
  #hash: Uint8Array;
  #key: Uint8Array | undefined;
  #nonce = 0;

  constructor(protocolName: string) {
    const name = utf8ToBytes(protocolName);
    this.#hash =
      name.length > KEY_BYTES ? sha256(name) : concatBytes(name, new Uint8Array(KEY_BYTES - name.length));
    this.#chainingKey = this.#hash;
  }

  /** Names everything that went through so far; equal on both sides. */
  get hash(): Uint8Array {
    return this.#hash;
  }

  mixHash(data: Uint8Array): void {
    this.#hash = sha256(concatBytes(this.#hash, data));
  }

  mixKey(secret: Uint8Array): void {
    const [chainingKey, key] = this.#derive(secret, 2);
    this.#chainingKey = chainingKey;
    this.#setKey(key);
  }

  /** For a pre-shared key, which must show in the hash too. */
  mixKeyAndHash(psk: Uint8Array): void {
    const [chainingKey, hashed, key] = this.#derive(psk, 3);
    this.#chainingKey = chainingKey;
    this.mixHash(hashed);
    this.#setKey(key);
  }

  encryptAndHash(plaintext: Uint8Array): Uint8Array {
    const sealed = this.#cipher().encrypt(plaintext);
    this.mixHash(sealed);
    return sealed;
  }

  decryptAndHash(sealed: Uint8Array): Uint8Array {
    const plaintext = this.#cipher().decrypt(sealed);
    this.mixHash(sealed);
    return plaintext;
  }

  /** The two keys that the link goes on with: the initiator's to send with, then the responder's. */
  split(): [Uint8Array, Uint8Array] {
    const [first, second] = this.#derive(NO_BYTES, 2);
    return [first, second];
  }

  #setKey(key: Uint8Array): void {
    this.#key = key;
    this.#nonce = 0;
  }

  #cipher(): ReturnType<typeof chacha20poly1305> {
    if (this.#key === undefined) throw new Error("The handshake has no key yet");
    return chacha20poly1305(this.#key, nonceOf(this.#nonce++), this.#hash);
  }

  #derive(secret: Uint8Array, outputs: 2 | 3): [Uint8Array, Uint8Array, Uint8Array] {
    const bytes = hkdf(sha256, secret, this.#chainingKey, undefined, outputs * KEY_BYTES);
    return [bytes.slice(0, 32), bytes.slice(32, 64), bytes.slice(64)];
  }
}

/** Noise's nonce for ChaChaPoly: four zero bytes, then the counter as a little-endian 64-bit number. */
export function nonceOf(counter: number | bigint): Uint8Array {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(4, BigInt(counter), true);
  return nonce;
}

/** Noise REKEY: the key that follows this one, from which it cannot be computed back. */
export function rekey(key: Uint8Array): Uint8Array {
  const nonce = nonceOf(2n ** 64n - 1n);
  return chacha20poly1305(key, nonce).encrypt(new Uint8Array(KEY_BYTES)).slice(0, KEY_BYTES);
}
