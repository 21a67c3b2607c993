/**
 * A terminal's rows read the slow and simple way, with the emulator's public
 * interface alone: what the engine's rows are compared with.
 */
import type { IBuffer, IBufferCell, Terminal } from "@xterm/headless";

/** The text of every row of the buffer that is shown, trailing spaces trimmed; blank rows at the end stay. */
export function naiveRows(terminal: Terminal): string[] {
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y);
    let text = "";
    for (let x = 0; line !== undefined && x < line.length; ) {
      const cell = line.getCell(x);
      text += charsOf(cell);
      x += cell?.getWidth() || 1;
    }
    return text.replace(/ +$/, "");
  });
}

/** A character of no width alone in its cell is one that nobody sees. */
function charsOf(cell: IBufferCell | undefined): string {
  return (cell?.getWidth() && cell.getChars()) || " ";
}

/** Everything of a row that a reader sees: each character with its style, blank ones at the end left out. */
export function naiveLook(buffer: IBuffer, y: number, cursor?: number): string[] {
  const line = buffer.getLine(y);
  const looks: string[] = [];
  for (let x = 0; line !== undefined && x < line.length; ) {
    const cell = line.getCell(x);
    if (cell === undefined) {
      break;
    }
    const width = cell.getWidth() || 1;
    const inverted = cursor !== undefined && cursor >= x && cursor < x + width;
    looks.push(`${charsOf(cell)}${styleOf(cell, inverted)}`);
    x += width;
  }
  while (looks.length > 0 && isBlank(looks.at(-1) ?? "")) {
    looks.pop();
  }
  return looks;
}

/** How many rows are in use: up to the last one with something that shows. */
export function naiveUsed(terminal: Terminal): number {
  const { active } = terminal.buffer;
  let used = active.length;
  while (used > 0 && naiveLook(active, used - 1).length === 0) {
    used--;
  }
  return used;
}

function styleOf(cell: IBufferCell, inverted: boolean): string {
  const inverse = (cell.isInverse() !== 0) !== inverted;
  const flags = [
    cell.isBold() && "bold",
    cell.isDim() && "dim",
    cell.isItalic() && "italic",
    isUnderlined(cell) && "underline",
    cell.isBlink() && "blink",
    inverse && "inverse",
    cell.isInvisible() && "hidden",
    cell.isStrikethrough() && "strike",
    cell.isOverline() && "overline",
  ].filter(Boolean);
  const foreground = cell.isFgDefault() ? "" : `f${cell.getFgColorMode()}.${cell.getFgColor()}`;
  const background = cell.isBgDefault() ? "" : `b${cell.getBgColorMode()}.${cell.getBgColor()}`;
  return `|${flags.join(",")}|${foreground}|${background}`;
}

/** The public flag is also set for every link; a link is told by its number. */
function isUnderlined(cell: IBufferCell): boolean {
  return ((cell as unknown as { fg: number }).fg & 0x10000000) !== 0;
}

/** A space shows if it has a background, is inverse, or carries a line. */
function isBlank(look: string): boolean {
  const [character, flags = "", , background] = look.split("|");
  return character === " " && background === "" && !/underline|inverse|strike|overline/.test(flags);
}
