import { describe, expect, onTestFinished, test } from "vitest";
import { Emulator } from "../../../src/terminal/emulator.js";
import { naiveRows } from "../../support/naive-rows.js";

const NOTHING = () => undefined;

function emulator(): Emulator {
  const opened = new Emulator(
    { cols: 20, rows: 3, scrollback: 10 },
    { reply: NOTHING, title: NOTHING, bell: NOTHING, notify: NOTHING, mark: NOTHING },
  );
  onTestFinished(() => opened.dispose());
  return opened;
}

function shown(opened: Emulator): string {
  return naiveRows(opened.terminal).join("\n").trimEnd();
}

describe("the emulator", () => {
  test("has bytes on the screen when parse returns", () => {
    const opened = emulator();
    opened.parse(Buffer.from("now"));
    expect(shown(opened)).toBe("now");
  });

  test("goes on after a fault of its own, without the rest of that slice", () => {
    const opened = emulator();
    opened.terminal.parser.registerCsiHandler({ final: "~" }, () => {
      throw new Error("a fault");
    });
    opened.parse(Buffer.from("before \x1b[5~lost"));
    expect(opened.failures).toBe(1);
    opened.parse(Buffer.from("\x1b[mafter"));
    opened.parse(Buffer.from(" and on"));
    expect(shown(opened)).toBe("before after and on");
    expect(opened.failures).toBe(1);
  });

  test("counts widths by Unicode 11, as shells do", () => {
    const opened = emulator();
    opened.parse(Buffer.from("😀🥱"));
    expect(opened.terminal.buffer.active.cursorX).toBe(4);
  });

  test("knows whether its cursor shows", () => {
    const opened = emulator();
    const steps: [string, boolean][] = [
      ["\x1b[?25l", false],
      ["\x1b[?25h", true],
      ["\x1b[?12;25l", false],
      ["\x1b[!p", true],
      ["\x1b[?25l", false],
      ["\x1bc", true],
      ["\x1b[25l", true],
    ];
    for (const [bytes, visible] of steps) {
      opened.parse(Buffer.from(bytes));
      expect(opened.cursorVisible).toBe(visible);
    }
  });

  test("tells the modes that input depends on", () => {
    const opened = emulator();
    opened.parse(Buffer.from("\x1b[?1;2004;2026;1049h"));
    expect({ ...opened.modes }).toEqual({
      bracketedPaste: true,
      applicationCursor: true,
      synchronizedOutput: true,
      alternate: true,
    });
    opened.parse(Buffer.from("\x1b[?1;2004;2026;1049l"));
    expect(Object.values({ ...opened.modes }).some(Boolean)).toBe(false);
  });
});
