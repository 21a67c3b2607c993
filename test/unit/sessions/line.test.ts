import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine } from "../../../src/sessions/line.js";

describe("oneLine", () => {
  it.each([
    ["plain", "plain"],
    [" a \n\n\t b ", "a b"],
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001b(Bx\u001b7", "x"],
    ["a\u001b", "a"],
    ["right\u202eleft", "right left"],
    ["a\u2028b", "a b"],
    ["日本語 😀", "日本語 😀"],
    ["\ud800x", "\ufffdx"],
    ["", ""],
  ])("makes %j into %j", (text, line) => {
    expect(oneLine(text, 100)).toBe(line);
  });

  it("cuts with an ellipsis, never inside a character", () => {
    expect(oneLine("abcdef", 4)).toBe("abc…");
    expect(oneLine("ab😀😀", 4)).toBe("ab…");
    expect(oneLine("abcd", 4)).toBe("abcd");
  });

  it("is bounded, printable and well formed, whatever a program prints", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        (text, max) => {
          const line = oneLine(text, max);
          expect(line.length).toBeLessThanOrEqual(max);
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e]/u);
        },
      ),
    );
  });
});
