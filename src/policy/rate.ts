/** How fast someone may go: token buckets on a clock that never jumps. */
import {
  DEVICE_BURST_BYTES,
  DEVICE_BYTES_PER_SECOND,
  HANDSHAKES_PER_MINUTE,
  MAX_RATED_KEYS,
  MAX_RUNNING_HANDSHAKES,
} from "./limits.js";

/** Holds up to `capacity` tokens and gains `perSecond` of them; starts full. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #monotonic: () => number;
  #tokens: number;
  #at: number;

  constructor(options: { capacity: number; perSecond: number }, monotonic: () => number) {
    this.#capacity = options.capacity;
    this.#perMs = options.perSecond / 1000;
    this.#monotonic = monotonic;
    this.#tokens = options.capacity;
    this.#at = monotonic();
  }

  /** Takes `count` tokens if they are there. */
  take(count: number): boolean {
    this.#fill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes `count` tokens on credit; the answer is how many milliseconds until it is paid back. */
  spend(count: number): number {
    this.#fill();
    this.#tokens -= count;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  giveBack(count: number): void {
    this.#fill();
    this.#tokens = Math.min(this.#capacity, this.#tokens + count);
  }

  get full(): boolean {
    this.#fill();
    return this.#tokens >= this.#capacity;
  }

  #fill(): void {
    const now = this.#monotonic();
    this.#tokens = Math.min(this.#capacity, this.#tokens + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
  }
}

interface Address {
  readonly bucket: TokenBucket;
  running: number;
}

/** A handshake under way; tell how it went exactly once, later words count nothing. */
export interface HandshakePass {
  succeeded(): void;
  failed(): void;
}

/** Handshakes by the address that they come from: ten failures a minute, four at a time. */
export class HandshakeRate {
  readonly #monotonic: () => number;
  readonly #addresses = new Map<string, Address>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** undefined: not now (4429). */
  begin(address: string): HandshakePass | undefined {
    const place = this.#place(addressKey(address));
    if (place.running >= MAX_RUNNING_HANDSHAKES || !place.bucket.take(1)) return undefined;
    place.running++;
    let over = false;
    const end = (giveBack: number): void => {
      if (over) return;
      over = true;
      place.running--;
      place.bucket.giveBack(giveBack);
    };
    return { succeeded: () => end(1), failed: () => end(0) };
  }

  #place(key: string): Address {
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MAX_RATED_KEYS) this.#makeRoom();
    const options = { capacity: HANDSHAKES_PER_MINUTE, perSecond: HANDSHAKES_PER_MINUTE / 60 };
    const place = { bucket: new TokenBucket(options, this.#monotonic), running: 0 };
    this.#addresses.set(key, place);
    return place;
  }

  /** Forgets those that nothing is held against; without any, the one known longest that is not busy. */
  #makeRoom(): void {
    let oldest: string | undefined;
    for (const [key, { bucket, running }] of this.#addresses) {
      if (running > 0) continue;
      oldest ??= key;
      if (bucket.full) this.#addresses.delete(key);
    }
    if (oldest !== undefined && this.#addresses.size >= MAX_RATED_KEYS) this.#addresses.delete(oldest);
  }
}

/** What devices send, over all their links: 4 MiB a second with a burst of 8 MiB. */
export class ByteRate {
  readonly #monotonic: () => number;
  readonly #devices = new Map<string, TokenBucket>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Counts bytes that arrived; the answer is how long to read nothing more of this device, in milliseconds. */
  spend(deviceId: string, bytes: number): number {
    let bucket = this.#devices.get(deviceId);
    if (bucket === undefined) {
      bucket = new TokenBucket(
        { capacity: DEVICE_BURST_BYTES, perSecond: DEVICE_BYTES_PER_SECOND },
        this.#monotonic,
      );
      this.#devices.set(deviceId, bucket);
    }
    return bucket.spend(bytes);
  }

  drop(deviceId: string): void {
    this.#devices.delete(deviceId);
  }
}

/** An IPv6 host has a /64 of addresses to itself, so those count as one; a mapped IPv4 as itself. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [plain = ""] = address.split("%", 1);
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::", 2);
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
