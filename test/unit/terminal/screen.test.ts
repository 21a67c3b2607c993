import { describe, expect, onTestFinished, test } from "vitest";
import { Emulator } from "../../../src/terminal/emulator.js";
import type { PromptMark, Screen } from "../../../src/terminal/screen.js";
import { naiveRows } from "../../support/naive-rows.js";
import { quietScreen, show } from "../../support/quiet-screen.js";
import { waitFor } from "../../support/wait-for.js";

const NOTHING = () => undefined;

function numbered(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index}\r\n`).join("");
}

function opened(...args: Parameters<typeof quietScreen>): Screen {
  const screen = quietScreen(...args);
  onTestFinished(() => screen.dispose());
  return screen;
}

describe("reading a screen", () => {
  test("gives rows without trailing spaces and without the blank ones below", async () => {
    const screen = opened();
    await show(screen, "one  \r\n\r\n  two\r\n\r\n\r\n");
    expect(screen.read({})).toBe("one\n\n  two");
    expect(opened().read({ ansi: true })).toBe("");
  });

  test("counts lines from the bottom of what is used", async () => {
    const screen = opened({ rows: 10 });
    await show(screen, numbered(0, 100));
    expect(screen.read({ lines: 3 })).toBe("line 97\nline 98\nline 99");
    await show(screen, "\x1b[2J\x1b[H$ ");
    expect(screen.read({ lines: 2 }).split("\n").at(-1)).toBe("$");
    expect(screen.read({ lines: 5000 }).split("\n")).toHaveLength(92);
  });

  test("gives the screen and 1,000 rows above when it names no number", async () => {
    const screen = opened({ rows: 24 });
    await show(screen, numbered(0, 5000));
    const rows = screen.read({}).split("\n");
    expect(rows).toHaveLength(1023);
    expect(rows.at(-1)).toBe("line 4999");
  });

  test("reaches 6,250 rows above the screen and no more", async () => {
    const screen = opened({ cols: 30, rows: 10 });
    await show(screen, numbered(0, 20_000));
    const rows = screen.read({ lines: 10_000 }).split("\n");
    expect(rows).toHaveLength(6250 + 9);
    expect(rows[0]).toBe(`line ${20_000 - 6250 - 9}`);
  });

  test("of the alternate screen gives that alone, and gives all back after it", async () => {
    const screen = opened({ rows: 10 });
    await show(screen, numbered(0, 50), "\x1b[?1h\x1b[?2004h$ ");
    const before = screen.read({ lines: 60 });
    await show(screen, "\x1b[?1049h\x1b[2J\x1b[Hfile\r\n~");
    expect(screen.modes.alternate).toBe(true);
    expect(screen.read({ lines: 60 })).toBe("file\n~");
    await show(screen, "\x1b[?1049l");
    expect(screen.read({ lines: 60 })).toBe(before);
    expect(screen.modes).toMatchObject({ alternate: false, applicationCursor: true, bracketedPaste: true });
  });

  test("forgets what is above when the program erases it or resets, and keeps it when the alternate screen is cleared", async () => {
    const screen = opened({ rows: 5 });
    await show(screen, numbered(0, 3000), "\x1b[?1049h\x1b[3J\x1b[?1049l");
    expect(screen.read({ lines: 5000 }).split("\n").length).toBeGreaterThan(2990);
    await show(screen, "\x1b[3J");
    expect(screen.read({ lines: 5000 }).split("\n")).toHaveLength(4);
    await show(screen, numbered(0, 3000), "\x1bcnew");
    expect(screen.read({ lines: 5000 })).toBe("new");
  });

  test("with escapes has the same text, with the cursor's cell inverse while it is visible", async () => {
    const screen = opened();
    await show(screen, "\x1b[32mok\x1b[m\r\n$ ls");
    expect(screen.read({ ansi: true })).toBe("\x1b[32mok\x1b[m\n$ ls\x1b[7m \x1b[m");
    await show(screen, "\x1b[?25l");
    expect(screen.read({ ansi: true })).toBe("\x1b[32mok\x1b[m\n$ ls");
    expect(screen.read({})).toBe("ok\n$ ls");
  });

  test("fits a frame, however styled: the oldest rows go", async () => {
    const screen = opened({ cols: 500, rows: 50 });
    const cells = Array.from({ length: 250 }, (_, index) => `\x1b[38;5;${index};48;5;${255 - index}m#"`).join(
      "",
    );
    for (let row = 0; row < 1200; row++) {
      await show(screen, `${cells}\x1b[m\r\n`);
    }
    for (const options of [{ lines: 5000, ansi: true }, { lines: 5000 }]) {
      const text = screen.read(options);
      const size = Buffer.byteLength(JSON.stringify(text));
      expect(size).toBeLessThanOrEqual(720 * 1024);
      expect(text.split("\n").at(-1)).toContain('#"');
    }
    let text = "";
    const watch = screen.watch({ lines: 5000, ansi: true }, (update) => {
      text = text.slice(0, update.start) + update.text;
      expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(720 * 1024);
    });
    text = watch.text;
    for (let row = 0; row < 30; row++) {
      await show(screen, `${row} ${cells}\x1b[m\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await waitFor("the exact rows", () => text === screen.read({ lines: 5000, ansi: true }));
  });

  test("agrees with a second terminal about wide, joined and combined characters in eleven columns", async () => {
    const text = "漢字かな混じり文 👩‍👩‍👧‍👦 ❤️ e\u0301e\u0301e\u0301 0123456789漢x 🇩🇪🇫🇷 한국어 ａｂｃ end";
    const screen = opened({ cols: 11, rows: 12 });
    const second = new Emulator(
      { cols: 11, rows: 12, scrollback: 100 },
      { reply: NOTHING, title: NOTHING, bell: NOTHING, notify: NOTHING, mark: NOTHING },
    );
    second.parse(Buffer.from(text));
    for (const byte of Buffer.from(text)) {
      screen.write(Buffer.from([byte]));
    }
    await screen.settled();
    const rows = screen.read({ lines: 100 }).split("\n");
    expect(rows).toEqual(naiveRows(second.terminal).slice(0, rows.length));
    expect(
      screen
        .read({ lines: 100, ansi: true })
        .replace(/\x1b\[[\d;]*m/g, "")
        .trimEnd(),
    ).toBe(rows.join("\n"));
    const { active } = second.terminal.buffer;
    const cursorRow =
      screen.read({ lines: 100, ansi: true }).split("\n")[active.baseY + active.cursorY] ?? "";
    expect(cursorRow).toContain("\x1b[7m");
    second.dispose();
  });
});

describe("a change of size", () => {
  test("flows the rows that the emulator still has and keeps the older ones as they were", async () => {
    const screen = opened({ cols: 60, rows: 10 });
    const words = (index: number) => `${index} ${"word ".repeat(10)}`.trimEnd();
    await show(screen, Array.from({ length: 3000 }, (_, index) => `${words(index)}\r\n`).join(""));
    screen.resize(30, 10);
    const narrow = screen.read({ lines: 6250 });
    expect(narrow).toContain(`\n${words(10)}\n`);
    expect(
      narrow
        .split("\n")
        .slice(-50)
        .every((row) => row.length <= 30),
    ).toBe(true);
    expect(narrow.replaceAll("\n", "").replaceAll(" ", "")).toBe(
      Array.from({ length: 3000 }, (_, index) => words(index))
        .join("")
        .replaceAll(" ", "")
        .slice(-narrow.replaceAll("\n", "").replaceAll(" ", "").length),
    );
    screen.resize(60, 10);
    expect(screen.read({ lines: 100 })).toBe(
      Array.from({ length: 100 }, (_, index) => words(2900 + index)).join("\n"),
    );
  });

  test("loses no row, also when the rows become many more at once", async () => {
    const screen = opened({ cols: 400, rows: 50 });
    const long = Array.from({ length: 700 }, (_, index) => `<${index}>`.padEnd(390, "."));
    await show(screen, long.map((line) => `${line}\r\n`).join(""));
    screen.resize(20, 5);
    const shown = screen.read({ lines: 5000 }).replaceAll("\n", "");
    expect(long.join("").endsWith(shown)).toBe(true);
    expect(shown.length).toBeGreaterThan(5000 * 19);
    expect(screen.read({ lines: 9999 })).toContain("<699>");
  });

  test("storms settle to the last one", async () => {
    const screen = opened();
    await show(screen, numbered(0, 200));
    for (let count = 0; count < 100; count++) {
      screen.resize(20 + ((count * 37) % 200), 5 + ((count * 13) % 60));
    }
    screen.resize(100, 30);
    expect([screen.cols, screen.rows]).toEqual([100, 30]);
    const rows = screen.read({ lines: 200 }).split("\n");
    expect(rows).toEqual(numbered(0, 200).trimEnd().split("\r\n"));
  });

  test("on the alternate screen leaves the other one's rows whole", async () => {
    const screen = opened({ cols: 40, rows: 10 });
    await show(screen, numbered(0, 900), "\x1b[?1049h full screen");
    screen.resize(90, 20);
    screen.resize(25, 8);
    await show(screen, "\x1b[?1049l");
    await show(screen, numbered(900, 1800));
    expect(screen.read({ lines: 1800 })).toBe(numbered(0, 1800).trimEnd().replaceAll("\r", ""));
  });

  test("to fewer rows and back does not break an alternate screen that comes between", async () => {
    const screen = opened({ cols: 80, rows: 40 });
    screen.resize(46, 20);
    await show(screen, "\x1b[?1049h", numbered(0, 100));
    screen.resize(80, 12);
    screen.resize(180, 50);
    await show(screen, numbered(100, 200), "\x1b[50;1Hbottom");
    expect(screen.read({ lines: 3 })).toBe("line 198\nline 199\nbottom");
    expect(screen.read({ lines: 5000 }).split("\n")).toHaveLength(50);
    await show(screen, "\x1b[?1049lback");
    expect(screen.read({})).toBe("back");
  });

  test.each([
    [0, 0],
    [1, 1],
    [65_535, 65_535],
    [Number.NaN, Number.POSITIVE_INFINITY],
    [10.7, 5.2],
  ])("to %d × %d is brought into bounds", async (cols, rows) => {
    const screen = opened();
    await show(screen, numbered(0, 50));
    screen.resize(cols, rows);
    await show(screen, "after");
    expect(Number.isInteger(screen.cols) && Number.isInteger(screen.rows)).toBe(true);
    expect(screen.cols).toBeGreaterThan(1);
    expect(screen.lastLine()).toContain("after");
  });
});

describe("what a program says besides text", () => {
  test("becomes titles, bells, notices and prompt marks, in order", async () => {
    const said: unknown[] = [];
    const screen = opened(
      {},
      {
        title: (title) => said.push(["title", title]),
        bell: () => said.push("bell"),
        notify: (text) => said.push(["notice", text]),
        mark: (mark: PromptMark) => said.push([mark.kind, mark.exitCode]),
      },
    );
    await show(
      screen,
      "\x1b]133;A\x07$ \x1b]133;B\x07make\r\n\x1b]133;C\x07\x1b]2;make: all\x07",
      "\x1b]9;Build done\x07\x1b]777;notify;make;3 warnings; see log\x1b\\\x07\x1b]133;D;2\x07",
      "\x1b]9;4;1;50\x07\x1b]9;9;/tmp\x07\x1b]777;other;x\x07\x1b]133;Z\x07",
    );
    expect(said).toEqual([
      ["A", undefined],
      ["B", undefined],
      ["C", undefined],
      ["title", "make: all"],
      ["notice", "Build done"],
      ["notice", "make: 3 warnings; see log"],
      "bell",
      ["D", 2],
    ]);
    expect(screen.read({})).toBe("$ make");
  });

  test("is cut where it is longer than anyone reads, never inside a character", async () => {
    const titles: string[] = [];
    const screen = opened({}, { title: (title) => titles.push(title) });
    await show(screen, `\x1b]2;${"a".repeat(499)}😀${"b".repeat(100_000)}\x07`);
    expect(titles).toEqual(["a".repeat(499)]);
  });
});

describe("logical lines", () => {
  test("join wrapped rows with the spaces between", async () => {
    const screen = opened({ cols: 10, rows: 6 });
    await show(screen, "0123456789abc\r\n123456789 next\r\n漢字漢字漢字漢字\r\n");
    expect(screen.logicalLines({}).lines).toEqual(["0123456789abc", "123456789 next", "漢字漢字漢字漢字"]);
  });

  test("since a place are those that came or changed, also those that scrolled past", async () => {
    const screen = opened({ cols: 20, rows: 5 });
    await show(screen, "$ make\r\nstep 1");
    const { cursor } = screen.logicalLines({});
    expect(screen.logicalLines({ since: cursor }).lines).toEqual([]);
    await show(screen, " of 3\r\n", numbered(0, 100), "DONE\r\n", numbered(100, 150), "$ ");
    const { lines, cursor: next } = screen.logicalLines({ since: cursor });
    expect(lines[0]).toBe("step 1 of 3");
    expect(lines).toContain("DONE");
    expect(lines).toHaveLength(153);
    expect(lines).not.toContain("$ make");
    expect(screen.logicalLines({ since: next }).lines).toEqual([]);
    await show(screen, "x");
    expect(screen.logicalLines({ since: next }).lines).toEqual(["$ x"]);
  });

  test("since a place that is longer gone than rows are kept are all that there are", async () => {
    const screen = opened({ cols: 20, rows: 5, scrollback: 600 });
    await show(screen, "old\r\n");
    const { cursor } = screen.logicalLines({});
    await show(screen, numbered(0, 5000));
    const { lines } = screen.logicalLines({ since: cursor });
    expect(lines.at(-1)).toBe("line 4999");
    expect(lines).toHaveLength(604);
  });

  test("of an alternate screen are its own, with what came before it on the other", async () => {
    const screen = opened({ cols: 20, rows: 5 });
    await show(screen, "$ ");
    const { cursor } = screen.logicalLines({});
    await show(screen, "vi\r\n\x1b[?1049h\x1b[Hfile\r\n~");
    const during = screen.logicalLines({ since: cursor });
    expect(during.lines).toEqual(["$ vi", "file", "~"]);
    await show(screen, "\x1b[2;1Hsecond");
    const after = screen.logicalLines({ since: during.cursor });
    expect(after.lines).toEqual(["second"]);
    await show(screen, "\x1b[?1049l$ ");
    expect(screen.logicalLines({ since: after.cursor }).lines).toEqual(["$"]);
  });

  test("are not new again after a change of size", async () => {
    const screen = opened({ cols: 40, rows: 6 });
    await show(screen, "a long line that will be cut anew\r\nready\r\n$ ");
    const { cursor } = screen.logicalLines({});
    screen.resize(20, 8);
    expect(screen.logicalLines({ since: cursor }).lines).not.toContain("ready");
    await show(screen, "go");
    expect(screen.logicalLines({ since: cursor }).lines).toContain("$ go");
  });

  test("end in the last one that is not blank", async () => {
    const screen = opened({ cols: 10, rows: 5 });
    expect(screen.lastLine()).toBe("");
    await show(screen, "first\r\n0123456789 and on\r\n\r\n\x1b[44m   \x1b[m\r\n");
    expect(screen.lastLine()).toBe("0123456789 and on");
  });
});
