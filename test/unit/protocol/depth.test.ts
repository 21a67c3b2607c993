import fc from "fast-check";
import { expect, test } from "vitest";
import { nestsDeeperThan } from "../../../src/protocol/depth.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Levels of a parsed value: 0 for one that is no list and no object. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("the scan agrees with the parsed value, for every JSON text", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 12, noUnicodeString: false }),
      fc.integer({ min: 0, max: 12 }),
      (json, max) => {
        expect(nestsDeeperThan(bytes(json), max)).toBe(depthOf(JSON.parse(json)) > max);
      },
    ),
  );
});

test("brackets and escaped quotes inside strings count nothing", () => {
  expect(nestsDeeperThan(bytes(JSON.stringify('[[[["\\"[[[')), 0)).toBe(false);
  expect(nestsDeeperThan(bytes('["\\\\",[1]]'), 1)).toBe(true);
});

test("a bomb of 380,000 brackets is told without recursion", () => {
  expect(nestsDeeperThan(bytes("[".repeat(380_000)), 64)).toBe(true);
});
