import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutToUtf8, decodeText, textKind } from "../../../src/files/text.js";

describe("textKind", () => {
  test.each([
    ["ASCII", "plain\n", "utf-8"],
    ["nothing", "", "utf-8"],
    ["UTF-8", "日本語 é 🧪\n", "utf-8"],
    ["a byte order mark", Buffer.from("\ufeffx"), "utf-8"],
    ["UTF-16 with its mark", Buffer.from("\ufeffhello", "utf16le"), "utf-16le"],
    ["UTF-16 the other way round", Buffer.from("\ufeffhello", "utf16le").swap16(), "utf-16be"],
    ["a terminal recording", "\u001b[31mred\u001b[0m\u0007\r\n".repeat(3), "utf-8"],
    ["Latin-1 with a few accents", Buffer.from("caf\xe9 au lait, s'il vous pla\xeet\n", "latin1"), "utf-8"],
    ["a NUL", Buffer.from("abc\0def"), undefined],
    ["UTF-16 without a mark", Buffer.from("hello", "utf16le"), undefined],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), undefined],
    ["noise", Buffer.from(Array.from({ length: 512 }, (_, n) => (n * 89 + 131) % 255 || 1)), undefined],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0", "latin1"), undefined],
  ] as [string, string | Buffer, string | undefined][])("sees %s", (_, content, encoding) => {
    expect(textKind(Buffer.from(content as Buffer))?.encoding).toBe(encoding);
  });
});

test("half a character at the cut is left out, and one in the middle is shown as unknown", () => {
  const bytes = Buffer.from("aé漢🧪");
  expect(decodeText(bytes.subarray(0, 9), "utf-8", true)).toBe("aé漢");
  expect(decodeText(bytes.subarray(0, 9), "utf-8", false)).toBe("aé漢\ufffd");
  expect(decodeText(Buffer.from("a🧪", "utf16le").subarray(0, 4), "utf-16le", true)).toBe("a");
});

test("cutToUtf8 gives the longest start of whole characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(60), (text, max) => {
      const kept = cutToUtf8(text, max);
      expect(text.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max);
      const next = String.fromCodePoint(text.codePointAt(kept.length) ?? 0);
      if (kept !== text) expect(Buffer.byteLength(kept + next)).toBeGreaterThan(max);
    }),
  );
});
