/** What a key of the protocol sends to a program. */
import type { TerminalKey } from "../protocol/rpc.js";

type CursorKey = "up" | "down" | "right" | "left" | "home" | "end";

/** The last character of a cursor key's escape: CSI when normal, SS3 in application mode. */
const CURSOR_KEYS: Readonly<Record<CursorKey, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
};

const OTHER_KEYS = {
  enter: "\r",
  tab: "\t",
  "shift-tab": "\x1b[Z",
  esc: "\x1b",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  pageup: "\x1b[5~",
  pagedown: "\x1b[6~",
} as const satisfies Partial<Record<TerminalKey, string>>;

/** Ctrl with a letter sends the letter's place in the alphabet. */
const CONTROL_BITS = 0x1f;

/** The bytes of a key; `applicationCursor` is the program's mode for the cursor keys (DECCKM). */
export function keySequence(key: TerminalKey, applicationCursor: boolean): string {
  if (isCursorKey(key)) {
    return `\x1b${applicationCursor ? "O" : "["}${CURSOR_KEYS[key]}`;
  }
  if (isOtherKey(key)) {
    return OTHER_KEYS[key];
  }
  return String.fromCharCode(key.charCodeAt(key.length - 1) & CONTROL_BITS);
}

function isCursorKey(key: TerminalKey): key is CursorKey {
  return Object.hasOwn(CURSOR_KEYS, key);
}

function isOtherKey(key: TerminalKey): key is keyof typeof OTHER_KEYS {
  return Object.hasOwn(OTHER_KEYS, key);
}
