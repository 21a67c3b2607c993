import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines } from "../../../src/terminal/diff.js";

const line = fc
  .oneof(
    fc.constantFrom("", "a", "ab", "abc", "😀", "😀😁", "a😀", "漢", "x\u0301"),
    fc.string({ maxLength: 6 }),
  )
  .map((text) => text.replaceAll("\n", " "));
const lines = fc.array(line, { maxLength: 12 });

function rebuilt(last: readonly string[], next: readonly string[], same = 0): string {
  const text = last.join("\n");
  const cut = diffLines(last, next, same);
  return cut ? text.slice(0, cut.start) + cut.text : text;
}

describe("the difference of two screens", () => {
  test.each([
    ["nothing", ["a", "b"], ["a", "b"], undefined],
    ["a character at the end", ["$ l"], ["$ ls"], { start: 3, text: "s" }],
    ["a line at the end", ["a"], ["a", "b"], { start: 1, text: "\nb" }],
    ["a line gone at the end", ["a", "b"], ["a"], { start: 1, text: "" }],
    ["the first line of an empty screen", [], ["a", "b"], { start: 0, text: "a\nb" }],
    ["everything gone", ["a", "b"], [], { start: 0, text: "" }],
    [
      "a change in the middle",
      ["one", "two", "three"],
      ["one", "twa", "three"],
      { start: 6, text: "a\nthree" },
    ],
    ["an empty line that was no line", [""], [], undefined],
    ["one half of a pair", ["a😀"], ["a😁"], { start: 1, text: "😁" }],
  ])("is found for %s", (_, last, next, cut) => {
    expect(diffLines(last, next)).toEqual(cut);
  });

  test("rebuilds the new text from the old one", () => {
    fc.assert(
      fc.property(lines, lines, fc.array(line, { maxLength: 5 }), (last, next, shared) => {
        expect(rebuilt([...shared, ...last], [...shared, ...next])).toBe([...shared, ...next].join("\n"));
        expect(rebuilt([...shared, ...last], [...shared, ...next], shared.length)).toBe(
          [...shared, ...next].join("\n"),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test("never begins inside a surrogate pair, and keeps all that both have", () => {
    fc.assert(
      fc.property(lines, lines, (last, next) => {
        const cut = diffLines(last, next);
        if (cut) {
          const [before, after] = [last.join("\n"), next.join("\n")];
          expect(/[\ud800-\udbff]$/.test(after.slice(0, cut.start))).toBe(false);
          const isWhole = before[cut.start] !== after[cut.start] || before.length === cut.start;
          const isHalf = /[\ud800-\udbff]/.test(after[cut.start] ?? "");
          // A line's break is part of the difference where one text ends.
          expect(isWhole || isHalf || after[cut.start] === "\n").toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
