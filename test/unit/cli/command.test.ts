import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { parseDuration, parseInteger } from "../../../src/cli/command.js";

describe("a time", () => {
  test.each([
    ["30", 30_000],
    ["1.5", 1500],
    ["500ms", 500],
    ["10s", 10_000],
    ["5m", 300_000],
    ["24h", 86_400_000],
  ])("%s is %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(["", "0", "-1", "ten", "1d", "1 s", "25h", "0.1ms", "1e3", "Infinity"])("%j is none", (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
  });
});

test.each(["4", "21", "7.5", "x", "", "0x10", " 7"])("%j is no whole number from 5 to 20", (text) => {
  expect(() => parseInteger(5, 20)(text)).toThrow(InvalidArgumentError);
});

test("a whole number between its bounds is taken", () => {
  expect(parseInteger(5, 20)("5")).toBe(5);
  expect(parseInteger(5, 20)("20")).toBe(20);
});
