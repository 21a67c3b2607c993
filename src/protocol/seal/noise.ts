/**
 * Noise over 25519 in the two patterns that the sealed link takes: XK for a
 * device that is known, XKpsk3 to pair. It turns payloads into handshake
 * messages and back, and knows nothing of sockets, offers or devices.
 */
import { x25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { KEY_BYTES, SymmetricState, TAG_BYTES } from "./symmetric.js";

type Token = "e" | "s" | "ee" | "es" | "se" | "psk";

/** The initiator writes the first and the third line; both patterns know the responder's static key before. */
const XK: readonly (readonly Token[])[] = [
  ["e", "es"],
  ["e", "ee"],
  ["s", "se"],
];
const XK_PSK3: typeof XK = [...XK.slice(0, 2), ["s", "se", "psk"]];

export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export interface NoiseOptions {
  readonly role: "initiator" | "responder";
  readonly prologue: Uint8Array;
  readonly keyPair: KeyPair;
  /** The responder's static key; an initiator cannot do without. */
  readonly remoteKey?: Uint8Array;
  /** 32 bytes; with them the pattern is XKpsk3. */
  readonly psk?: Uint8Array;
  /** Only to reproduce published vectors; fresh otherwise, as it must be. */
  readonly ephemeral?: KeyPair;
}

/** The two keys of a finished handshake as this side uses them. */
export interface TransportKeys {
  readonly send: Uint8Array;
  readonly receive: Uint8Array;
}

/** One handshake. A throw leaves it unusable: there is no second try on the same state. */
export class NoiseHandshake {
  readonly #options: NoiseOptions;
  readonly #lines: typeof XK;
  readonly #state: SymmetricState;
  readonly #ephemeral: KeyPair;
  #remoteKey: Uint8Array | undefined;
  #remoteEphemeral: Uint8Array | undefined;
  #line = 0;
  #sound = true;

  constructor(options: NoiseOptions) {
    this.#options = options;
    this.#lines = options.psk === undefined ? XK : XK_PSK3;
    this.#ephemeral = options.ephemeral ?? x25519.keygen();
    this.#remoteKey = options.remoteKey;
    const pattern = options.psk === undefined ? "XK" : "XKpsk3";
    this.#state = new SymmetricState(`Noise_${pattern}_25519_ChaChaPoly_SHA256`);
    this.#state.mixHash(options.prologue);
    this.#state.mixHash(options.role === "initiator" ? known(options.remoteKey) : options.keyPair.publicKey);
  }

  get done(): boolean {
    return this.#sound && this.#line === this.#lines.length;
  }

  /** Names this very handshake; once it is done both sides have the same. */
  get handshakeHash(): Uint8Array {
    return this.#state.hash;
  }

  /** The other side's static key; proven once the handshake is done. */
  get remoteKey(): Uint8Array | undefined {
    return this.#remoteKey;
  }

  writeMessage(payload: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    for (const token of this.#begin("write")) {
      if (token === "e") parts.push(this.#mixEphemeral(this.#ephemeral.publicKey));
      else if (token === "s") parts.push(this.#state.encryptAndHash(this.#options.keyPair.publicKey));
      else if (token === "psk") this.#state.mixKeyAndHash(known(this.#options.psk));
      else this.#mixSecret(token);
    }
    parts.push(this.#state.encryptAndHash(payload));
    this.#sound = true;
    return concatBytes(...parts);
  }

  /** The payload of the other side's message; throws when anything in it is not as it must be. */
  readMessage(message: Uint8Array): Uint8Array {
    let at = 0;
    const take = (bytes: number): Uint8Array => {
      at += bytes;
      if (message.length < at) throw new Error("The handshake message is too short");
      return message.slice(at - bytes, at);
    };
    for (const token of this.#begin("read")) {
      if (token === "e") this.#remoteEphemeral = this.#mixEphemeral(take(KEY_BYTES));
      else if (token === "s") this.#remoteKey = this.#state.decryptAndHash(take(KEY_BYTES + TAG_BYTES));
      else if (token === "psk") this.#state.mixKeyAndHash(known(this.#options.psk));
      else this.#mixSecret(token);
    }
    const payload = this.#state.decryptAndHash(message.subarray(at));
    this.#sound = true;
    return payload;
  }

  split(): TransportKeys {
    if (!this.done) throw new Error("The handshake is not finished");
    const [first, second] = this.#state.split();
    return this.#options.role === "initiator"
      ? { send: first, receive: second }
      : { send: second, receive: first };
  }

  /** The tokens of the next line, if it is ours to do; unsound until the line went through. */
  #begin(what: "write" | "read"): readonly Token[] {
    const writer = this.#line % 2 === 0 ? "initiator" : "responder";
    const tokens = this.#sound ? this.#lines[this.#line] : undefined;
    if (tokens === undefined || (this.#options.role === writer) !== (what === "write")) {
      throw new Error("The handshake is not at this message");
    }
    this.#sound = false;
    this.#line++;
    return tokens;
  }

  #mixEphemeral(key: Uint8Array): Uint8Array {
    this.#state.mixHash(key);
    if (this.#options.psk !== undefined) this.#state.mixKey(key);
    return key;
  }

  #mixSecret(token: "ee" | "es" | "se"): void {
    // The first letter is the initiator's key, the second the responder's.
    const [own, theirs] = this.#options.role === "initiator" ? [token[0], token[1]] : [token[1], token[0]];
    const secretKey = own === "e" ? this.#ephemeral.secretKey : this.#options.keyPair.secretKey;
    const publicKey = known(theirs === "e" ? this.#remoteEphemeral : this.#remoteKey);
    this.#state.mixKey(x25519.getSharedSecret(secretKey, publicKey)); // throws on a key of low order
  }
}

function known(key: Uint8Array | undefined): Uint8Array {
  if (key === undefined) throw new Error("The handshake lacks a key");
  return key;
}
