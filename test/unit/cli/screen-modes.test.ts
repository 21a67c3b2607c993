import { expect, test } from "vitest";
import { ScreenModes } from "../../../src/cli/screen-modes.js";

function written(...pieces: string[]): { passed: string; restored: string } {
  const out: string[] = [];
  const modes = new ScreenModes({
    write: (data) => out.push(typeof data === "string" ? data : Buffer.from(data).toString("latin1")),
  });
  for (const piece of pieces) modes.write(Buffer.from(piece, "latin1"));
  const passed = out.join("");
  modes.close();
  modes.close();
  return { passed, restored: out.join("").slice(passed.length) };
}

test("passes every byte on as it is", () => {
  const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
  expect(written(bytes, bytes).passed).toBe(bytes + bytes);
});

test("leaves the alternate screen only when the program is still on it", () => {
  expect(written("\x1b[?1049hvim").restored).toContain("\x1b[?1049l");
  expect(written("\x1b[?1049hvim\x1b[?1049l").restored).not.toContain("\x1b[?1049l");
  expect(written("plain").restored).not.toContain("\x1b[?1049l");
});

test("sees a switch of the screen that is cut between two pieces, and among other modes", () => {
  expect(written("a\x1b[?10", "49h").restored).toContain("\x1b[?1049l");
  expect(written("\x1b[?1049h", "x\x1b[?25;1049", "l").restored).not.toContain("\x1b[?1049l");
});

test("undoes mouse, paste and keyboard modes once", () => {
  const { restored } = written("\x1b[?1000h\x1b[?2004h");
  const off = ["1", "1000", "1002", "1003", "1004", "1006", "2004"].map((mode) => `\x1b[?${mode}l`);
  for (const mode of [...off, "\x1b[?25h", "\x1b[<u"]) {
    expect(restored.split(mode)).toHaveLength(2);
  }
});
