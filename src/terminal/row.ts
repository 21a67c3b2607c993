/**
 * One row of a terminal as text, plain and with SGR escapes alone. A row with
 * escapes starts and ends in the default state, so rows can be cut apart.
 */
import {
  CELL_WORDS,
  CODE_POINT,
  COLOR,
  COLOR_MODE,
  COMBINED,
  EXTENDED,
  HAS_CONTENT,
  INVERSE,
  OVERLINE,
  type RowCells,
  STRIKE,
  UNDERLINE,
  UNDERLINE_STYLE,
  WIDTH_SHIFT,
} from "./cells.js";
import { MAX_COLS } from "./limits.js";
import { BACKGROUND_STYLE, sgr } from "./sgr.js";

export interface Row {
  /** Without trailing spaces. */
  readonly text: string;
  /** With trailing spaces only where they show. Empty only if nothing in the row shows. */
  readonly ansi: string;
  /** It goes on the row before it: the program wrote past the last column. */
  readonly wrapped: boolean;
  /** Spaces that the program wrote after the text, where the next row goes on this one; else 0. */
  readonly gap: number;
}

/** How a row stands to its neighbours, and a cursor in it. */
export interface RowPlace {
  readonly wrapped: boolean;
  /** The next row goes on this one. */
  readonly goesOn: boolean;
  /** The column of a cursor to draw inverse. */
  readonly cursor?: number | undefined;
}

const SPACE = 0x20;
const DELETE = 0x7f;

/** Flags of the foreground word that show on a space. */
const SHOWS_ON_SPACE = (INVERSE | UNDERLINE | STRIKE) >>> 0;

/** A cell of one code point and one column has this above its code point. */
const ONE_COLUMN = 1;

const RESET = "\x1b[m";

const scratch = Buffer.alloc(MAX_COLS);

export function renderRow(cells: RowCells, { wrapped, goesOn, cursor }: RowPlace): Row {
  const used = usedColumns(cells.words);
  const gap = goesOn ? writtenSpaces(cells.words) : 0;
  if (cursor === undefined) {
    const plain = plainText(cells.words, used);
    if (plain !== undefined) {
      return { text: plain, ansi: plain, wrapped, gap };
    }
  }
  return { ...styledText(cells, used, cursor), wrapped, gap };
}

/** Columns up to the last one that shows; a character of no width alone in its cell does not. */
function usedColumns(words: Uint32Array): number {
  let index = words.length - CELL_WORDS;
  while (index >= 0) {
    const content = words[index] ?? 0;
    const code = content & HAS_CONTENT;
    if (
      (code !== 0 && code !== SPACE && content >>> WIDTH_SHIFT !== 0) ||
      ((words[index + 1] ?? 0) & SHOWS_ON_SPACE) !== 0 ||
      ((words[index + 2] ?? 0) & (COLOR_MODE | OVERLINE)) !== 0
    ) {
      break;
    }
    index -= CELL_WORDS;
  }
  return index / CELL_WORDS + 1;
}

/** Spaces at a row's end, less the cells after them that were never written. */
function writtenSpaces(words: Uint32Array): number {
  let index = words.length - CELL_WORDS;
  while (index >= 0 && ((words[index] ?? 0) & HAS_CONTENT) === 0) {
    index -= CELL_WORDS;
  }
  const end = index;
  while (index >= 0 && ((words[index] ?? 0) & HAS_CONTENT) === SPACE) {
    index -= CELL_WORDS;
  }
  return (end - index) / CELL_WORDS;
}

/** A row of plain ASCII in the default style, which most rows are; undefined for any other. */
function plainText(words: Uint32Array, used: number): string | undefined {
  for (let column = 0, index = 0; column < used; column++, index += CELL_WORDS) {
    const content = words[index] ?? 0;
    const code = content & HAS_CONTENT;
    if (
      code >= DELETE ||
      content >>> WIDTH_SHIFT !== ONE_COLUMN ||
      words[index + 1] !== 0 ||
      words[index + 2] !== 0
    ) {
      return undefined;
    }
    scratch[column] = code === 0 ? SPACE : code;
  }
  return scratch.toString("latin1", 0, used);
}

function styledText(
  cells: RowCells,
  used: number,
  cursor: number | undefined,
): { text: string; ansi: string } {
  const end = cursor === undefined ? used : Math.max(used, cursor + 1);
  let text = "";
  let ansi = "";
  let foreground = 0;
  let background = 0;
  let underline = 0;
  let column = 0;
  while (column < end) {
    const index = column * CELL_WORDS;
    const content = word(cells, index);
    const width = content >>> WIDTH_SHIFT || 1;
    const inverted = cursor !== undefined && cursor >= column && cursor < column + width ? INVERSE : 0;
    const nextForeground = (word(cells, index + 1) ^ inverted) >>> 0;
    const nextBackground = word(cells, index + 2) & BACKGROUND_STYLE;
    const nextUnderline = underlineOf(cells, column);
    if (nextForeground !== foreground || nextBackground !== background || nextUnderline !== underline) {
      const styled = foreground !== 0 || background !== 0;
      foreground = nextForeground;
      background = nextBackground;
      underline = nextUnderline;
      ansi += sgr(foreground, background, underline, styled);
    }
    const chars = charsOf(cells, content, column);
    text += chars;
    ansi += chars;
    column += width;
  }
  if (foreground !== 0 || background !== 0) {
    ansi += RESET;
  }
  return { text: trimSpaces(text), ansi };
}

/** A character of no width alone in its cell has a column and nothing to show: a space keeps the columns. */
function charsOf(cells: RowCells, content: number, column: number): string {
  const code = content & CODE_POINT;
  if ((content & COMBINED) !== 0 && content >>> WIDTH_SHIFT !== 0) {
    return cells.combined[column] ?? " ";
  }
  return code === 0 || content >>> WIDTH_SHIFT === 0 ? " " : String.fromCodePoint(code);
}

/** The style and colour of a cell's underline; 0 for a plain one and for none. */
function underlineOf(cells: RowCells, column: number): number {
  const index = column * CELL_WORDS;
  if ((word(cells, index + 1) & UNDERLINE) === 0 || (word(cells, index + 2) & EXTENDED) === 0) {
    return 0;
  }
  return (cells.extended[column]?._ext ?? 0) & (UNDERLINE_STYLE | COLOR);
}

function word(cells: RowCells, index: number): number {
  return cells.words[index] ?? 0;
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) {
    end--;
  }
  return end === text.length ? text : text.slice(0, end);
}
