/**
 * A terminal's screen as bytes that draw it in an empty window of its size:
 * the buffer in use, its rows, the modes that a program set, and the cursor.
 */
import type { Terminal } from "@xterm/headless";

export interface PictureParts {
  readonly terminal: Terminal;
  /** The screen's rows as text and SGR, each from the default state and back to it. */
  readonly rows: readonly string[];
  readonly cursorVisible: boolean;
}

const MOUSE_MODES = { none: undefined, x10: 9, vt200: 1000, drag: 1002, any: 1003 } as const;
/** Where programs that track the mouse expect its places: the encoding is not told apart, and this one is theirs. */
const MOUSE_SGR = 1006;

export function drawScreen({ terminal, rows, cursorVisible }: PictureParts): string {
  const { active } = terminal.buffer;
  const lines = rows.map((row, index) => (row === "" ? "" : `${moveTo(index, 0)}${row}`));
  return [
    ...privateModes(terminal).map((mode) => `\x1b[?${mode}h`),
    terminal.modes.applicationKeypadMode ? "\x1b=" : "",
    "\x1b[0m\x1b[H\x1b[2J",
    ...lines,
    moveTo(active.cursorY, Math.min(active.cursorX, terminal.cols - 1)),
    cursorVisible ? "" : "\x1b[?25l",
  ].join("");
}

function privateModes(terminal: Terminal): number[] {
  const { modes, buffer } = terminal;
  const mouse = MOUSE_MODES[modes.mouseTrackingMode];
  return [
    ...(buffer.active.type === "alternate" ? [1049] : []),
    ...(modes.applicationCursorKeysMode ? [1] : []),
    ...(modes.bracketedPasteMode ? [2004] : []),
    ...(modes.sendFocusMode ? [1004] : []),
    ...(mouse === undefined ? [] : [mouse, MOUSE_SGR]),
  ];
}

function moveTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`;
}
