/**
 * The messages between the daemon and the process that shrinks images: a
 * header of two lengths, JSON, then bytes. Each side bounds what it takes.
 */
import type { ImageMediaType } from "../protocol/rpc.js";

export interface ShrinkRequest {
  readonly maxBytes: number;
}

/** What came of it; `bytes` follow when it is an image. */
export type ShrinkAnswer =
  | { readonly ok: true; readonly mediaType: ImageMediaType; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly why: "damaged" | "pixels" | "size" | "time" };

const HEAD_BYTES = 8;

/** Frames of one stream. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #take: (json: unknown, bytes: Buffer) => void;
  #parts: Buffer[] = [];
  #held = 0;
  #wanted = HEAD_BYTES;

  /** `maxBytes` bounds a whole frame; `push` throws for a longer one. */
  constructor(maxBytes: number, take: (json: unknown, bytes: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= this.#wanted) this.#next();
  }

  #next(): void {
    const whole = Buffer.concat(this.#parts);
    const json = whole.readUInt32LE(0);
    const bytes = whole.readUInt32LE(4);
    const end = HEAD_BYTES + json + bytes;
    if (end > this.#maxBytes) throw new Error("An image's frame is longer than allowed");
    this.#wanted = end;
    this.#parts = [whole];
    if (whole.length < end) return;
    this.#parts = [whole.subarray(end)];
    this.#held = whole.length - end;
    this.#wanted = HEAD_BYTES;
    const head = whole.toString("utf8", HEAD_BYTES, HEAD_BYTES + json);
    this.#take(JSON.parse(head), whole.subarray(HEAD_BYTES + json, end));
  }
}

/** A frame's parts, to be written one after the other: large bytes are not copied. */
export function frame(json: unknown, bytes: Buffer): readonly [head: Buffer, bytes: Buffer] {
  const text = Buffer.from(JSON.stringify(json));
  const head = Buffer.alloc(HEAD_BYTES + text.length);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(bytes.length, 4);
  text.copy(head, HEAD_BYTES);
  return [head, bytes];
}
