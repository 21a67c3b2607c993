/**
 * One row of a terminal as text with SGR escapes and no others. It starts and
 * ends in the default state, so rows can be cut apart; its plain text is the
 * same without the escapes.
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
import { TextBuilder } from "./text-builder.js";

export interface Row {
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

const ESCAPE = "\x1b";
const RESET = "\x1b[m";
const SGR = /\x1b\[[\d;:]*m/g;

const scratch = Buffer.alloc(MAX_COLS);

export function renderRow(cells: RowCells, { wrapped, goesOn, cursor }: RowPlace): Row {
  const used = usedColumns(cells.words);
  const gap = goesOn ? writtenSpaces(cells.words) : 0;
  const plain = cursor === undefined ? plainText(cells.words, used) : undefined;
  return { ansi: plain ?? styledText(cells, used, cursor), wrapped, gap };
}

/** A row's text without escapes and trailing spaces. */
export function plainOf(ansi: string): string {
  if (!ansi.includes(ESCAPE)) {
    return ansi;
  }
  const text = ansi.replace(SGR, "");
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) {
    end--;
  }
  return text.slice(0, end);
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

const builder = new TextBuilder();

function styledText(cells: RowCells, used: number, cursor: number | undefined): string {
  builder.clear();
  const end = cursor === undefined ? used : Math.max(used, cursor + 1);
  const style = { foreground: 0, background: 0, underline: 0 };
  let column = 0;
  while (column < end) {
    const content = word(cells, column * CELL_WORDS);
    const width = content >>> WIDTH_SHIFT || 1;
    const inverted = cursor !== undefined && cursor >= column && cursor < column + width;
    addStyle(cells, column, inverted, style);
    addChars(cells, content, column);
    column += width;
  }
  if (style.foreground !== 0 || style.background !== 0) {
    builder.addText(RESET);
  }
  return builder.toString();
}

interface Style {
  foreground: number;
  background: number;
  underline: number;
}

/** Goes over to a cell's style, if it is another than the last one's. */
function addStyle(cells: RowCells, column: number, inverted: boolean, style: Style): void {
  const index = column * CELL_WORDS;
  const foreground = (word(cells, index + 1) ^ (inverted ? INVERSE : 0)) >>> 0;
  const background = word(cells, index + 2) & BACKGROUND_STYLE;
  const underline = underlineOf(cells, column);
  if (foreground !== style.foreground || background !== style.background || underline !== style.underline) {
    const wasStyled = style.foreground !== 0 || style.background !== 0;
    builder.addText(sgr(foreground, background, underline, wasStyled));
    style.foreground = foreground;
    style.background = background;
    style.underline = underline;
  }
}

/**
 * Adds a cell's character. One of no width alone in its cell has a column and
 * nothing to show: a space keeps the columns.
 */
function addChars(cells: RowCells, content: number, column: number): void {
  const combined = (content & COMBINED) !== 0 ? cells.combined[column] : undefined;
  const code = content & CODE_POINT;
  const shows = content >>> WIDTH_SHIFT !== 0;
  if (combined !== undefined && shows) {
    builder.addText(combined);
  } else {
    builder.addCodePoint(code === 0 || !shows ? SPACE : code);
  }
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
