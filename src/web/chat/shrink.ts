/** Makes a picture small enough for a message, by the browser's own means. */
import { MAX_ATTACHMENT_BYTES } from "../../protocol/rpc.js";
import { MAX_PICTURE_PX } from "../limits.js";
import type { OutgoingPicture } from "./outbox.js";

/** Tried in turn until the result fits. */
const TRIES = [
  { scale: 1, quality: 0.88 },
  { scale: 1, quality: 0.7 },
  { scale: 0.7, quality: 0.7 },
  { scale: 0.45, quality: 0.6 },
] as const;

/** Undefined when it is no picture, or stays too big. */
export async function shrink(file: Blob): Promise<OutgoingPicture | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return undefined;
  try {
    if (file.type === "image/png" && file.size <= MAX_ATTACHMENT_BYTES && fits(bitmap)) {
      return { mediaType: "image/png", data: await base64Of(file) };
    }
    const most = Math.min(1, MAX_PICTURE_PX / Math.max(bitmap.width, bitmap.height));
    for (const { scale, quality } of TRIES) {
      const blob = await drawn(bitmap, most * scale, quality);
      if (blob !== null && blob.size <= MAX_ATTACHMENT_BYTES) {
        return { mediaType: "image/jpeg", data: await base64Of(blob) };
      }
    }
    return undefined;
  } finally {
    bitmap.close();
  }
}

function fits({ width, height }: ImageBitmap): boolean {
  return Math.max(width, height) <= MAX_PICTURE_PX;
}

function drawn(bitmap: ImageBitmap, scale: number, quality: number): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (context === null) return Promise.resolve(null);
  context.fillStyle = "#fff"; // what is clear in a PNG would be black in a JPEG
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
}

async function base64Of(blob: Blob): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
  return url.slice(url.indexOf(",") + 1);
}
