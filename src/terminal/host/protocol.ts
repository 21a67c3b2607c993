/**
 * What nexusd and its terminal hosts say to each other over a Unix socket:
 * length-prefixed frames of JSON or raw bytes. A host outlives the nexusd that
 * started it, so a newer nexusd must go on speaking every version from
 * {@link OLDEST_VERSION}; both sides ignore fields and events they do not know,
 * and a method that the host does not know is answered with `unknown`.
 */
import type { TerminalStatus } from "../types.js";
import { MAX_HOST_FRAME_BYTES } from "./limits.js";

/** The newest version this code speaks. */
export const HOST_PROTOCOL_VERSION = 1;
/** The oldest one that a nexusd of this code still speaks to a running host. */
export const OLDEST_VERSION = 1;

/** The first thing a host says. */
export interface HostHello {
  readonly host: string;
  readonly pid: number;
  /** Which build it is of: the hash in its folder's name. */
  readonly build: string;
  readonly oldest: number;
  readonly newest: number;
}

/** nexusd's answer: the version of everything after it. */
export interface ClientHello {
  readonly version: number;
}

export interface HostReady {
  readonly terminals: readonly TerminalStatus[];
}

export type HostMessage =
  | { readonly type: "hello"; readonly hello: HostHello }
  | { readonly type: "ready"; readonly ready: HostReady }
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: HostError }
  | { readonly type: "change"; readonly status: TerminalStatus }
  | { readonly type: "bell"; readonly terminal: string; readonly message?: string }
  | { readonly type: "closed"; readonly terminal: string }
  | { readonly type: "update"; readonly watch: number; readonly start: number; readonly text: string }
  | { readonly type: "detached"; readonly attachment: number; readonly why: string };

export type ClientMessage =
  | { readonly type: "hello"; readonly hello: ClientHello }
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: "cancel"; readonly id: number }
  /** The last update of this watch was taken: the next one may come. */
  | { readonly type: "ack"; readonly watch: number }
  /** Bytes of an attachment that were taken. */
  | { readonly type: "taken"; readonly attachment: number; readonly bytes: number };

/** An RpcFailure on its way, or `unknown` for a method that this host is too old for. */
export interface HostError {
  readonly code: number | "unknown" | "internal";
  readonly message: string;
}

/** An attachment's bytes: to the desk from the host, typed from nexusd. */
export interface DataFrame {
  readonly attachment: number;
  readonly bytes: Buffer;
}

/** The version that both speak, or undefined. */
export function commonVersion(host: Pick<HostHello, "oldest" | "newest">): number | undefined {
  const version = Math.min(host.newest, HOST_PROTOCOL_VERSION);
  return version >= Math.max(host.oldest, OLDEST_VERSION) ? version : undefined;
}

const HEADER_BYTES = 5;
const KIND_JSON = 0;
const KIND_DATA = 1;
const ATTACHMENT_BYTES = 4;

export function encodeMessage(message: HostMessage | ClientMessage): Buffer {
  return frame(KIND_JSON, Buffer.from(JSON.stringify(message), "utf8"));
}

export function encodeData(data: DataFrame): Buffer {
  const payload = Buffer.allocUnsafe(ATTACHMENT_BYTES + data.bytes.length);
  payload.writeUInt32BE(data.attachment, 0);
  data.bytes.copy(payload, ATTACHMENT_BYTES);
  return frame(KIND_DATA, payload);
}

function frame(kind: number, payload: Buffer): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(payload.length, 0);
  header.writeUInt8(kind, HEADER_BYTES - 1);
  return Buffer.concat([header, payload]);
}

export interface FrameEvents<M> {
  message(message: M): void;
  data(data: DataFrame): void;
}

/** Cuts a stream into frames; throws on one that is too long or of no known kind. */
export class FrameReader<M> {
  readonly #events: FrameEvents<M>;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(events: FrameEvents<M>) {
    this.#events = events;
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    for (let next = this.#next(); next; next = this.#next()) this.#deliver(next.kind, next.payload);
  }

  #next(): { kind: number; payload: Buffer } | undefined {
    const first = this.#parts[0];
    if (!first || this.#bytes < HEADER_BYTES) return undefined;
    const head = first.length >= HEADER_BYTES ? first : this.#join();
    const length = head.readUInt32BE(0);
    if (length > MAX_HOST_FRAME_BYTES) throw new Error(`A frame of ${length} bytes is too long`);
    if (this.#bytes < HEADER_BYTES + length) return undefined;
    const all = this.#join();
    const end = HEADER_BYTES + length;
    this.#parts = all.length > end ? [all.subarray(end)] : [];
    this.#bytes -= end;
    return { kind: all.readUInt8(HEADER_BYTES - 1), payload: all.subarray(HEADER_BYTES, end) };
  }

  /** Joined once per frame that came in several parts, so a long one costs no more than its length. */
  #join(): Buffer {
    const [only] = this.#parts;
    const joined = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    this.#parts = [joined];
    return joined;
  }

  #deliver(kind: number, payload: Buffer): void {
    if (kind === KIND_JSON) {
      this.#events.message(JSON.parse(payload.toString("utf8")) as M);
    } else if (kind === KIND_DATA && payload.length >= ATTACHMENT_BYTES) {
      this.#events.data({
        attachment: payload.readUInt32BE(0),
        bytes: payload.subarray(ATTACHMENT_BYTES),
      });
    } else {
      throw new Error(`A frame of kind ${kind} is unknown`);
    }
  }
}
