/**
 * A client written from the description of the sealed link alone: Node's own
 * crypto, the `ws` package, and nothing of src/. That it gets along with the
 * server shows that the description is enough.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomUUID,
} from "node:crypto";
import { WebSocket } from "ws";

const DEADLINE_MS = 20_000;

const PUBLIC_DER = Buffer.from("302a300506032b656e032100", "hex");
const PRIVATE_DER = Buffer.from("302e020100300506032b656e04220420", "hex");

interface Keys {
  readonly publicKey: Buffer;
  readonly secretKey: Buffer;
}

export function bareKeys(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return {
    publicKey: publicKey.export({ type: "spki", format: "der" }).subarray(PUBLIC_DER.length),
    secretKey: privateKey.export({ type: "pkcs8", format: "der" }).subarray(PRIVATE_DER.length),
  };
}

function publicOf(secretKey: Buffer): Buffer {
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, secretKey]),
    type: "pkcs8",
    format: "der",
  });
  return createPublicKey(key).export({ type: "spki", format: "der" }).subarray(PUBLIC_DER.length);
}

function dh(secretKey: Buffer, publicKey: Buffer): Buffer {
  return diffieHellman({
    privateKey: createPrivateKey({
      key: Buffer.concat([PRIVATE_DER, secretKey]),
      type: "pkcs8",
      format: "der",
    }),
    publicKey: createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), type: "spki", format: "der" }),
  });
}

const sha256 = (...parts: Buffer[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

function hkdf(salt: Buffer, ikm: Buffer, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", ikm, salt, info, bytes));
}

function nonce(counter: bigint): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(counter, 4);
  return bytes;
}

function encrypt(key: Buffer, n: bigint, aad: Buffer, plaintext: Buffer): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonce(n), { authTagLength: 16 });
  cipher.setAAD(aad, { plaintextLength: plaintext.length });
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, n: bigint, aad: Buffer, sealed: Buffer): Buffer {
  const end = sealed.length - 16;
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce(n), { authTagLength: 16 });
  decipher.setAAD(aad, { plaintextLength: end });
  decipher.setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
}

/** The initiator's half of XK or XKpsk3, line by line. */
class BareHandshake {
  readonly #own: Keys;
  readonly #server: Buffer;
  readonly #psk: Buffer | undefined;
  readonly #ephemeral = bareKeys();
  #theirs = Buffer.alloc(0);
  #ck: Buffer;
  #key = Buffer.alloc(32);
  #n = 0n;
  hash: Buffer;

