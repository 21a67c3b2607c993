import { describe, expect, test } from "vitest";
import { parsePromptMark } from "../../../src/terminal/prompt-mark.js";

describe("a prompt mark", () => {
  test.each([
    ["A", { kind: "A", params: {} }],
    ["B", { kind: "B", params: {} }],
    ["C;cmdline=ls -l", { kind: "C", params: { cmdline: "ls -l" } }],
    ["D", { kind: "D", params: {} }],
    ["D;0", { kind: "D", exitCode: 0, params: {} }],
    ["D;130;aid=7", { kind: "D", exitCode: 130, params: { aid: "7" } }],
    ["A;k=s;cl=line;empty=", { kind: "A", params: { k: "s", cl: "line", empty: "" } }],
    ["D;not a number", { kind: "D", params: {} }],
    ["C;a=b=c", { kind: "C", params: { a: "b=c" } }],
  ])("%s is read", (data, mark) => {
    expect(parsePromptMark(data)).toEqual(mark);
  });

  test.each(["", "P;k=i", "E", "AB", ";A"])("%j is none", (data) => {
    expect(parsePromptMark(data)).toBeUndefined();
  });

  test("with more fields than anyone sends is cut", () => {
    const mark = parsePromptMark(`A;${Array.from({ length: 5000 }, (_, index) => `k${index}=v`).join(";")}`);
    expect(Object.keys(mark?.params ?? {}).length).toBeLessThan(40);
  });
});
