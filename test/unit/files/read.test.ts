import fc from "fast-check";
import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { fitFilesRead } from "../../../src/files/fit.js";
import { imageKind } from "../../../src/files/image-kind.js";
import { type FilesRead, readFile } from "../../../src/files/read.js";
import { MAX_ATTACHMENT_BYTES, MAX_READ_BYTES } from "../../../src/protocol/rpc.js";
import { imageShrinker } from "../../support/image-child.js";
import { BUDGET_BYTES, rootsOf, tempFolder, write } from "../../support/repo.js";

async function readOf(
  content: string | Buffer,
  options: { maxBytes?: number; budgetBytes?: number; name?: string } = {},
): Promise<FilesRead> {
  const folder = tempFolder();
  const name = options.name ?? "file";
  write(folder, { [name]: content });
  return await readFile(rootsOf(folder), name, {
    images: await imageShrinker(),
    budgetBytes: options.budgetBytes ?? BUDGET_BYTES,
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
  });
}

describe("files.read of text", () => {
  test("gives a small file whole, an empty one as empty text", async () => {
    expect(await readOf("hello\r\n")).toMatchObject({
      kind: "text",
      text: "hello\r\n",
      size: 7,
      truncated: false,
    });
    expect(await readOf("")).toMatchObject({ kind: "text", text: "", size: 0, truncated: false });
  });

  test("cuts at a character, not in it, and says so", async () => {
    expect(await readOf("aé漢🧪z", { maxBytes: 9 })).toMatchObject({
      text: "aé漢",
      size: 11,
      truncated: true,
    });
    expect(await readOf("aé漢🧪z", { maxBytes: 11 })).toMatchObject({ text: "aé漢🧪z", truncated: false });
    expect(await readOf("ab", { maxBytes: 1 })).toMatchObject({ text: "a", truncated: true });
  });

  test("gives at most 512 KiB of a large file", async () => {
    const answer = await readOf("x".repeat(MAX_READ_BYTES + 1));
    expect(answer).toMatchObject({ kind: "text", truncated: true, size: MAX_READ_BYTES + 1 });
    expect(answer.kind === "text" && answer.text.length).toBe(MAX_READ_BYTES);
  });

  test("understands byte order marks, which are no part of the text", async () => {
    expect(await readOf(Buffer.from("\ufeffutf-8 é"))).toMatchObject({ text: "utf-8 é", truncated: false });
    const wide = Buffer.from("\ufeffutf-16 é🧪", "utf16le");
    expect(await readOf(wide)).toMatchObject({
      kind: "text",
      text: "utf-16 é🧪",
      size: wide.length,
      truncated: false,
    });
    expect(await readOf(Buffer.from(wide).swap16())).toMatchObject({ text: "utf-16 é🧪" });
    expect(await readOf(Buffer.from(`\ufeff${"漢".repeat(10)}`, "utf16le"), { maxBytes: 6 })).toMatchObject({
      text: "漢漢",
      truncated: true,
    });
  });

  test("says of a binary file only that it is one", async () => {
    expect(await readOf(Buffer.from("\x7fELF\0\0", "latin1"))).toMatchObject({ kind: "binary", size: 6 });
  });

  test("is cut by what its JSON takes, whatever the bytes", async () => {
    for (const unit of ["\u0001", '"', "\u001b[31mx", "\xff"]) {
      const content = Buffer.from(unit.repeat(Math.ceil(MAX_READ_BYTES / unit.length)), "latin1");
      const answer = await readOf(content);
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(BUDGET_BYTES);
      if (answer.kind === "text") expect(answer.truncated).toBe(true);
    }
  });

  test("fits any budget and tells the truth about being cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 5000 }),
        fc.integer({ min: 400, max: 8000 }),
        fc.boolean(),
        (text, budget, truncated) => {
          const fitted = fitFilesRead({ kind: "text", path: "/p/ä", text, size: 9, truncated }, budget);
          expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(budget);
          expect(fitted.kind === "text" && fitted.truncated).toBe(
            truncated || (fitted.kind === "text" && fitted.text !== text),
          );
        },
      ),
    );
  });
});

const noise = (side: number, channels: 3 | 4 = 3): Sharp =>
  sharp({
    create: {
      width: side,
      height: side,
      channels,
      background: "#888",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  });

describe("files.read of images", () => {
  test.each(["png", "jpeg", "gif", "webp", "avif", "tiff"] as const)("shows %s", async (format) => {
    const input = await sharp({ create: { width: 60, height: 40, channels: 3, background: "#3366cc" } })
      .toFormat(format)
      .toBuffer();
    const answer = await readOf(input, { name: `image.${format}` });
    if (answer.kind !== "image") expect.fail(answer.kind);
    expect(answer.size).toBe(input.length);
    const shown = await sharp(Buffer.from(answer.data, "base64")).metadata();
    expect(`image/${shown.format}`).toBe(answer.mediaType);
    expect([shown.width, shown.height]).toEqual([60, 40]);
  });

  test("shows an svg drawn, and one that cannot be drawn as its text", async () => {
    const svg =
      '<?xml version="1.0"?>\n<!-- a > b -->\n<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>';
    expect(await readOf(svg)).toMatchObject({ kind: "image", mediaType: "image/png" });
    const broken = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect</svg>';
    expect(await readOf(broken)).toMatchObject({ kind: "text", text: broken });
    expect(await readOf("a text that says <svg> somewhere")).toMatchObject({ kind: "text" });
  });

  test("turns a photo upright and takes all metadata away", async () => {
    const input = await sharp({ create: { width: 80, height: 40, channels: 3, background: "red" } })
      .withExif({ IFD0: { Copyright: "secret-owner" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const answer = await readOf(input);
    if (answer.kind !== "image") expect.fail(answer.kind);
    const data = Buffer.from(answer.data, "base64");
    const shown = await sharp(data).metadata();
    expect([shown.width, shown.height]).toEqual([40, 80]);
    expect(shown.exif).toBeUndefined();
    expect(shown.orientation).toBeUndefined();
    expect(data.includes("secret-owner")).toBe(false);
  });

  test("makes what is large small enough for a frame, with or without an opaque ground", {
    timeout: 60_000,
  }, async () => {
    for (const image of [noise(2200).jpeg({ quality: 95 }), noise(900, 4).png(), noise(900).tiff()]) {
      const answer = await readOf(await image.toBuffer());
      if (answer.kind !== "image") expect.fail(answer.kind);
      expect(Buffer.from(answer.data, "base64").length).toBeLessThanOrEqual(MAX_ATTACHMENT_BYTES);
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(BUDGET_BYTES);
    }
  });

  test("fits a small budget as well, and says when there is none", async () => {
    const input = await noise(600).jpeg().toBuffer();
    const answer = await readOf(input, { budgetBytes: 20_000 });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(20_000);
    await expect(readOf(input, { budgetBytes: 900 })).rejects.toThrow(/cannot be made small enough/);
  });
});

test("imageKind goes by content, never by name", () => {
  expect(imageKind(Buffer.from("GIF89a..."))).toBe("image");
  expect(imageKind(Buffer.from("<!DOCTYPE html><svg>"))).toBeUndefined();
  expect(imageKind(Buffer.from("\ufeff  <svg width='1'>"))).toBe("svg");
  expect(imageKind(Buffer.alloc(0))).toBeUndefined();
  const start = Date.now();
  imageKind(Buffer.from(`<!--${"<!--".repeat(2000)}`));
  expect(Date.now() - start).toBeLessThan(1000);
});
