/** Screens of real programs: what vim, less and tmux show, and what is left after them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { onScreen, type Running } from "../support/pty-screen.js";
import { waitFor } from "../support/wait-for.js";

const COLS = 120;
const ROWS = 40;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-screens-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function shell(): Promise<Running> {
  const running = await onScreen(
    { file: "/bin/bash", args: ["--norc", "--noprofile"] },
    { cwd: folder, cols: COLS, rows: ROWS },
  );
  onTestFinished(async () => {
    running.type("\x03\rexit\r");
    await running.ended;
    running.screen.dispose();
  });
  await waitFor("a prompt", () => /[$#]/.test(running.screen.lastLine()));
  return running;
}

describe("a full-screen program", () => {
  test.each([
    ["vim", "vim -u NONE -N long.txt", ":q!\r"],
    ["less", "less long.txt", "q"],
  ])("%s shows its screen alone, and the shell's comes back after it", async (_, command, quit) => {
    writeFileSync(
      path.join(folder, "long.txt"),
      Array.from({ length: 300 }, (_, row) => `row ${row}\n`).join(""),
    );
    const { screen, type } = await shell();
    type("seq 500 600\r");
    await waitFor("the numbers", () => /\n600\n/.test(screen.read({})));
    const before = screen.read({ lines: 60 });
    type(`${command}\r`);
    await waitFor("the file", () => screen.modes.alternate && screen.read({}).includes("row 20\n"));
    expect(screen.read({})).not.toContain("600");
    expect(screen.read({ lines: 5000 }).split("\n").length).toBeLessThanOrEqual(ROWS);
    type(quit);
    await waitFor("the shell", () => !screen.modes.alternate);
    expect(screen.read({ lines: 62 })).toContain(before);
  });
});

describe("beside tmux", () => {
  const lines = {
    plain: (row: number) => `[${row}] compiled src/file_${row % 97}.ts in ${row % 313} ms, ok`,
    coloured: (row: number) =>
      `\x1b[1;3${row % 8}mname${row}\x1b[m  \x1b[38;5;${row % 256}mfile\x1b[0;4m.txt\x1b[m`,
    wide: (row: number) => `${row} 漢字 表示 한국어 e\u0301 ${"混".repeat(row % 70)} end`,
    long: (row: number) => `${row} ${"word ".repeat(row % 60)}`,
  };

  test.each(Object.entries(lines))("shows the same rows of %s lines", async (kind, line) => {
    const file = path.join(folder, `${kind}.txt`);
    writeFileSync(file, `${Array.from({ length: 3000 }, (_, row) => line(row)).join("\n")}\nlast line`);
    const socket = path.join(folder, `tmux-${kind}`);
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    writeFileSync(path.join(folder, "run.sh"), 'cat "$1"; exec sleep 600\n');
    tmux(
      "set-option",
      "-g",
      "history-limit",
      "6000",
      ";",
      "new-session",
      "-d",
      "-x",
      String(COLS),
      "-y",
      String(ROWS),
      "sh",
      path.join(folder, "run.sh"),
      file,
    );
    onTestFinished(() => {
      tmux("kill-server");
    });
    const captured = await waitFor("tmux", () => {
      const text = tmux("capture-pane", "-p", "-S", "-5000").trimEnd();
      return text.endsWith("last line") ? text.split("\n").map((row) => row.trimEnd()) : undefined;
    });
    const { screen, ended } = await onScreen(
      { file: "/bin/cat", args: [file] },
      { cwd: folder, cols: COLS, rows: ROWS },
    );
    await ended;
    await screen.settled();
    const rows = screen.read({ lines: 5000 }).split("\n");
    const common = Math.min(rows.length, captured.length);
    expect(common).toBeGreaterThan(2500);
    expect(rows.slice(-common)).toEqual(captured.slice(-common));
    screen.dispose();
  });
});
