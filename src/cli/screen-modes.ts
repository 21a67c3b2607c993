/**
 * Passes a program's output on to this terminal, and afterwards undoes the
 * modes that it may have left: the person's own shell goes on there.
 */

/** Mouse, focus, paste, keyboard, cursor, wrapping, colours and scroll region, as a shell expects them. */
const RESTORE = [
  "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l",
  "\x1b[?1l\x1b>\x1b[<u\x1b[>4;0m",
  "\x1b7\x1b[r\x1b8\x1b[?6l\x1b[?7h\x1b[?25h\x1b[0 q\x1b[0m",
].join("");

const CLEAR = "\x1b[H\x1b[2J";
/** The line after the last one: terminals stop a move at their edge. */
const BELOW_ALL = "\x1b[9999;1H\r\n";
const LEAVE_ALTERNATE = "\x1b[?1049l";
const ALTERNATE = /\x1b\[\?(?:\d+;)*(?:1049|1047|47)(?:;\d+)*([hl])/g;

/** The longest start of such a sequence that may stand at the end of a piece. */
const CARRY_CHARS = 24;

export interface ByteSink {
  write(data: Uint8Array | string): unknown;
}

export class ScreenModes {
  readonly #out: ByteSink;
  #alternate = false;
  #tail = "";
  #closed = false;

  constructor(out: ByteSink = process.stdout) {
    this.#out = out;
  }

  /** An empty screen; what stood on it goes up into the scrollback, where the person finds it again. */
  begin(rows: number): void {
    this.#out.write(`${"\r\n".repeat(rows)}${CLEAR}`);
  }

  write(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#out.write(bytes);
    const text = this.#tail + Buffer.from(bytes).toString("latin1");
    for (const match of text.matchAll(ALTERNATE)) this.#alternate = match[1] === "h";
    // the whole piece is looked at again only where a sequence can have been cut
    this.#tail = text.slice(-CARRY_CHARS);
  }

  /** Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#out.write(`${this.#alternate ? LEAVE_ALTERNATE : ""}${RESTORE}${BELOW_ALL}`);
  }
}
