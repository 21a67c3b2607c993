/** What an image's first bytes say: its type and its size in pixels. Nothing is decoded here. */
import { invalidParams } from "../protocol/errors.js";
import { type ImageMediaType, MAX_ATTACHMENT_BYTES } from "../protocol/rpc.js";
import type { ViewImage } from "../protocol/view.js";

/** Makes an image small enough for a frame; works in a process of its own. */
export interface ImageShrinker {
  shrink(
    input: Buffer,
    o?: { maxBytes?: number },
  ): Promise<{ mediaType: ImageMediaType; data: Buffer; width: number; height: number }>;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Strict base64; undefined for anything that Buffer would quietly skip over. */
export function decodeBase64(text: string): Buffer | undefined {
  return BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
}

/** The type that the magic bytes tell. */
export function sniffImage(data: Buffer): ImageMediaType | undefined {
  if (data.subarray(0, 8).equals(PNG)) return "image/png";
  if (data[0] === 0xff && data[1] === 0xd8 && data[2] === 0xff) return "image/jpeg";
  const start = data.toString("latin1", 0, 12);
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** An uploaded image: base64, size and type are checked; InvalidParams says which is wrong. */
export function checkAttachment(mediaType: string, data: string): Buffer {
  const bytes = decodeBase64(data);
  if (bytes === undefined) throw invalidParams("`data` is no base64");
  if (bytes.length > MAX_ATTACHMENT_BYTES) {
    throw invalidParams(`The image is larger than ${MAX_ATTACHMENT_BYTES / 1024} KiB; make it smaller first`);
  }
  const sniffed = sniffImage(bytes);
  if (sniffed !== mediaType) {
    throw invalidParams(`The image is ${sniffed ?? "of no type that a chat takes"}, not ${mediaType}`);
  }
  return bytes;
}

/** What a page shows of an image. */
export function viewImage(mediaType: string, data: Buffer): ViewImage {
  const size = imageSize(data);
  return { mediaType, ...(size !== undefined && size.width > 0 && size.height > 0 ? size : {}) };
}

interface Size {
  width: number;
  height: number;
}

/** Pixels by the header; undefined when it says nothing. */
export function imageSize(data: Buffer): Size | undefined {
  const type = sniffImage(data);
  if (type === "image/png")
    return data.length < 24 ? undefined : pair(data.readUInt32BE(16), data.readUInt32BE(20));
  if (type === "image/gif")
    return data.length < 10 ? undefined : pair(data.readUInt16LE(6), data.readUInt16LE(8));
  if (type === "image/webp") return webpSize(data);
  return type === "image/jpeg" ? jpegSize(data) : undefined;
}

const pair = (width: number, height: number): Size => ({ width, height });

function webpSize(data: Buffer): Size | undefined {
  if (data.length < 30) return undefined;
  const form = data.toString("latin1", 12, 16);
  if (form === "VP8X") return pair(data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1);
  if (form === "VP8 ") return pair(data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
  if (form !== "VP8L") return undefined;
  const bits = data.readUInt32LE(21);
  return pair((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
}

/** Walks the segments to the frame header. */
function jpegSize(data: Buffer): Size | undefined {
  for (let at = 2; at + 9 < data.length; ) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return pair(data.readUInt16BE(at + 7), data.readUInt16BE(at + 5));
    at += 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}
