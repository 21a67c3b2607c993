/** What the first bytes of a file say about its being an image. Nothing is decoded here. */

/** An image that only its decoder understands, or a drawing, which is text as well. */
export type ImageKind = "image" | "svg";

const ascii = (start: Buffer, at: number, text: string): boolean =>
  start.toString("latin1", at, at + text.length) === text;

/** png, jpeg, gif, webp, avif, tiff or svg; undefined for all else. */
export function imageKind(start: Buffer): ImageKind | undefined {
  if (ascii(start, 0, "\x89PNG\r\n\x1a\n") || ascii(start, 0, "\xff\xd8\xff")) return "image";
  if (ascii(start, 0, "GIF87a") || ascii(start, 0, "GIF89a")) return "image";
  if (ascii(start, 0, "RIFF") && ascii(start, 8, "WEBP")) return "image";
  if (ascii(start, 4, "ftypavif") || ascii(start, 4, "ftypavis")) return "image";
  if (ascii(start, 0, "II*\0") || ascii(start, 0, "MM\0*")) return "image";
  return SVG.test(start.toString("utf8", 0, SVG_BYTES)) ? "svg" : undefined;
}

/** A drawing's root after a prologue of comments and a document type. */
const SVG_BYTES = 4096;
const SVG =
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*(?:<!DOCTYPE\s+svg\b[^>[]*(?:\[[^\]]*\])?\s*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<svg[\s>]/;
