import { describe, expect, test } from "vitest";
import { TERMINAL_KEYS } from "../../../src/protocol/rpc.js";
import { keySequence } from "../../../src/terminal/keys.js";

/** What xterm sends, from its control sequences document. */
const EXPECTED: Record<string, string> = {
  enter: "\r",
  tab: "\t",
  "shift-tab": "\x1b[Z",
  esc: "\x1b",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  right: "\x1b[C",
  home: "\x1b[H",
  end: "\x1b[F",
  pageup: "\x1b[5~",
  pagedown: "\x1b[6~",
  "ctrl-a": "\x01",
  "ctrl-c": "\x03",
  "ctrl-i": "\t",
  "ctrl-j": "\n",
  "ctrl-m": "\r",
  "ctrl-z": "\x1a",
};

describe("a key", () => {
  test.each(Object.entries(EXPECTED))("%s sends what xterm sends", (key, sequence) => {
    expect(keySequence(key as (typeof TERMINAL_KEYS)[number], false)).toBe(sequence);
  });

  test.each(TERMINAL_KEYS.filter((key) => key.startsWith("ctrl-")))("%s sends its letter's place", (key) => {
    expect(keySequence(key, false)).toBe(String.fromCharCode(key.charCodeAt(5) - 0x60));
  });

  test("of the cursor sends SS3 in application mode, and only those do", () => {
    for (const key of TERMINAL_KEYS) {
      const isCursor = ["up", "down", "left", "right", "home", "end"].includes(key);
      const normal = keySequence(key, false);
      expect(keySequence(key, true)).toBe(isCursor ? normal.replace("[", "O") : normal);
    }
  });

  test("sends something different from every other, but for the classic pairs", () => {
    const pairs = new Set(["ctrl-i", "ctrl-m"]);
    const sequences = TERMINAL_KEYS.filter((key) => !pairs.has(key)).map((key) => keySequence(key, false));
    expect(new Set(sequences).size).toBe(sequences.length);
  });
});
