/**
 * The cells of one row as the emulator packs them: three words a cell. Its own
 * arrays are read when they are what this file expects, which is checked once;
 * else they are packed anew from its public cells: ten times slower, and
 * without underline styles and colours.
 */
import headless, { type IBufferCell, type IBufferLine } from "@xterm/headless";

/** Words a cell takes: content, foreground and flags, background and flags. */
export const CELL_WORDS = 3;

/** Bits of the content word. */
export const CODE_POINT = 0x1fffff;
export const COMBINED = 0x200000;
export const HAS_CONTENT = CODE_POINT | COMBINED;
export const WIDTH_SHIFT = 22;

/** Bits of both colour words: how the colour is given, and the colour. */
export const COLOR_MODE = 0x3000000;
export const COLOR_16 = 0x1000000;
export const COLOR_256 = 0x2000000;
export const COLOR_RGB = 0x3000000;
export const COLOR = COLOR_MODE | 0xffffff;

/** Flags of the foreground word. */
export const INVERSE = 0x4000000;
export const BOLD = 0x8000000;
export const UNDERLINE = 0x10000000;
export const BLINK = 0x20000000;
export const HIDDEN = 0x40000000;
export const STRIKE = 0x80000000;

/** Flags of the background word. */
export const ITALIC = 0x4000000;
export const DIM = 0x8000000;
export const EXTENDED = 0x10000000;
export const OVERLINE = 0x40000000;

/** Bits of a cell's extended word: the underline's colour as above, and its style. */
export const UNDERLINE_STYLE_SHIFT = 26;
export const UNDERLINE_STYLE = 7 << UNDERLINE_STYLE_SHIFT;

export interface RowCells {
  readonly words: Uint32Array;
  /** The text of cells that hold more than one code point. */
  readonly combined: Readonly<Record<number, string | undefined>>;
  readonly extended: Readonly<Record<number, { readonly _ext: number } | undefined>>;
}

/** The arrays that the emulator keeps in a line, behind its public face. */
interface LineInternals {
  readonly _line?: {
    readonly _data?: unknown;
    readonly _combined?: RowCells["combined"];
    readonly _extendedAttrs?: RowCells["extended"];
  };
}

/** The cells of a line; valid until the emulator parses on. */
export function rowCells(line: IBufferLine): RowCells {
  return (usesInternals && internalCells(line)) || publicCells(line);
}

function internalCells(line: IBufferLine): RowCells | undefined {
  const inner = (line as LineInternals)._line;
  if (!(inner?._data instanceof Uint32Array) || !inner._combined || !inner._extendedAttrs) {
    return undefined;
  }
  return { words: inner._data, combined: inner._combined, extended: inner._extendedAttrs };
}

/** The same words, from the public cells alone. */
export function publicCells(line: IBufferLine): RowCells {
  const words = new Uint32Array(line.length * CELL_WORDS);
  const combined: Record<number, string> = {};
  let cell: IBufferCell | undefined;
  for (let column = 0; column < line.length; column++) {
    cell = line.getCell(column, cell);
    if (cell === undefined) {
      break;
    }
    const chars = cell.getChars();
    const first = chars.codePointAt(0) ?? 0;
    const single = chars.length === (first > 0xffff ? 2 : 1) || chars === "";
    if (!single) {
      combined[column] = chars;
    }
    words[column * CELL_WORDS] = (single ? first : COMBINED) | (cell.getWidth() << WIDTH_SHIFT);
    words[column * CELL_WORDS + 1] = foreground(cell);
    words[column * CELL_WORDS + 2] = background(cell);
  }
  return { words, combined, extended: {} };
}

function foreground(cell: IBufferCell): number {
  return (
    (cell.isFgDefault() ? 0 : cell.getFgColorMode() | cell.getFgColor()) |
    (cell.isInverse() ? INVERSE : 0) |
    (cell.isBold() ? BOLD : 0) |
    (cell.isUnderline() ? UNDERLINE : 0) |
    (cell.isBlink() ? BLINK : 0) |
    (cell.isInvisible() ? HIDDEN : 0) |
    (cell.isStrikethrough() ? STRIKE : 0)
  );
}

function background(cell: IBufferCell): number {
  return (
    (cell.isBgDefault() ? 0 : cell.getBgColorMode() | cell.getBgColor()) |
    (cell.isItalic() ? ITALIC : 0) |
    (cell.isDim() ? DIM : 0) |
    (cell.isOverline() ? OVERLINE : 0)
  );
}

/** One cell of every kind; that of column 5 has a curly underline in colour 1. */
const SAMPLE = "\x1b[1;31ma\x1b[0;3;38;5;200;48;2;1;2;3mb漢e\u0301\x1b[0;4:3;58:5:1mu\x1b[0;2;5;7;8;9;53m😀";
const SAMPLE_COLUMNS = 10;
const SAMPLE_UNDERLINE_COLUMN = 5;

/** Whether the emulator's arrays are what this file takes them for. */
function checkInternals(): boolean {
  const terminal = new headless.Terminal({
    cols: SAMPLE_COLUMNS,
    rows: 1,
    allowProposedApi: true,
    logLevel: "off",
  });
  try {
    terminal.input("", true);
    terminal.write(SAMPLE);
    const line = terminal.buffer.active.getLine(0);
    const inner = line && internalCells(line);
    return (
      line !== undefined &&
      inner !== undefined &&
      sameCells(inner, publicCells(line)) &&
      underlineIsKnown(inner)
    );
  } finally {
    terminal.dispose();
  }
}

function sameCells(inner: RowCells, outer: RowCells): boolean {
  const backgroundBits = ~EXTENDED >>> 0;
  return (
    inner.words.length === outer.words.length &&
    outer.words[0] !== 0 &&
    outer.words.every((word, index) => {
      const own = inner.words[index] ?? 0;
      const column = Math.floor(index / CELL_WORDS);
      switch (index % CELL_WORDS) {
        case 0:
          return own === word && inner.combined[column] === outer.combined[column];
        case 1:
          return own === word;
        default:
          return (own & backgroundBits) === (word & backgroundBits);
      }
    })
  );
}

function underlineIsKnown(inner: RowCells): boolean {
  const curlyInRed = ((3 << UNDERLINE_STYLE_SHIFT) | COLOR_256 | 1) >>> 0;
  const word = inner.extended[SAMPLE_UNDERLINE_COLUMN]?._ext;
  return word !== undefined && (word & (UNDERLINE_STYLE | COLOR)) >>> 0 === curlyInRed;
}

/** False when the emulator's arrays are not what this file takes them for. */
export const usesInternals = checkInternals();
