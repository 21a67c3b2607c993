import fc from "fast-check";
import { expect, test } from "vitest";
import { HARD_TEXT_ITEM_CHARS, SOFT_TEXT_ITEM_CHARS } from "../../../src/chat/limits.js";
import {
  clip,
  clipRecord,
  head,
  oneLine,
  pieceEnd,
  pieces,
  tail,
  wellFormed,
} from "../../../src/chat/text.js";

const anyText = fc.string({ unit: "grapheme", maxLength: 60 });

test("heads and tails never cut a surrogate pair", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 80 }), (text, max) => {
      for (const part of [head(text, max), tail(text, max), clip(text, max)]) {
        expect(part.length).toBeLessThanOrEqual(max);
        expect(part).toBe(wellFormed(part));
      }
    }),
  );
});

test("lone surrogates become U+FFFD and whole pairs stay", () => {
  expect(wellFormed("a\ud83db")).toBe("a\ufffdb");
  expect(wellFormed("\ude00x😀")).toBe("\ufffdx😀");
});

test("one line has no control characters", () => {
  expect(oneLine("a\n\tb\u001b[31m  c ", 100)).toBe("a b [31m c");
});

const paragraph = (chars: number): string => "word ".repeat(Math.ceil(chars / 5)).slice(0, chars);

test("the pieces of a block joined are the block", () => {
  const line = fc.oneof(fc.constant(""), fc.constant("```"), fc.nat(9000).map(paragraph));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = lines.join("\n");
      const all = pieces(text);
      expect(all.join("")).toBe(text);
      for (const piece of all) expect(piece.length).toBeLessThanOrEqual(HARD_TEXT_ITEM_CHARS);
    }),
    { numRuns: 50 },
  );
});

test("a piece that has ended stays the same while the block grows", () => {
  const text = Array.from({ length: 12 }, () => paragraph(1500)).join("\n\n");
  const whole = pieces(text);
  for (let length = 1; length < text.length; length += 997) {
    const before = pieces(text.slice(0, length));
    expect(whole.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  }
});

test("a block is split after a blank line, not inside a code fence", () => {
  const code = `\`\`\`\n${`${paragraph(100)}\n\n`.repeat(90)}\`\`\`\n\nafter`;
  expect(pieceEnd(code)).toBe(code.length - "after".length);
  const plain = `${paragraph(SOFT_TEXT_ITEM_CHARS)}\n\nnext`;
  expect(pieceEnd(plain)).toBe(plain.length - "next".length);
});

test("a record is clipped until its JSON fits, nested strings too", () => {
  const value = { a: "x".repeat(10_000), b: { c: ["y".repeat(10_000)] }, n: 1 };
  const clipped = clipRecord(value, 2000, 1500);
  expect(Buffer.byteLength(JSON.stringify(clipped))).toBeLessThanOrEqual(1500);
  expect(clipped.n).toBe(1);
});
