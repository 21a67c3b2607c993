/** E13, E15: attachments that lie about what they are, and devices that fill the store. */
import { describe, expect, test } from "vitest";
import { Attachments } from "../../src/chat/attachments.js";
import { checkAttachment, imageSize, sniffImage } from "../../src/chat/images.js";
import { MAX_ATTACHMENT_BYTES } from "../../src/protocol/rpc.js";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

describe("E13: an attachment", () => {
  test.each([
    ["bad base64 that Buffer would take", "image/png", "aGk*=!!="],
    ["base64 without its padding", "image/png", PNG.toString("base64").replace(/=+$/, "")],
    ["base64 in the URL's alphabet", "image/png", "_-__"],
    ["another type than it says", "image/jpeg", PNG.toString("base64")],
    ["svg under a picture's name", "image/png", SVG.toString("base64")],
    ["a picture behind other bytes", "image/png", Buffer.concat([SVG, PNG]).toString("base64")],
    ["nothing but the first bytes of a type", "image/webp", Buffer.from("RIFF").toString("base64")],
    [
      "too many bytes",
      "image/gif",
      Buffer.concat([GIF, Buffer.alloc(MAX_ATTACHMENT_BYTES)]).toString("base64"),
    ],
  ])("that is %s is refused", (_what, mediaType, data) => {
    expect(() => checkAttachment(mediaType, data)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test("of exactly the bound is taken", () => {
    const data = Buffer.concat([GIF, Buffer.alloc(MAX_ATTACHMENT_BYTES - GIF.length)]);
    expect(checkAttachment("image/gif", data.toString("base64"))).toHaveLength(MAX_ATTACHMENT_BYTES);
  });
});

test("a picture's size is read from its header, and a cut header says nothing", () => {
  expect(imageSize(PNG)).toEqual({ width: 1, height: 1 });
  expect(imageSize(GIF)).toEqual({ width: 1, height: 1 });
  for (let length = 0; length < 24; length++) expect(imageSize(PNG.subarray(0, length))).toBeUndefined();
  for (let length = 0; length < 10; length++) expect(imageSize(GIF.subarray(0, length))).toBeUndefined();
  expect(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]))).toBeUndefined();
  expect(sniffImage(SVG)).toBeUndefined();
});

test("E15: a device holds eight images at most, all of them ten minutes at most, none once it is revoked", () => {
  let now = 0;
  const attachments = new Attachments(() => now);
  const image = { mediaType: "image/png", data: PNG.toString("base64") };
  const owner = { deviceId: "a", tabId: "t" };
  const ids = Array.from({ length: 8 }, () => attachments.add(owner, image));
  expect(() => attachments.add(owner, image)).toThrow(expect.objectContaining({ code: 1003 }));
  expect(attachments.add({ ...owner, deviceId: "b" }, image)).toBeTruthy();
  now = 10 * 60_000;
  expect(() => attachments.find(owner, ids.slice(0, 1))).toThrow(/No such attachment/);
  const fresh = attachments.add(owner, image);
  attachments.dropDevice("a");
  expect(() => attachments.find(owner, [fresh])).toThrow(/No such attachment/);
  for (let n = 0; n < 64; n++) attachments.add({ deviceId: `d${n % 8}`, tabId: "t" }, image);
  expect(() => attachments.add({ deviceId: "ninth", tabId: "t" }, image)).toThrow(/wait for their message/);
});
