/**
 * The process that decodes images of strangers: it holds no keys, has the
 * decoders it needs and no others, and is ended when it takes too much. It
 * answers one request after the other and ends with its input.
 */
import sharp, { type Metadata, type Sharp, type SharpOptions } from "sharp";
import type { ImageMediaType } from "../protocol/rpc.js";
import { FrameReader, frame, type ShrinkAnswer, type ShrinkRequest } from "./image-frame.js";
import {
  IMAGE_PIPELINE_SECONDS,
  MAX_IMAGE_INPUT_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_SIDE_PX,
} from "./limits.js";

const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Tiff", "Svg"];

/** The header's JSON beside the image itself. */
const MAX_HEADER_BYTES = 4096;

const INPUT: SharpOptions = {
  limitInputPixels: MAX_IMAGE_PIXELS,
  failOn: "error",
  pages: 1,
  unlimited: false,
  sequentialRead: true,
};

/** The first quality already looks like the original on a phone; the others are for what is still too large. */
const QUALITIES = [82, 72, 60] as const;

/** Scaling below the size that the last attempt suggests, so that the next one fits. */
const SCALE_MARGIN = 0.9;

/** Sides to give up at: a stamp of noise still fits by far. */
const MIN_SIDE_PX = 64;

interface Answer {
  readonly answer: ShrinkAnswer;
  readonly data: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Decodes, turns upright, makes small, and writes anew without any metadata. */
async function shrink(input: Buffer, maxBytes: number): Promise<Answer> {
  const metadata = await sharp(input, INPUT).metadata();
  if (metadata.width * metadata.height > MAX_IMAGE_PIXELS) return refusal("pixels");
  const pixels = await upright(sharp(input, INPUT))
    .raw()
    .timeout({ seconds: IMAGE_PIPELINE_SECONDS })
    .toBuffer({ resolveWithObject: true });
  const raw: SharpOptions = {
    raw: { width: pixels.info.width, height: pixels.info.height, channels: pixels.info.channels },
  };
  let side = Math.max(pixels.info.width, pixels.info.height);
  while (side >= MIN_SIDE_PX || side === Math.max(pixels.info.width, pixels.info.height)) {
    let smallest = Number.POSITIVE_INFINITY;
    for (const encode of encodings(metadata)) {
      const small = sharp(pixels.data, raw).resize({
        width: side,
        height: side,
        fit: "inside",
        withoutEnlargement: true,
      });
      const { image, mediaType } = encode(small);
      const { data, info } = await image
        .timeout({ seconds: IMAGE_PIPELINE_SECONDS })
        .toBuffer({ resolveWithObject: true });
      if (data.length <= maxBytes) {
        return { answer: { ok: true, mediaType, width: info.width, height: info.height }, data };
      }
      smallest = Math.min(smallest, data.length);
    }
    side = Math.min(side - 1, Math.floor(side * Math.sqrt(maxBytes / smallest) * SCALE_MARGIN));
  }
  return refusal("size");
}

function upright(image: Sharp): Sharp {
  return image
    .autoOrient()
    .resize({ width: MAX_IMAGE_SIDE_PX, height: MAX_IMAGE_SIDE_PX, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb");
}

type Encode = (image: Sharp) => { image: Sharp; mediaType: ImageMediaType };

/** What to try, best first: photos as JPEG, drawings and screenshots without loss, what has no opaque ground as WebP. */
function encodings(metadata: Metadata): Encode[] {
  const drawn = ["png", "gif", "svg"].includes(metadata.format ?? "");
  const lossless: Encode[] = drawn
    ? [(image) => ({ image: image.png({ compressionLevel: 6 }), mediaType: "image/png" })]
    : [];
  const clear = metadata.hasAlpha === true || metadata.format === "svg";
  return [
    ...lossless,
    ...QUALITIES.map(
      (quality): Encode =>
        (image) =>
          clear || metadata.format === "webp"
            ? { image: image.webp({ quality }), mediaType: "image/webp" }
            : { image: image.jpeg({ quality }), mediaType: "image/jpeg" },
    ),
  ];
}

function refusal(why: "damaged" | "pixels" | "size" | "time"): Answer {
  return { answer: { ok: false, why }, data: NOTHING };
}

/** libvips has no codes; its messages for the two that matter are stable. */
function reason(error: unknown): "damaged" | "pixels" | "time" {
  const { message } = error as Error;
  if (message.includes("pixel limit")) return "pixels";
  return message.includes("timeout") ? "time" : "damaged";
}

async function answer(request: ShrinkRequest, input: Buffer): Promise<void> {
  const { answer, data } = await shrink(input, request.maxBytes).catch((error: unknown) =>
    refusal(reason(error)),
  );
  for (const part of frame(answer, data)) process.stdout.write(part);
}

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: LOADERS.map((loader) => `VipsForeignLoad${loader}Buffer`) });

let last = Promise.resolve();
const reader = new FrameReader(MAX_IMAGE_INPUT_BYTES + MAX_HEADER_BYTES, (json, bytes) => {
  last = last.then(() => answer(json as ShrinkRequest, bytes));
});
process.stdin.on("data", (chunk: Buffer) => reader.push(chunk));
