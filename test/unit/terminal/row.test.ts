/** Rows with their escapes, from bytes: one test a kind of style, and where rows end. */
import { describe, expect, test } from "vitest";
import { publicCells, rowCells, usesInternals } from "../../../src/terminal/cells.js";
import { Emulator } from "../../../src/terminal/emulator.js";
import { plainOf, renderRow } from "../../../src/terminal/row.js";

const NOTHING = () => undefined;
const EVENTS = { reply: NOTHING, title: NOTHING, bell: NOTHING, notify: NOTHING, mark: NOTHING };

function lineOf(text: string, cols = 40) {
  const emulator = new Emulator({ cols, rows: 3, scrollback: 0 }, EVENTS);
  emulator.parse(Buffer.from(text));
  const line = emulator.terminal.buffer.active.getLine(0);
  if (line === undefined) {
    throw new Error("no row");
  }
  return line;
}

function rowOf(text: string, cursor?: number): string {
  return renderRow(rowCells(lineOf(text)), { wrapped: false, goesOn: false, cursor }).ansi;
}

describe("a row with its escapes", () => {
  test.each([
    ["bold", "\x1b[1mx", "\x1b[1mx\x1b[m"],
    ["dim and italic", "\x1b[2;3mx", "\x1b[2;3mx\x1b[m"],
    ["blink, inverse, hidden, strike", "\x1b[5;7;8;9mx", "\x1b[5;7;8;9mx\x1b[m"],
    ["overline", "\x1b[53mx", "\x1b[53mx\x1b[m"],
    ["a plain underline", "\x1b[4mx", "\x1b[4mx\x1b[m"],
    ["a double underline", "\x1b[21mx", "\x1b[4:2mx\x1b[m"],
    ["a curly underline in a palette colour", "\x1b[4:3;58:5:9mx", "\x1b[4:3;58:5:9mx\x1b[m"],
    ["a dotted underline in true colour", "\x1b[4:4;58:2::1:2:3mx", "\x1b[4:4;58:2::1:2:3mx\x1b[m"],
    ["an underline whose colour was reset", "\x1b[4;58:5:9;59mx", "\x1b[4mx\x1b[m"],
    ["the eight colours", "\x1b[31;42mx", "\x1b[31;42mx\x1b[m"],
    ["bright colours", "\x1b[97;104mx", "\x1b[97;104mx\x1b[m"],
    ["256 colours", "\x1b[38;5;200;48;5;17mx", "\x1b[38;5;200;48;5;17mx\x1b[m"],
    ["true colours", "\x1b[38;2;1;2;3;48;2;250;128;0mx", "\x1b[38;2;1;2;3;48;2;250;128;0mx\x1b[m"],
  ])("keeps %s", (_, bytes, row) => {
    expect(rowOf(bytes)).toBe(row);
  });

  test("goes from one style to another in one escape", () => {
    expect(rowOf("\x1b[1;31mred\x1b[22mthin\x1b[mplain")).toBe("\x1b[1;31mred\x1b[0;31mthin\x1b[mplain");
  });

  test("keeps spaces at the end only where they show", () => {
    expect(rowOf("a\x1b[31m   ")).toBe("a");
    expect(rowOf("a\x1b[41m  ")).toBe("a\x1b[41m  \x1b[m");
    expect(rowOf("a\x1b[7m \x1b[m  ")).toBe("a\x1b[7m \x1b[m");
    expect(rowOf("a\x1b[4m \x1b[m  ")).toBe("a\x1b[4m \x1b[m");
    expect(rowOf("a   ")).toBe("a");
  });

  test("shows a line erased with a background as styled spaces", () => {
    expect(rowOf("a\x1b[44m\x1b[K")).toBe(`a\x1b[44m${" ".repeat(39)}\x1b[m`);
  });

  test("turns a link into its text, underlined only if the program underlined it", () => {
    expect(
      rowOf("\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07 \x1b]8;;http://x\x07\x1b[4mu\x1b]8;;\x07"),
    ).toBe("click \x1b[4mu\x1b[m");
  });

  test("draws the cursor inverse, also where nothing is written, and over both halves of a wide character", () => {
    expect(rowOf("abc", 1)).toBe("a\x1b[7mb\x1b[mc");
    expect(rowOf("$ ", 2)).toBe("$ \x1b[7m \x1b[m");
    expect(rowOf("漢x", 1)).toBe("\x1b[7m漢\x1b[mx");
    expect(rowOf("\x1b[7mabc", 1)).toBe("\x1b[7ma\x1b[mb\x1b[7mc\x1b[m");
  });

  test("holds every kind of character whole", () => {
    const text = "é e\u0301 漢字 😀 👩‍👩‍👧‍👦 ❤️ ─ ａ";
    expect(rowOf(text)).toBe(text);
    expect(rowOf(`\x1b[1m${text}`)).toBe(`\x1b[1m${text}\x1b[m`);
  });

  test("is the same row of text without its escapes", () => {
    expect(plainOf(rowOf("\x1b[1;31mred\x1b[m \x1b[4:3mcurly\x1b[44m  "))).toBe("red curly");
  });

  test("is drawn the same from the emulator's public cells, but for kinds of underline", () => {
    expect(usesInternals).toBe(true);
    const line = lineOf("\x1b[1;31mred\x1b[0;48;5;9m 漢e\u0301😀\x1b[0;38;2;1;2;3;7;9;53mx\x1b[0;4:3mu");
    const place = { wrapped: false, goesOn: false };
    const known = renderRow(rowCells(line), place).ansi;
    expect(renderRow(publicCells(line), place).ansi).toBe(known.replace("4:3", "4"));
  });
});
