import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable, printableJson } from "../../../src/cli/printable.js";

describe("a line from the wire", () => {
  test.each([
    ["\x1b[2Jgone", "␛[2Jgone"],
    ["a\nb\tc\r", "a␊b␉c␍"],
    ["\x9b31m", "<U+009B>31m"],
    ["\x7f\x00", "␡␀"],
    ["evil\u202egnp.exe", "evil<U+202E>gnp.exe"],
    ["iso\u2066late\u2069", "iso<U+2066>late<U+2069>"],
    ["line\u2028end\u2029", "line<U+2028>end<U+2029>"],
    ["in\u200bvisible", "in<U+200B>visible"],
    ["soft\u00adhyphen", "soft<U+00AD>hyphen"],
    ["tag\u{e0041}", "tag<U+E0041>"],
    ["half \ud83d", "half <U+D83D>"],
    ["not\u200da joiner", "not<U+200D>a joiner"],
  ])("%j shows what does not print", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(["plain", "Grüße", "日本語", "🦀 👩‍💻 👨‍👩‍👧 👍🏽", "می‌خواهم", "नमस्ते", "\ue0b0 icon font", "é"])(
    "%j is left as it is",
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );
});

describe("text in lines", () => {
  test("keeps its newlines and tabs, and nothing else that moves", () => {
    expect(printable("a\r\n\tb\rc\x1b[A", { lines: true })).toBe("a\n\tb␍c␛[A");
  });

  test("keeps colours only when asked", () => {
    const text = "\x1b[1;38:2::1:2:3mred\x1b[0m";
    expect(printable(text, { lines: true, colors: true })).toBe(text);
    expect(printable(text, { lines: true })).toBe("␛[1;38:2::1:2:3mred␛[0m");
  });

  test.each(["\x1b[>4;1m", "\x1b[2J", "\x1b]0;title\x07", "\x1b[?1049h", "\x1b[1 m", "\x1bc", "\x1b[31"])(
    "with colours %j is still shown, not done",
    (text) => {
      expect(printable(text, { lines: true, colors: true })).not.toContain("\x1b");
    },
  );
});

test("no text whatever leaves a control or a bidi character", () => {
  const any = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(any, (text) => {
      expect(printable(text)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test("with colours every escape that is left is one of SGR", () => {
  const any = fc.array(fc.oneof(fc.constantFrom("\x1b", "[", "m", "1", ";", "?", "\x1b[0m"), fc.string()));
  fc.assert(
    fc.property(any, (parts) => {
      const shown = printable(parts.join(""), { lines: true, colors: true });
      expect(shown.replace(/\x1b\[[0-9;:]*m/g, "")).not.toContain("\x1b");
    }),
  );
});

test("JSON is one printable line that reads back as the same value", () => {
  fc.assert(
    fc.property(
      fc.anything({ maxDepth: 2, withNullPrototype: false }),
      fc.string({ unit: "binary" }),
      (any, text) => {
        const value = JSON.parse(JSON.stringify([any, text, "\u202e\x9b\u2028"]) ?? "null") as unknown;
        const line = printableJson(value);
        expect(line).toMatch(/^[^\x00-\x1f\x7f-\x9f\u202e\u2028]*$/);
        expect(JSON.parse(line)).toEqual(value);
      },
    ),
  );
  expect(printableJson(undefined)).toBe("null");
});
