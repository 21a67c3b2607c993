/** The SGR escape of a cell's style, from the emulator's words. */
import {
  BLINK,
  BOLD,
  COLOR,
  COLOR_16,
  COLOR_256,
  COLOR_MODE,
  COLOR_RGB,
  DIM,
  HIDDEN,
  INVERSE,
  ITALIC,
  OVERLINE,
  STRIKE,
  UNDERLINE,
  UNDERLINE_STYLE,
  UNDERLINE_STYLE_SHIFT,
} from "./cells.js";

/** The bits of a background word that change how a cell looks. */
export const BACKGROUND_STYLE = COLOR | ITALIC | DIM | OVERLINE;

/** The first code of a bright colour, for foregrounds; backgrounds are ten above. */
const BRIGHT = 90;
const NORMAL = 30;
const BACKGROUND_OFFSET = 10;
const NORMAL_COLORS = 8;

/** What the emulator keeps for an underline whose colour was reset; white looks the same to it. */
const NO_UNDERLINE_COLOR = COLOR;

/**
 * Sets a style, whatever was set before if `styled`, from the default state if
 * not. The underline's style and colour come in `underline`.
 */
export function sgr(foreground: number, background: number, underline: number, styled: boolean): string {
  if (foreground === 0 && background === 0) {
    return "\x1b[m";
  }
  let codes = styled ? ";0" : "";
  codes += flagCodes(foreground, background);
  if ((foreground & UNDERLINE) !== 0) {
    codes += underlineCodes(underline);
  }
  codes += colorCode(foreground, 0) + colorCode(background, BACKGROUND_OFFSET);
  return codes === "" ? "" : `\x1b[${codes.slice(1)}m`;
}

function flagCodes(foreground: number, background: number): string {
  return (
    ((foreground & BOLD) !== 0 ? ";1" : "") +
    ((background & DIM) !== 0 ? ";2" : "") +
    ((background & ITALIC) !== 0 ? ";3" : "") +
    ((foreground & BLINK) !== 0 ? ";5" : "") +
    ((foreground & INVERSE) !== 0 ? ";7" : "") +
    ((foreground & HIDDEN) !== 0 ? ";8" : "") +
    ((foreground & STRIKE) !== 0 ? ";9" : "") +
    ((background & OVERLINE) !== 0 ? ";53" : "")
  );
}

function underlineCodes(underline: number): string {
  const style = (underline & UNDERLINE_STYLE) >>> UNDERLINE_STYLE_SHIFT;
  const shape = style > 1 ? `;4:${style}` : ";4";
  const color = underline & COLOR;
  // With colons, a terminal that does not know underline colours skips all of it.
  switch (color === NO_UNDERLINE_COLOR ? 0 : color & COLOR_MODE) {
    case COLOR_16:
    case COLOR_256:
      return `${shape};58:5:${color & 0xff}`;
    case COLOR_RGB:
      return `${shape};58:2::${rgb(color, ":")}`;
    default:
      return shape;
  }
}

function colorCode(word: number, offset: number): string {
  const index = word & 0xff;
  switch (word & COLOR_MODE) {
    case COLOR_16:
      return `;${(index < NORMAL_COLORS ? NORMAL + index : BRIGHT + index - NORMAL_COLORS) + offset}`;
    case COLOR_256:
      return `;${38 + offset};5;${index}`;
    case COLOR_RGB:
      return `;${38 + offset};2;${rgb(word, ";")}`;
    default:
      return "";
  }
}

function rgb(word: number, separator: string): string {
  return `${(word >>> 16) & 0xff}${separator}${(word >>> 8) & 0xff}${separator}${word & 0xff}`;
}
