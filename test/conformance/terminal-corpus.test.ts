/**
 * 76 recordings of bytes and the screen that a real xterm shows for them (see
 * the fixtures' README), through a real pty and a screen.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onScreen } from "../support/pty-screen.js";

const COLS = 80;
const ROWS = 25;
const FIXTURES = fileURLToPath(new URL("./fixtures/xterm-escape-sequences", import.meta.url));

/** What the emulator is known to draw otherwise; a repair of one of them shows here too. */
const KNOWN_TO_DIFFER = new Set(["t0055-EL", "t0084-CBT", "t0103-reverse_wrap", "t0504-vim"]);

const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith(".in"))
  .map((file) => path.basename(file, ".in"))
  .sort();

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-corpus-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Rows without the spaces at their ends, and without the blank ones at the end. */
function usedRows(text: string): string[] {
  return text
    .split("\n")
    .map((row) => row.trimEnd())
    .join("\n")
    .trimEnd()
    .split("\n");
}

describe("the recordings of xterm.js", () => {
  test("are all there", () => expect(names).toHaveLength(76));

  test.each(names)("%s looks as in xterm", async (name) => {
    const launch = { file: "/bin/cat", args: [path.join(FIXTURES, `${name}.in`)] };
    const { screen, ended } = await onScreen(launch, { cwd: folder, cols: COLS, rows: ROWS });
    await ended;
    await screen.settled();
    const wanted = usedRows(readFileSync(path.join(FIXTURES, `${name}.text`), "utf8"));
    // Both end at the last row in use; the screen has what scrolled off above.
    const shown = usedRows(screen.read({ lines: 5000 })).slice(-wanted.length);
    if (KNOWN_TO_DIFFER.has(name)) {
      expect(shown).not.toEqual(wanted);
    } else {
      expect(shown).toEqual(wanted);
    }
    screen.dispose();
  });
});
