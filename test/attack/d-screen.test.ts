/** What a program can try on the emulator, the owner's device and the host by what it prints. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { Screen } from "../../src/terminal/screen.js";
import { quietScreen, show } from "../support/quiet-screen.js";
import { integer, noise, seeded } from "../support/terminal-noise.js";

const NOT_SGR = /\x1b(?!\[[\d;:]*m)/;
const CONTROLS = /[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/;

function answering(): { screen: Screen; replies: string[] } {
  const replies: string[] = [];
  const screen = quietScreen({ cols: 80, rows: 24, reply: (data) => replies.push(data) });
  onTestFinished(() => screen.dispose());
  return { screen, replies };
}

describe("D5: a program asks and the emulator's answer is typed", () => {
  test.each([
    ["device attributes", "\x1b[c", "\x1b[?1;2c"],
    ["secondary attributes", "\x1b[>c", "\x1b[>0;276;0c"],
    ["the cursor's place", "\x1b[3;5H\x1b[6n", "\x1b[3;5R"],
    ["its state", "\x1b[5n", "\x1b[0n"],
    ["a mode", "\x1b[?2004$p", "\x1b[?2004;2$y"],
    ["a known setting", "\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"],
    ["an unknown setting, which is not echoed", "\x1bP$q;rm -rf ~\n\x1b\\", "\x1bP0$r\x1b\\"],
  ])("is answered once with fixed text for %s", async (_, asked, answer) => {
    const { screen, replies } = answering();
    await show(screen, asked);
    expect(replies).toEqual([answer]);
    expect(screen.read({})).toBe("");
  });

  test.each([
    ["the title", "\x1b]2;evil\r\x07\x1b[21t"],
    ["the icon's title", "\x1b]1;evil\r\x07\x1b[20t"],
    ["the window's size and place", "\x1b[18t\x1b[19t\x1b[14t\x1b[13t\x1b[11t"],
    ["the clipboard", "\x1b]52;c;cm0gLXJm\x07\x1b]52;c;?\x07"],
    ["colours", "\x1b]10;?\x07\x1b]11;?\x1b\\\x1b]12;?\x07\x1b]4;1;?\x07\x1b]104\x07"],
    ["termcap", "\x1bP+q544e\x1b\\"],
    ["the version", "\x1b[>q"],
    ["the answerback", "\x05"],
    ["terminal parameters", "\x1b[x\x1b[1x"],
    ["the keyboard's protocol", "\x1b[?u\x1b[>1u\x1b[=1u"],
    ["a checksum of the screen", "secret\x1b[1;1;1;1;24;80*y"],
  ])("is not answered for %s", async (_, asked) => {
    const { screen, replies } = answering();
    await show(screen, asked);
    expect(replies).toEqual([]);
  });

  test("is cut off at 4 KiB a second", async () => {
    const { screen, replies } = answering();
    await show(screen, "\x1b[c\x1b[6n".repeat(20_000));
    const bytes = Buffer.byteLength(replies.join(""));
    expect(bytes).toBeGreaterThan(3000);
    // Parsing may take more than a second here.
    expect(bytes).toBeLessThan(40_000);
    expect(replies.every((reply) => /^\x1b\[(\?1;2c|1;1R)$/.test(reply))).toBe(true);
  });

  test("comes from reading and resizing a screen never", async () => {
    const { screen, replies } = answering();
    await show(screen, "\x1b[?1004h\x1b[?1003h\x1b[?2048h");
    screen.resize(100, 30);
    screen.read({ ansi: true });
    screen.watch({}, () => undefined).close();
    expect(replies).toEqual([]);
  });
});

describe("D6: what reaches a device is text with SGR and nothing else", () => {
  test.each([
    ["a link to javascript", "\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\", "click"],
    ["the clipboard", "a\x1b]52;c;cm0gLXJm\x07b", "ab"],
    ["a device control string", "a\x1bPq#0;2;0;0;0#0~~\x1b\\b", "ab"],
    [
      "an application command and a privacy message",
      "a\x1b_Gi=1;AAAA\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\b",
      "ab",
    ],
    ["a title", "a\x1b]0;title\x07b", "ab"],
    ["a picture by iTerm's protocol", "a\x1b]1337;File=inline=1:AAAA\x07b", "ab"],
    ["controls", "a\0\x01\x02\x06\x07\x7f\x1cb", "ab"],
    ["eight-bit controls", "a\u0080\u0081\u0099b\u009b31mc", "abc"],
  ])("%s leaves its text at most", async (_, bytes, text) => {
    const { screen } = answering();
    await show(screen, bytes);
    expect(screen.read({})).toBe(text);
    await show(screen, "\x1b[?25l");
    expect(screen.read({ ansi: true }).replace(/\x1b\[[\d;:]*m/g, "")).toBe(text);
  });

  test("whatever the bytes, in reads and in updates", async () => {
    const random = seeded(6);
    const { screen } = answering();
    let watched = "";
    const watch = screen.watch({ lines: 50, ansi: true }, (update) => {
      watched = watched.slice(0, update.start) + update.text;
      expect(watched).not.toMatch(NOT_SGR);
    });
    for (let count = 0; count < 1500; count++) {
      screen.write(noise(random));
      screen.write(Buffer.from(Array.from({ length: 8 }, () => integer(random, 0, 255))));
      await screen.settled();
      const ansi = screen.read({ lines: 60, ansi: true });
      expect(ansi).not.toMatch(NOT_SGR);
      expect(ansi).not.toMatch(CONTROLS);
      expect(screen.read({ lines: 60 })).not.toMatch(/\x1b/);
    }
    watch.close();
  });
});

describe("D7: a few bytes that would keep the host busy or stop it", () => {
  test.each([
    ["scroll up", "\x1b[2147483647S"],
    ["scroll down", "\x1b[2147483647T"],
    ["insert lines", "\x1b[2147483647L"],
    ["delete lines", "\x1b[2147483647M"],
    ["forward tab", "\x1b[2147483647I"],
    ["backward tab", "\x1b[2147483647Z"],
    ["repeat", "x\x1b[2147483647b"],
    ["insert, delete and erase characters", "\x1b[2147483647@\x1b[2147483647P\x1b[2147483647X"],
    ["insert and delete columns", "\x1b[2147483647'}\x1b[2147483647'~"],
    ["shift left and right", "\x1b[2147483647 @\x1b[2147483647 A"],
    [
      "move far away",
      "\x1b[2147483647;2147483647H\x1b[2147483647A\x1b[2147483647B\x1b[2147483647C\x1b[2147483647D",
    ],
  ])("%s two thousand million times is done at once", async (_, bytes) => {
    const { screen } = answering();
    const began = performance.now();
    await show(screen, `text\r\n${bytes}`, "\x1b[H\x1b[2Jalive");
    expect(performance.now() - began).toBeLessThan(2000);
    expect(screen.lastLine()).toBe("alive");
  });

  test("a large count has the effect of the largest that changes anything", async () => {
    const { screen } = answering();
    await show(screen, "one\r\ntwo\r\nthree\x1b[2;1H\x1b[99999M");
    expect(screen.read({})).toBe("one");
    await show(screen, "\x1b[2J\x1b[Hone\r\ntwo\x1b[1;1H\x1b[99999L");
    expect(screen.read({})).toBe("");
    await show(screen, "\x1b[2J\x1b[Habc\x1b[99999Id");
    expect(screen.read({})).toBe(`abc${" ".repeat(76)}d`);
  });

  test("an erase from the last corner, at which the emulator throws, erases", async () => {
    const { screen } = answering();
    await show(screen, "one\r\ntwo\x1b[999;999H\x1b[1J", "\x1b[Hstill here");
    expect(screen.read({})).toBe("still here");
    await show(screen, "\x1b[2J\x1b[999;999Hz\x1b[?1J", "\x1b[Hand here");
    expect(screen.read({})).toBe("and here");
  });

  test("a flood of the dearest sequences leaves the event loop its turns", async () => {
    const { screen } = answering();
    screen.resize(500, 200);
    let worst = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }, 1);
    screen.write(Buffer.from("x\x1b[99999b\x1b[99999L".repeat(300)));
    await screen.settled();
    clearInterval(timer);
    expect(worst).toBeLessThan(1000);
  });

  test("an OSC that never ends swallows what follows until it is ended, and memory stays bounded", async () => {
    const { screen } = answering();
    await show(screen, "before\r\n\x1b]2;");
    for (let count = 0; count < 200; count++) {
      await show(screen, "a".repeat(100_000));
    }
    expect(screen.read({})).toBe("before");
    await show(screen, "\x07after");
    expect(screen.read({})).toBe("before\nafter");
  });
});
