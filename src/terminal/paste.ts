/**
 * Text as a terminal takes a paste. A program must not be able to tell it from
 * text by accident: no control in it can end the paste's frame or act.
 */
const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const LINE_BREAKS = /\r\n?/g;

/** C0 but tab and newline, DEL, and C1. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Of C0 and DEL there are pictures from here on; C1 has none. */
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = "\u2421";

/**
 * `text` as it goes to the pty: line breaks are newlines, and every control but
 * tab and newline is replaced by one visible character, never removed (what is
 * left of a removed marker can be one). Framed if the program asked for that.
 */
export function paste(text: string, bracketed: boolean): string {
  const clean = text.replace(LINE_BREAKS, "\n").replace(CONTROLS, pictureOf);
  if (bracketed) {
    return `${PASTE_START}${clean}${PASTE_END}`;
  }
  // Without a frame a line break is the Enter key's.
  return clean.replaceAll("\n", "\r");
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === DELETE) {
    return DELETE_PICTURE;
  }
  return code < DELETE ? String.fromCharCode(CONTROL_PICTURES + code) : " ";
}
