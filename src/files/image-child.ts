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

/** What the lowest quality saves at most against the first; past it only fewer pixels help. */
const QUALITY_GAIN = 1.8;

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
  const whole = Math.max(pixels.info.width, pixels.info.height);
  const attempts = attemptsOf(metadata);
  for (let side = whole; side === whole || side >= MIN_SIDE_PX; ) {
    let size = Number.POSITIVE_INFINITY;
    for (const { encode, mediaType, lossless } of attempts) {
      // What is drawn without loss is tried at full size only: scaled, it has lost already.
      if (lossless && side < whole) continue;
      const small = sharp(pixels.data, raw).resize({ width: side, height: side, fit: "inside" });
      const { data, info } = await encode(small)
        .timeout({ seconds: IMAGE_PIPELINE_SECONDS })
        .toBuffer({ resolveWithObject: true });
      if (data.length <= maxBytes) {
        return { answer: { ok: true, mediaType, width: info.width, height: info.height }, data };
      }
      size = data.length;
      if (!lossless && size > maxBytes * QUALITY_GAIN) break;
    }
    side = Math.min(side - 1, Math.floor(side * Math.sqrt(maxBytes / size) * SCALE_MARGIN));
  }
  return refusal("size");
}

function upright(image: Sharp): Sharp {
  return image
    .autoOrient()
    .resize({ width: MAX_IMAGE_SIDE_PX, height: MAX_IMAGE_SIDE_PX, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb");
}

interface Attempt {
  readonly mediaType: ImageMediaType;
  readonly lossless: boolean;
  encode(image: Sharp): Sharp;
}

/** What to try, best first: photos as JPEG, drawings and screenshots without loss, what has no opaque ground as WebP. */
function attemptsOf(metadata: Metadata): Attempt[] {
  const drawn = ["png", "gif", "svg"].includes(metadata.format ?? "");
  const clear = metadata.hasAlpha === true || metadata.format === "svg" || metadata.format === "webp";
  const png: Attempt = { mediaType: "image/png", lossless: true, encode: (image) => image.png() };
  const lossy = QUALITIES.map((quality): Attempt => {
    return clear
      ? { mediaType: "image/webp", lossless: false, encode: (image) => image.webp({ quality, effort: 2 }) }
      : { mediaType: "image/jpeg", lossless: false, encode: (image) => image.jpeg({ quality }) };
  });
  return drawn ? [png, ...lossy] : lossy;
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
