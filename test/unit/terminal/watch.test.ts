/** When a watcher gets what: pacing, slow readers, frames, and the way back to the exact rows. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReadOptions, Screen, ScreenUpdate } from "../../../src/terminal/screen.js";
import { quietScreen, show } from "../../support/quiet-screen.js";
import { waitFor } from "../../support/wait-for.js";

interface Watcher {
  text: string;
  updates: (ScreenUpdate & { at: number })[];
  close(): void;
}

/** A watcher that applies updates; `take` says how long it takes for each. */
function watching(
  screen: Screen,
  options: ReadOptions,
  take: () => Promise<void> | void = () => undefined,
): Watcher {
  const watcher: Watcher = { text: "", updates: [], close: () => watch.close() };
  const watch = screen.watch(options, (update) => {
    watcher.text = watcher.text.slice(0, update.start) + update.text;
    watcher.updates.push({ ...update, at: performance.now() });
    return take();
  });
  watcher.text = watch.text;
  onTestFinished(() => screen.dispose());
  return watcher;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function numbered(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index}\r\n`).join("");
}

describe("a watch", () => {
  test("gives the text now, then the first change at once", async () => {
    const screen = quietScreen();
    await show(screen, "$ ");
    const watcher = watching(screen, {});
    expect(watcher.text).toBe("$");
    await sleep(60);
    screen.write(Buffer.from("l"));
    // In the same turn: nobody waits for a timer to see a key.
    expect(watcher.updates).toMatchObject([{ start: 1, text: " l" }]);
  });

  test("gets at most one update in 33 ms, and the last state in the end", async () => {
    const screen = quietScreen();
    const watcher = watching(screen, { lines: 100 });
    for (let count = 0; count < 100; count++) {
      screen.write(Buffer.from(`${count}\r\n`));
      await sleep(2);
    }
    await waitFor("the last line", () => watcher.text.endsWith("\n99"));
    expect(watcher.text).toBe(screen.read({ lines: 100 }));
    const gaps = watcher.updates
      .slice(1)
      .map((update, index) => update.at - (watcher.updates[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(30);
  });

  test("gives a slow reader fewer updates, each against what it last got", async () => {
    const screen = quietScreen();
    let release: () => void = () => undefined;
    const watcher = watching(
      screen,
      { lines: 50 },
      () => new Promise<void>((resolve) => (release = resolve)),
    );
    for (let count = 0; count < 20; count++) {
      await show(screen, numbered(count * 100, count * 100 + 100));
      await sleep(5);
    }
    expect(watcher.updates).toHaveLength(1);
    release();
    await waitFor("the second update", () => watcher.updates.length === 2);
    expect(watcher.text).toBe(screen.read({ lines: 50 }));
  });

  test("does not disturb another watcher when one is stalled for good", async () => {
    const screen = quietScreen();
    const stalled = watching(screen, { lines: 50 }, () => new Promise<void>(() => undefined));
    const fast = watching(screen, { lines: 50 });
    for (let count = 0; count < 200; count++) {
      await show(screen, numbered(count * 100, count * 100 + 100));
    }
    await waitFor("the fast watcher's end", () => fast.text.endsWith("line 19999"));
    expect(stalled.updates.length).toBe(1);
  });

  test("sends what is new while rows scroll, and goes back to exactly its rows at quiet", async () => {
    const screen = quietScreen({ cols: 40, rows: 10 });
    await show(screen, numbered(0, 200));
    const watcher = watching(screen, { lines: 100 });
    const first = watcher.text;
    for (let count = 200; count < 224; count++) {
      await show(screen, numbered(count, count + 1));
      await sleep(2);
    }
    await waitFor("the last line", () => watcher.text.endsWith("line 223"));
    expect(watcher.updates.every((update) => update.start >= first.length)).toBe(true);
    await waitFor("the exact rows", () => watcher.text === screen.read({ lines: 100 }));
    expect(watcher.updates.at(-1)?.start).toBeLessThan(10);
    const settled = watcher.updates.length;
    await sleep(1200);
    expect(watcher.updates).toHaveLength(settled);
  });

  test("moves its top before it holds a quarter more than its rows", async () => {
    const screen = quietScreen({ cols: 40, rows: 10 });
    const watcher = watching(screen, { lines: 100 });
    let most = 0;
    for (let count = 0; count < 400; count++) {
      await show(screen, numbered(count, count + 1));
      most = Math.max(most, watcher.text.split("\n").length);
      await sleep(1);
    }
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThanOrEqual(125);
  });

  test("is held while the program is in a frame, and not forever", async () => {
    const screen = quietScreen();
    const watcher = watching(screen, {});
    screen.write(Buffer.from("\x1b[?2026hhalf a frame"));
    expect(watcher.updates).toEqual([]);
    screen.write(Buffer.from(", whole\x1b[?2026l"));
    await waitFor("the frame", () => watcher.text === "half a frame, whole");
    const began = performance.now();
    await show(screen, "\x1b[?2026h and then it hangs");
    await waitFor("the held update", () => watcher.text === "half a frame, whole and then it hangs");
    expect(performance.now() - began).toBeGreaterThan(140);
  });

  test("gives everything anew when the program switches screens, and the old one back after", async () => {
    const screen = quietScreen();
    await show(screen, numbered(0, 60), "$ vi");
    const watcher = watching(screen, { lines: 200 });
    const before = watcher.text;
    await show(screen, "\x1b[?1049h\x1b[H~ file\r\n~");
    await waitFor("the other screen", () => watcher.text === "~ file\n~");
    await show(screen, "\x1b[?1049l");
    await waitFor("the first screen", () => watcher.text === before);
  });

  test("follows a change of size", async () => {
    const screen = quietScreen({ cols: 40, rows: 10 });
    await show(screen, `${"wide ".repeat(20)}\r\n`, numbered(0, 30));
    const watcher = watching(screen, { lines: 30 });
    screen.resize(20, 15);
    await waitFor("the narrow rows", () => watcher.text === screen.read({ lines: 30 }));
    screen.resize(100, 5);
    await waitFor("the wide rows", () => watcher.text === screen.read({ lines: 30 }));
  });

  test("ends when its reader fails, when closed, and with the screen; never after that a word", async () => {
    const screen = quietScreen();
    const failing = watching(screen, {}, () => Promise.reject(new Error("gone")));
    const closed = watching(screen, {});
    const kept = watching(screen, {});
    await show(screen, "one\r\n");
    closed.close();
    closed.close();
    await sleep(60);
    await show(screen, "two\r\n");
    await waitFor("the second line", () => kept.text === "one\ntwo");
    expect(failing.updates).toHaveLength(1);
    expect(closed.text).not.toContain("two");
    screen.dispose();
    await sleep(60);
    expect(kept.text).toBe("one\ntwo");
  });

  test("keeps characters whole across every boundary of reads and updates", async () => {
    const pieces = [`${"a".repeat(65_535)}😀`, `${"b".repeat(4095)}─`, "漢".repeat(3000), "😀".repeat(3000)];
    const original = Buffer.from(pieces.join("\r\n"));
    for (const size of [1, 3, 4096, 65_536]) {
      const screen = quietScreen({ cols: 1000, rows: 40 });
      const watcher = watching(screen, { lines: 500 });
      const start = size === 1 ? 60_000 : 0;
      for (let at = start; at < original.length; at += size) {
        screen.write(original.subarray(at, at + size));
        if (at % 10_007 < size) {
          await sleep(1);
        }
      }
      await screen.settled();
      await waitFor("the end", () => watcher.text === screen.read({ lines: 500 }));
      const joined = watcher.text.replaceAll("\n", "");
      expect(joined).toBe(original.subarray(start).toString().replaceAll("\r\n", ""));
      expect(joined).not.toContain("\ufffd");
    }
  });

  test("begun while output flows has no hole and no overlap", async () => {
    const lines = 300_000;
    const screen = quietScreen({ cols: 40, rows: 10 });
    const watchers: Watcher[] = [];
    for (let from = 0; from < lines; from += 1000) {
      screen.write(Buffer.from(numbered(from, from + 1000)));
      if (from % 20_000 === 0) {
        watchers.push(watching(screen, { lines: 1 + from / 100 }));
      }
      if (screen.pendingBytes > 200_000) {
        await screen.settled();
        for (const watcher of watchers) {
          expectRange(watcher.text);
        }
      }
    }
    for (const watcher of watchers) {
      await waitFor("the last line", () => watcher.text.endsWith(`line ${lines - 1}`));
      expectRange(watcher.text);
    }
  });
});

/** Consecutive numbers, from whatever first; the last line may be half written. */
function expectRange(text: string): void {
  const numbers = text
    .split("\n")
    .slice(0, -1)
    .map((line) => Number(line.slice("line ".length)));
  const [first = 0] = numbers;
  expect(numbers.every((number, index) => number === first + index)).toBe(true);
}
