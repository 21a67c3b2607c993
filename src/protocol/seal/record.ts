/**
 * The record layer: one JSON message in one sealed record, padded so that its
 * length tells little, with a key that moves on every REKEY_RECORDS records.
 * The first record that does not open ends both directions for good.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { MAX_MESSAGE_BYTES, MAX_PLAINTEXT_BYTES, RECORD_LENGTH_BYTES } from "../limits.js";
import { RECORD_BYTE } from "../link.js";
import type { TransportKeys } from "./noise.js";
import { nonceOf, rekey, TAG_BYTES } from "./symmetric.js";

/** A key seals this many records, then it is replaced: a key that leaks opens no earlier ones. */
export const REKEY_RECORDS = 1024;

/** Short messages all look alike: a key press, an answer, a state. */
export const MIN_PLAINTEXT_BYTES = 256;

/** ChaCha20-Poly1305 under one key, with the record's type byte as associated data. */
interface RecordCipher {
  /** Ciphertext and tag. */
  seal(nonce: Uint8Array, plaintext: Uint8Array): Uint8Array;
  /** Throws when it was not sealed with this key, nonce and type. */
  open(nonce: Uint8Array, sealed: Uint8Array): Uint8Array;
}
export type RecordCipherFactory = (key: Uint8Array) => RecordCipher;

/** The associated data of every record. */
export const RECORD_AAD: Uint8Array = Uint8Array.of(RECORD_BYTE);

export const nobleCipher: RecordCipherFactory = (key) => ({
  seal: (nonce, plaintext) => chacha20poly1305(key, nonce, RECORD_AAD).encrypt(plaintext),
  open: (nonce, sealed) => chacha20poly1305(key, nonce, RECORD_AAD).decrypt(sealed),
});

/** The link cannot be used: a record did not open, or one did not before. */
export class RecordError extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = "RecordError";
  }
}

/** Both directions of a link after its handshake. */
export class RecordLink {
  #send: Direction | undefined;
  #receive: Direction | undefined;
  readonly #utf8 = new TextEncoder();
  #sealed = 0;
  #opened = 0;

  constructor(keys: TransportKeys, cipher: RecordCipherFactory = nobleCipher) {
    this.#send = new Direction(keys.send, cipher);
    this.#receive = new Direction(keys.receive, cipher);
  }

  /** Records in the direction that had more of them, for MAX_LINK_RECORDS. */
  get records(): number {
    return Math.max(this.#sealed, this.#opened);
  }

  /** The record of one JSON message; RangeError past MAX_MESSAGE_BYTES, which leaves the link as it was. */
  seal(json: string | Uint8Array): Uint8Array {
    const bytes = typeof json === "string" ? this.#utf8.encode(json) : json;
    if (bytes.length > MAX_MESSAGE_BYTES) {
      throw new RangeError(`A message takes at most ${MAX_MESSAGE_BYTES} bytes of JSON`);
    }
    if (this.#send === undefined) throw new RecordError("The link's keys are gone");
    const plaintext = new Uint8Array(
      Math.min(padme(bytes.length + RECORD_LENGTH_BYTES), MAX_PLAINTEXT_BYTES),
    );
    new DataView(plaintext.buffer).setUint32(0, bytes.length);
    plaintext.set(bytes, RECORD_LENGTH_BYTES);
    const sealed = this.#send.next((cipher, nonce) => cipher.seal(nonce, plaintext));
    this.#sealed++;
    const record = new Uint8Array(sealed.length + 1);
    record[0] = RECORD_BYTE;
    record.set(sealed, 1);
    return record;
  }

  /** The JSON bytes of the next record. Any failure forgets both keys: the link can only be closed. */
  open(record: Uint8Array): Uint8Array {
    try {
      return this.#open(record);
    } catch (cause) {
      this.dispose();
      throw cause instanceof RecordError ? cause : new RecordError("A record did not open", { cause });
    }
  }

  /** Forgets both keys. */
  dispose(): void {
    this.#send = undefined;
    this.#receive = undefined;
  }

  #open(record: Uint8Array): Uint8Array {
    if (this.#receive === undefined) throw new RecordError("The link's keys are gone");
    const length = record.length - 1 - TAG_BYTES;
    if (record[0] !== RECORD_BYTE) throw new RecordError("This is no record");
    if (length < MIN_PLAINTEXT_BYTES || length > MAX_PLAINTEXT_BYTES) {
      throw new RecordError("A record has an impossible length");
    }
    const plaintext = this.#receive.next((cipher, nonce) => cipher.open(nonce, record.subarray(1)));
    this.#opened++;
    const bytes = new DataView(plaintext.buffer, plaintext.byteOffset, plaintext.length).getUint32(0);
    if (bytes > plaintext.length - RECORD_LENGTH_BYTES)
      throw new RecordError("A record ends before its message");
    return plaintext.subarray(RECORD_LENGTH_BYTES, RECORD_LENGTH_BYTES + bytes);
  }
}

/** One direction: its key, and the number of records under it, which is the next nonce. */
class Direction {
  readonly #factory: RecordCipherFactory;
  #key: Uint8Array;
  #cipher: RecordCipher;
  #counter = 0;

  constructor(key: Uint8Array, factory: RecordCipherFactory) {
    this.#factory = factory;
    this.#key = key;
    this.#cipher = factory(key);
  }

  next(use: (cipher: RecordCipher, nonce: Uint8Array) => Uint8Array): Uint8Array {
    if (this.#counter === REKEY_RECORDS) {
      this.#key = rekey(this.#key);
      this.#cipher = this.#factory(this.#key);
      this.#counter = 0;
    }
    return use(this.#cipher, nonceOf(this.#counter++));
  }
}

/**
 * The padded length of `length` bytes: the next number whose binary form ends
 * in zeros but for its top few bits (Padmé, of the PURB paper). It adds 12 % at
 * most past MIN_PLAINTEXT_BYTES and leaves few lengths to tell apart.
 */
export function padme(length: number): number {
  if (length < MIN_PLAINTEXT_BYTES) return MIN_PLAINTEXT_BYTES;
  const exponent = Math.floor(Math.log2(length));
  const kept = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - kept);
  return Math.ceil(length / step) * step;
}