  constructor(own: Keys, server: Buffer, offer: { id: Buffer; psk: Buffer } | undefined) {
    this.#own = own;
    this.#server = server;
    this.#psk = offer?.psk;
    const name = Buffer.from(`Noise_XK${offer ? "psk3" : ""}_25519_ChaChaPoly_SHA256`);
    this.hash = name.length === 32 ? name : sha256(name);
    this.#ck = this.hash;
    const mode = Buffer.from([offer ? 2 : 1]);
    this.#mixHash(
      Buffer.concat([Buffer.from("nexus-remote/1\0"), mode, offer?.id ?? Buffer.alloc(16), server]),
    );
    this.#mixHash(server);
  }

  message1(): Buffer {
    this.#mixHash(this.#ephemeral.publicKey);
    if (this.#psk) this.#mixKey(this.#ephemeral.publicKey);
    this.#mixKey(dh(this.#ephemeral.secretKey, this.#server)); // es
    return Buffer.concat([this.#ephemeral.publicKey, this.#seal(Buffer.alloc(0))]);
  }

  message2(message: Buffer): void {
    this.#theirs = Buffer.from(message.subarray(0, 32));
    this.#mixHash(this.#theirs);
    if (this.#psk) this.#mixKey(this.#theirs);
    this.#mixKey(dh(this.#ephemeral.secretKey, this.#theirs)); // ee
    const payload = decrypt(this.#key, this.#n++, this.hash, message.subarray(32));
    if (payload.length !== 0) throw new Error("message 2 has a payload");
    this.#mixHash(message.subarray(32));
  }

  message3(payload: Buffer): Buffer {
    const s = this.#seal(this.#own.publicKey);
    this.#mixKey(dh(this.#own.secretKey, this.#theirs)); // se
    if (this.#psk) {
      const mixed = hkdf(this.#ck, this.#psk, "", 96);
      this.#ck = mixed.subarray(0, 32);
      this.#mixHash(mixed.subarray(32, 64));
      this.#setKey(mixed.subarray(64));
    }
    return Buffer.concat([s, this.#seal(payload)]);
  }

  split(): [Buffer, Buffer] {
    const keys = hkdf(this.#ck, Buffer.alloc(0), "", 64);
    return [keys.subarray(0, 32), keys.subarray(32)];
  }

  #seal(plaintext: Buffer): Buffer {
    const sealed = encrypt(this.#key, this.#n++, this.hash, plaintext);
    this.#mixHash(sealed);
    return sealed;
  }

  #mixHash(data: Buffer): void {
    this.hash = sha256(this.hash, data);
  }

  #mixKey(secret: Buffer): void {
    const mixed = hkdf(this.#ck, secret, "", 64);
    this.#ck = mixed.subarray(0, 32);
    this.#setKey(mixed.subarray(32));
  }

  #setKey(key: Buffer): void {
    this.#key = Buffer.from(key);
    this.#n = 0n;
  }
}

/** One direction of records. */
class BareDirection {
  #key: Buffer;
  #n = 0n;

  constructor(key: Buffer) {
    this.#key = key;
  }

  next(): [Buffer, bigint] {
    if (this.#n === 1024n) {
      const zeros = Buffer.alloc(32);
      this.#key = encrypt(this.#key, 2n ** 64n - 1n, Buffer.alloc(0), zeros).subarray(0, 32);
      this.#n = 0n;
    }
    return [this.#key, this.#n++];
  }
}

export interface BareDevice {
  readonly url: string;
  readonly serverKey: Buffer;
  readonly keys: Keys;
}

export interface BareNotification {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what came as it likes
  readonly params: any;
}

export interface BareOptions {
  readonly name?: string;
  readonly kind?: string;
  readonly wants?: readonly string[];
  readonly secretKey?: Buffer;
  /** What else stands in the payload of message 3. */
  readonly extra?: object;
}

export class BareClient {
  /** To link again later. */
  readonly device: BareDevice;
  readonly socket: WebSocket;
  /** The digits to type at the workstation; only of a pairing. */
  readonly code: string;
  /** All that came without being asked, oldest first. */
  readonly notifications: BareNotification[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #send: BareDirection;
  readonly #receive: BareDirection;
  readonly #waiting = new Map<string | number, (message: BareAnswer) => void>();
  readonly #wake = new Set<() => void>();
  #isClosed = false;

  private constructor(parts: Opened, device: BareDevice) {
    this.device = device;
    this.socket = parts.socket;
    const sas = hkdf(Buffer.alloc(0), parts.handshake.hash, "nexus sas 1", 32).readUInt32BE(0);
    this.code = String(sas % 1_000_000).padStart(6, "0");
    const [send, receive] = parts.handshake.split();
    this.#send = new BareDirection(send);
    this.#receive = new BareDirection(receive);
    this.closed = parts.closed;
    void this.closed.then(() => {
      this.#isClosed = true;
      for (const wake of this.#wake) wake();
    });
    parts.listen((data) => this.#record(data));
  }

  /** By the owner's link; resolves when message 3 is sent. What follows shows in `notifications` or `closed`. */
  static async pair(link: string, options: BareOptions = {}): Promise<BareClient> {
    const [page = "", fragment = ""] = link.split("#pair=1.");
    const [id = "", server = "", secret = ""] = fragment.split(".");
    const offerId = Buffer.from(id, "base64url");
    const keys = options.secretKey
      ? { secretKey: options.secretKey, publicKey: publicOf(options.secretKey) }
      : bareKeys();
    const device = {
      url: `${page.replace(/^http/, "ws")}rpc`,
      serverKey: Buffer.from(server, "base64url"),
      keys,
    };
    const psk = hkdf(offerId, Buffer.from(secret, "base64url"), "nexus pair psk 1", 32);
    const { name = "bare", kind = "cli", wants = [], extra = {} } = options;
    return new BareClient(await open(device, { id: offerId, psk }, { ...extra, name, kind, wants }), device);
  }

  /** As a device that was paired before. */
  static async link(device: BareDevice): Promise<BareClient> {
    return new BareClient(await open(device, undefined, { client: "bare" }), device);
  }

  /** RFC 4648 base32, first 26 characters, of the hash of the key. */
  get deviceId(): string {
    const hash = sha256(Buffer.from("nexus device 1"), this.device.keys.publicKey);
    const bits = [...hash].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    let id = "";
    for (let i = 0; i < 26; i++) {
      id += "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(bits.slice(i * 5, i * 5 + 5), 2)];
    }
    return id;
  }

  /** The whole answer, error or not. */
  ask(method: string, params: unknown = {}, id: string | number = randomUUID()): Promise<BareAnswer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), DEADLINE_MS);
      const end = (): void => {
        clearTimeout(timer);
        this.#wake.delete(lost);
      };
      const lost = (): void => {
        end();
        if (this.#isClosed) reject(new Error(`the link closed before ${method} was answered`));
        else this.#wake.add(lost);
      };
      this.#wake.add(lost);
      this.#waiting.set(id, (answer) => {
        end();
        resolve(answer);
      });
      this.sendJson(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** The result; rejects with the error's code and message. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what came as it likes
  async call(method: string, params: unknown = {}, id?: string | number): Promise<any> {
    const answer = await this.ask(method, params, id);
    if (answer.error === undefined) return answer.result;
    throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
  }

  /** The first notification of this method that `wanted` takes, past or to come. */
  async notified(
    method: string,
    wanted: (params: BareNotification["params"]) => boolean = () => true,
  ): Promise<BareNotification["params"]> {
    const end = Date.now() + DEADLINE_MS;
    for (;;) {
      const found = this.notifications.find((note) => note.method === method && wanted(note.params));
      if (found !== undefined) return found.params;
      if (this.#isClosed) throw new Error(`the link closed before ${method} came`);
      const left = end - Date.now();
      if (left <= 0) throw new Error(`${method} did not come`);
      await this.#change(left);
    }
  }

  /** Seals any bytes as the next record. */
  seal(json: Buffer): Buffer {
    const length = json.length + 4;
    const plaintext = Buffer.alloc(Math.min(padded(length), 785_408));
    plaintext.writeUInt32BE(json.length);
    json.copy(plaintext, 4);
    const type = Buffer.from([2]);
    const [key, n] = this.#send.next();
    return Buffer.concat([type, encrypt(key, n, type, plaintext)]);
  }

  sendJson(json: string | Buffer): void {
    this.socket.send(this.seal(Buffer.from(json)));
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  #record(data: Buffer): void {
    const [key, n] = this.#receive.next();
    if (data[0] !== 2) throw new Error("a message that is no record");
    const plaintext = decrypt(key, n, Buffer.from([2]), data.subarray(1));
    const length = plaintext.readUInt32BE(0);
    const expected = Math.min(padded(length + 4), 785_408);
    if (plaintext.length !== expected || plaintext.subarray(4 + length).some((byte) => byte !== 0)) {
      throw new Error("a record is padded in another way than described");
    }
    const message = JSON.parse(plaintext.subarray(4, 4 + length).toString()) as BareAnswer & BareNotification;
    if (message.id === undefined) this.notifications.push({ method: message.method, params: message.params });
    else {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
    for (const wake of [...this.#wake]) wake();
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      this.#wake.add(wake);
    });
  }
}

export interface BareAnswer {
  readonly id?: string | number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what came as it likes
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Opened {
  readonly socket: WebSocket;
  readonly handshake: BareHandshake;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** From here on each message goes to `receive`, those that came in the meantime first. */
  listen(receive: (data: Buffer) => void): void;
}

/** Rejects with the close code when the server ends the link before message 2. */
function open(
  device: BareDevice,
  offer: { id: Buffer; psk: Buffer } | undefined,
  payload: object,
): Promise<Opened> {
  const socket = new WebSocket(device.url, "nexus.sealed.1", { perMessageDeflate: false });
  const handshake = new BareHandshake(device.keys, device.serverKey, offer);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const early: Buffer[] = [];
  let receive = (data: Buffer): void => void early.push(data);
  const listen: Opened["listen"] = (listener) => {
    receive = listener;
    for (const data of early) listener(data);
  };
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    void closed.then(({ code }) => reject(Object.assign(new Error(`closed with ${code}`), { code })));
    socket.on("open", () => {
      const head = Buffer.concat([Buffer.from([1, offer ? 2 : 1]), offer?.id ?? Buffer.alloc(16)]);
      socket.send(Buffer.concat([head, handshake.message1()]));
    });
    socket.once("message", (data: Buffer) => {
      handshake.message2(data.subarray(1));
      socket.on("message", (later: Buffer) => receive(later));
      socket.send(
        Buffer.concat([Buffer.from([1]), handshake.message3(Buffer.from(JSON.stringify(payload)))]),
      );
      resolve({ socket, handshake, closed, listen });
    });
  });
}

function padded(length: number): number {
  if (length < 256) return 256;
  let e = 0;
  while (2 ** (e + 1) <= length) e++;
  let s = 1;
  while (2 ** s <= e) s++;
  const unit = 2 ** (e - s);
  return Math.ceil(length / unit) * unit;
}
