/** Reads the pairing link off a photo of its QR code: a live camera needs a secure context, a photo does not. */

/** Larger photos are made smaller first: a phone's full picture takes seconds. */
const SIDES_PX = [1000, 1600, 600];

/** Undefined when no code is found. */
export async function linkOfPhoto(file: Blob): Promise<string | undefined> {
  const { decodeQR } = await import("qr/decode.js");
  const picture = await createImageBitmap(file);
  try {
    for (const side of SIDES_PX) {
      const scale = Math.min(1, side / Math.max(picture.width, picture.height));
      const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      if (context === null) return undefined;
      context.drawImage(picture, 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      try {
        return decodeQR({ width, height, data });
      } catch {
        // not found at this size; the next may do
      }
    }
    return undefined;
  } finally {
    picture.close();
  }
}
