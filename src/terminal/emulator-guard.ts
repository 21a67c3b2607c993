/**
 * What would stop the emulator or keep it busy, kept from it: counts that it
 * would loop over for minutes, one erase that makes it throw, and an alternate
 * screen that breaks after a smaller window. The sequences are carried out with
 * the largest count that still changes the screen.
 */
import type { IFunctionIdentifier, Terminal } from "@xterm/headless";

/** The emulator's own handlers; they take the parameters as an object of this shape. */
interface Handlers {
  scrollUp?: Handler;
  scrollDown?: Handler;
  insertLines?: Handler;
  deleteLines?: Handler;
  cursorForwardTab?: Handler;
  cursorBackwardTab?: Handler;
  repeatPrecedingCharacter?: Handler;
  eraseInDisplay?: Handler;
}
type Handler = (params: { params: number[]; length: number }, flag?: boolean) => boolean;

interface Internals {
  readonly _core?: {
    readonly buffers?: { readonly alt?: { readonly lines?: { length: number; maxLength: number } } };
    readonly _inputHandler?: Handlers;
    readonly _writeBuffer?: { _writeBuffer?: unknown[]; _callbacks?: unknown[]; _pendingData?: number };
  };
}

type Counted = Exclude<keyof Handlers, "eraseInDisplay">;

/** ED 1 erases from the top left to the cursor, ED 2 all. */
const ERASE_ABOVE = 1;
const ERASE_ALL = 2;

export function guardEmulator(terminal: Terminal): void {
  const rows = () => terminal.rows;
  const cols = () => terminal.cols;
  limit(terminal, { final: "S" }, "scrollUp", rows);
  limit(terminal, { final: "T" }, "scrollDown", rows);
  limit(terminal, { final: "L" }, "insertLines", rows);
  limit(terminal, { final: "M" }, "deleteLines", rows);
  limit(terminal, { final: "I" }, "cursorForwardTab", cols);
  limit(terminal, { final: "Z" }, "cursorBackwardTab", cols);
  limit(terminal, { final: "b" }, "repeatPrecedingCharacter", () => terminal.cols * terminal.rows);
  guardErase(terminal, { final: "J" }, false);
  guardErase(terminal, { prefix: "?", final: "J" }, true);
  terminal.onResize(({ rows }) => fitAlternate(terminal, rows));
}

/** Lets the emulator take writes again after it threw in one; it waits for that one else. */
export function unblock(terminal: Terminal): void {
  const buffer = (terminal as Internals)._core?._writeBuffer;
  if (buffer?._writeBuffer && buffer._callbacks) {
    buffer._writeBuffer.length = 0;
    buffer._callbacks.length = 0;
    buffer._pendingData = 0;
  }
}

/** Past `most` the sequence changes nothing more, it only costs time and, for REP, memory. */
function limit(terminal: Terminal, id: IFunctionIdentifier, name: Counted, most: () => number): void {
  terminal.parser.registerCsiHandler(id, (params) => {
    const count = params[0];
    if (typeof count !== "number" || count <= most()) {
      return false;
    }
    call(terminal, name, [most()]);
    return true;
  });
}

/**
 * ED 1 with the cursor in the last column of the last row reads the row below,
 * which is not there while nothing has scrolled. From there it erases all.
 */
function guardErase(terminal: Terminal, id: IFunctionIdentifier, keepsProtected: boolean): void {
  terminal.parser.registerCsiHandler(id, (params) => {
    const { cursorX, cursorY } = terminal.buffer.active;
    const atEnd = cursorX + 1 >= terminal.cols && cursorY + 1 >= terminal.rows;
    if (params[0] !== ERASE_ABOVE || !atEnd) {
      return false;
    }
    call(terminal, "eraseInDisplay", [ERASE_ALL], keepsProtected);
    return true;
  });
}

/**
 * An alternate screen that is not shown keeps room for the rows of the largest
 * window so far. Shown, it would scroll into that room, and lose rows or throw
 * at the next change of size.
 */
function fitAlternate(terminal: Terminal, rows: number): void {
  const lines = (terminal as Internals)._core?.buffers?.alt?.lines;
  if (lines?.length === 0) {
    lines.maxLength = rows;
  }
}

function call(terminal: Terminal, name: keyof Handlers, params: number[], flag?: boolean): void {
  const handlers = (terminal as Internals)._core?._inputHandler;
  handlers?.[name]?.({ params, length: params.length }, flag);
}
