import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNatural, FirstOf, naturalKey } from "../../../src/files/order.js";

const name = fc.string({
  unit: fc.constantFrom("a", "A", "b", "0", "1", "9", "_", ".", "\xc3", " "),
  maxLength: 8,
});

describe("compareNatural", () => {
  test("puts numbers by value and letters without case", () => {
    const names = ["a10", "a9", "A1", "b", "a", "a01", "a1b", "_x", "Z", "10", "9", "007", "7"];
    expect(names.sort(compareNatural)).toEqual([
      "7",
      "007",
      "9",
      "10",
      "_x",
      "a",
      "A1",
      "a01",
      "a1b",
      "a9",
      "a10",
      "b",
      "Z",
    ]);
  });

  test("is a total order: of two different names one comes first, and that holds along chains", () => {
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNatural(a, b))).toBe(-Math.sign(compareNatural(b, a)) || 0);
        if (a !== b) expect(compareNatural(a, b)).not.toBe(0);
        if (compareNatural(a, b) < 0 && compareNatural(b, c) < 0)
          expect(compareNatural(a, c)).toBeLessThan(0);
      }),
      { numRuns: 5000 },
    );
  });
});

test("naturalKey has the same order but for ties", () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [keyA, keyB] = [naturalKey(a), naturalKey(b)];
      if (keyA !== keyB) expect(Math.sign(compareNatural(a, b))).toBe(keyA < keyB ? -1 : 1);
    }),
    { numRuns: 5000 },
  );
});

test("FirstOf keeps the first of all, in order, as sorting would", () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 100 }), fc.integer({ min: 1, max: 20 }), (names, size) => {
      const first = new FirstOf<{ name: string }>(size);
      for (const entry of names) first.add({ name: entry });
      expect(first.sorted().map((entry) => entry.name)).toEqual(
        [...names].sort(compareNatural).slice(0, size),
      );
    }),
  );
});
