import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paste } from "../../../src/terminal/paste.js";

const FRAME = /^\x1b\[200~([\s\S]*)\x1b\[201~$/;

/** What a program finds between the markers. */
function framed(text: string): string {
  return FRAME.exec(paste(text, true))?.[1] ?? "not framed";
}

describe("a paste", () => {
  test("is framed when the program asked for that", () => {
    expect(paste("echo hi", true)).toBe("\x1b[200~echo hi\x1b[201~");
    expect(paste("echo hi", false)).toBe("echo hi");
  });

  test("keeps tabs and line breaks of every kind, as newlines", () => {
    expect(framed("a\tb\r\nc\rd\ne\r\r\n")).toBe("a\tb\nc\nd\ne\n\n");
  });

  test("presses Enter for a line break when it is not framed", () => {
    expect(paste("a\r\nb\nc", false)).toBe("a\rb\rc");
  });

  test.each([
    ["a raw end marker", "x\x1b[201~\recho pwned\r", "x␛[201~\necho pwned\n"],
    ["an end marker inside one", "\x1b[20\x1b[201~1~\r", "␛[20␛[201~1~\n"],
    ["an eight-bit end marker", "\u009b201~\r", " 201~\n"],
    ["escape, DEL, BEL, NUL and Ctrl-C", "\x1b\x7f\x07\0\x03", "␛␡␇␀␃"],
    ["vertical tab and form feed", "\v\f", "␋␌"],
  ])("cannot be left by %s", (_, text, inside) => {
    expect(framed(text)).toBe(inside);
  });

  test("never sends a control that the text brought, whatever the text", () => {
    const anyText = fc.string({
      unit: fc.oneof(fc.constantFrom(..."\x1b[201~\r\n\t\x7f\u009b\0\x03"), fc.string()),
    });
    fc.assert(
      fc.property(anyText, (text) => {
        expect(framed(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(paste(text, false)).not.toMatch(/[\x00-\x08\x0a-\x0c\x0e-\x1f\x7f-\x9f]/);
      }),
      { numRuns: 1000 },
    );
  });

  test("replaces one for one, so nothing new can arise from what is left", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(framed(text).length).toBe(text.replaceAll("\r\n", "\n").length);
      }),
    );
  });
});
