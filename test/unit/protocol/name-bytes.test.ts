import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesToName, nameToBytes } from "../../../src/protocol/name-bytes.js";

test("any bytes come back from their name, also through JSON", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          "é",
          "漢",
          "😀",
          "\xff",
          "\xc3",
          "\xe6\xbc",
          "\xed\xa0\x80",
          "\xc0\xaf",
          "\xef\xbb\xbf",
          "a",
        ),
      )
      .map(
        (parts) =>
          new Uint8Array(
            Buffer.concat(parts.map((p) => Buffer.from(p, /[^\0-\xff]/.test(p) ? "utf8" : "latin1"))),
          ),
      ),
  );
  fc.assert(
    fc.property(bytes, (input) => {
      const name = bytesToName(input);
      expect(Buffer.from(nameToBytes(name))).toEqual(Buffer.from(input));
      expect(JSON.parse(JSON.stringify(name))).toBe(name);
    }),
    { numRuns: 3000 },
  );
});

test("a name in UTF-8 stands as itself, its byte order mark too", () => {
  for (const name of ["café", "日本語-변경-🧪.txt", "\ufeffx", "a\nb\u001b\u202e"]) {
    expect(bytesToName(Buffer.from(name))).toBe(name);
    expect(Buffer.from(nameToBytes(name)).toString()).toBe(name);
  }
});

test("each stray byte is one lone surrogate", () => {
  expect(bytesToName(Uint8Array.of(0x61, 0xff, 0xc3, 0x62))).toBe("a\udcff\udcc3b");
});
