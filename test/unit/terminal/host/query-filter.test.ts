import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QueryFilter } from "../../../../src/terminal/host/query-filter.js";

const ST = "\x1b\\";
const QUESTIONS = [
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[=c",
  "\x1bZ",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[?996n",
  "\x1b[?2004$p",
  "\x1b[4$p",
  "\x1b[>q",
  "\x1b[>0q",
  "\x1b[x",
  "\x1b[18t",
  "\x1b[14;2t",
  "\x1b[21t",
  "\x1b[?u",
  "\x1b]10;?\x07",
  `\x1b]11;?${ST}`,
  "\x1b]4;1;?\x07",
  "\x1b]52;c;?\x07",
  `\x1bP$qm${ST}`,
  `\x1bP+q544e${ST}`,
  "\x05",
];
const KEPT = [
  "plain text\r\n",
  "漢字 😀",
  "\x1b[31mred\x1b[0m",
  "\x1b[2J\x1b[H",
  "\x1b[?1049h",
  "\x1b[?25l",
  "\x1b[22;0;0t",
  "\x1b[8;24;80t",
  "\x1b[2 q",
  "\x1b[!p",
  "\x1b[>4;2m",
  "\x1b[4S",
  "\x1b]0;a title?\x07",
  `\x1b]8;;https://example.org/?q${ST}link\x1b]8;;${ST}`,
  "\x1b]52;c;aGVsbG8=\x07",
  "\x1b]11;#123456\x07",
  `\x1bP0;0q#0;2;0;0;0~-${ST}`,
  "\x1b(B",
  "\x1b7\x1b8",
  "\x1bM",
  "\x1b=",
];

function through(chunks: Buffer[]): string {
  const filter = new QueryFilter();
  return Buffer.concat(chunks.map((chunk) => filter.push(chunk))).toString();
}

describe("the filter of questions", () => {
  test.each(QUESTIONS)("takes out %j", (question) => {
    expect(through([Buffer.from(`before${question}after`)])).toBe("beforeafter");
  });

  test.each(KEPT)("leaves %j", (text) => {
    expect(through([Buffer.from(`before${text}after`)])).toBe(`before${text}after`);
  });

  test("does so wherever the chunks are cut, with anything in between", () => {
    const piece = fc.oneof(
      fc.constantFrom(...QUESTIONS).map((text) => ({ text, kept: false })),
      fc.constantFrom(...KEPT).map((text) => ({ text, kept: true })),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(40)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.map(({ text }) => text).join(""));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        expect(through(chunks)).toBe(
          pieces
            .filter(({ kept }) => kept)
            .map(({ text }) => text)
            .join(""),
        );
      }),
    );
  });

  test("passes any bytes without a question on, cut short or cancelled sequences too", () => {
    expect(through([Buffer.from("\x1b[3\x1b[31mx")])).toBe("\x1b[3\x1b[31mx");
    expect(through([Buffer.from("\x1b]0;cut\x18x")])).toBe("\x1b]0;cut\x18x");
    expect(through([Buffer.from("\x1b\x1b[c!")])).toBe("\x1b!");
    expect(through([Buffer.from("\x1b]0;t\x1b[6nx")])).toBe("\x1b]0;tx");
    const long = `\x1b]0;${"t".repeat(10_000)}\x07`;
    expect(through([Buffer.from(`${long}x`)])).toBe(`${long}x`);
  });
});
