import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutToJson, cutToJsonTail, jsonBytes } from "../../../src/protocol/cut.js";

/** Every kind of unit: ASCII, controls, quotes, two and three bytes, pairs and lone halves. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "\\",
        "\n",
        "\0",
        "\u001b",
        "\u007f",
        "é",
        "漢",
        "😀",
        "\ud83d",
        "\ude00",
        "\u2028",
        "\ufffd",
      ),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 200 },
  )
  .map((units) => units.join(""));

const size = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Whether a cut before `at` would part a pair. */
const parts = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");

describe("jsonBytes", () => {
  test("is the size of JSON.stringify for any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(jsonBytes(text)).toBe(size(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("is right for each of the 65,536 units alone", () => {
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = String.fromCharCode(unit);
      if (jsonBytes(text) !== size(text)) expect.fail(`U+${unit.toString(16)}`);
    }
  });
});

describe("cutToJson", () => {
  test("gives the longest start that fits and never half a character", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 700 }), (text, budget) => {
        const { text: kept, cut } = cutToJson(text, budget);
        expect(text.startsWith(kept)).toBe(true);
        expect(size(kept)).toBeLessThanOrEqual(budget);
        expect(cut).toBe(kept.length < text.length);
        if (!cut) return;
        expect(parts(text, kept.length)).toBe(false);
        const next = parts(text, kept.length + 1) ? 2 : 1;
        expect(size(text.slice(0, kept.length + next))).toBeGreaterThan(budget);
      }),
      { numRuns: 2000 },
    );
  });

  test("gives nothing when not even the quotes fit", () => {
    expect(cutToJson("a", 0)).toEqual({ text: "", cut: true });
    expect(cutToJson("", 0)).toEqual({ text: "", cut: false });
  });
});

describe("cutToJsonTail", () => {
  test("gives the longest end that fits and never half a character", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 700 }), (text, budget) => {
        const { text: kept, cut } = cutToJsonTail(text, budget);
        const start = text.length - kept.length;
        expect(text.endsWith(kept)).toBe(true);
        expect(size(kept)).toBeLessThanOrEqual(budget);
        expect(cut).toBe(start > 0);
        if (!cut) return;
        expect(parts(text, start)).toBe(false);
        const next = parts(text, start - 1) ? 2 : 1;
        expect(size(text.slice(start - next))).toBeGreaterThan(budget);
      }),
      { numRuns: 2000 },
    );
  });
});
