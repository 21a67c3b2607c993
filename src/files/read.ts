/** A file as a phone shows it: the start of its text, an image made small, or that it is binary. */
import type { FileHandle } from "node:fs/promises";
import { RpcErrorCode, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_READ_BYTES, type RpcResult } from "../protocol/rpc.js";
import { fitFilesRead, imageBudget } from "./fit.js";
import { type Opened, openFile, type Roots } from "./guard.js";
import type { ImageShrinker } from "./image.js";
import { imageKind } from "./image-kind.js";
import { MAX_IMAGE_INPUT_BYTES, SNIFF_BYTES } from "./limits.js";
import { cutToUtf8, decodeText, textKind } from "./text.js";

export type FilesRead = RpcResult<"files.read">;

export interface ReadOptions {
  readonly images: Pick<ImageShrinker, "shrink">;
  readonly budgetBytes: number;
  /** Most bytes of text, in UTF-8; MAX_READ_BYTES when absent. */
  readonly maxBytes?: number;
}

/** Reads a file of the workspace; fails as the guard does, and Unavailable for an image that cannot be shown. */
export async function readFile(roots: Roots, path: string, options: ReadOptions): Promise<FilesRead> {
  const opened = await openFile(roots, path);
  try {
    const start = await readStart(opened.handle, SNIFF_BYTES);
    const kind = imageKind(start);
    if (kind === "image") return await readImage(opened, options);
    if (kind === "svg") return (await readSvg(opened, options)) ?? (await readText(opened, start, options));
    return await readText(opened, start, options);
  } finally {
    await opened.handle.close();
  }
}

/** The first bytes of a file, as many as there are; it may grow or shrink meanwhile. */
export async function readStart(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let filled = 0;
  while (filled < maxBytes) {
    const { bytesRead } = await handle.read(buffer, filled, maxBytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function readText(opened: Opened, start: Buffer, options: ReadOptions): Promise<FilesRead> {
  const { path, handle } = opened;
  const kind = textKind(start);
  if (kind === undefined) return { kind: "binary", path, size: (await handle.stat()).size };
  const maxBytes = options.maxBytes ?? MAX_READ_BYTES;
  // A UTF-16 unit pair never takes less in UTF-8 than half; one byte more tells whether there is more.
  const wanted = kind.markBytes + maxBytes * (kind.encoding === "utf-8" ? 1 : 2);
  const bytes = await readStart(handle, wanted + 1);
  const partial = bytes.length > wanted;
  const text = decodeText(bytes.subarray(kind.markBytes, wanted), kind.encoding, partial);
  const kept = cutToUtf8(text, maxBytes);
  const { size } = await handle.stat();
  const truncated = partial || kept.length < text.length;
  return fitFilesRead({ kind: "text", path, text: kept, size, truncated }, options.budgetBytes);
}

async function readImage(opened: Opened, options: ReadOptions): Promise<FilesRead> {
  const { path, handle } = opened;
  const bytes = await readStart(handle, Math.min((await handle.stat()).size, MAX_IMAGE_INPUT_BYTES) + 1);
  if (bytes.length > MAX_IMAGE_INPUT_BYTES) throw unavailable("This image is too large to be shown");
  const { mediaType, data } = await options.images.shrink(bytes, {
    maxBytes: imageBudget(path, options.budgetBytes),
  });
  const image = {
    kind: "image",
    path,
    mediaType,
    data: data.toString("base64"),
    size: bytes.length,
  } as const;
  return fitFilesRead(image, options.budgetBytes);
}

/** A drawing that cannot be drawn is still a text. */
async function readSvg(opened: Opened, options: ReadOptions): Promise<FilesRead | undefined> {
  try {
    return await readImage(opened, options);
  } catch (error) {
    if (error instanceof RpcFailure && error.code === RpcErrorCode.Unavailable) return undefined;
    throw error;
  }
}
