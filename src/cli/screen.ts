/** Draws whole screens on the terminal, and leaves it as it was, whatever happens. */
import { DRAW_EVERY_MS } from "./limits.js";

export interface Screen {
  readonly rows: number;
  /** Lines from the top, already printable; what is too long is cut at the edge, what is too many below. */
  draw(lines: readonly string[]): void;
}

/** The alternate screen without a cursor and without wrapping: a line that is too wide must not push the others down. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
const HOME = "\x1b[H";
const LINE_END = "\x1b[0m\x1b[K";
const BELOW = "\x1b[J";

/** Columns and rows of this terminal; the classic size where it does not say. */
export function terminalSize(): { cols: number; rows: number } {
  return { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
}

/** `plain` draws nothing and touches nothing. */
export async function withScreen<T>(
  options: { readonly plain: boolean },
  use: (screen: Screen) => Promise<T>,
): Promise<T> {
  if (options.plain) return await use({ rows: 0, draw: () => undefined });
  const pen = new Pen();
  const restore = (): void => pen.close();
  // process.exit and a failure that nobody caught pass here too
  process.once("exit", restore);
  process.on("SIGWINCH", pen.redraw);
  process.stdout.write(ENTER);
  try {
    return await use(pen);
  } finally {
    process.off("SIGWINCH", pen.redraw);
    process.off("exit", restore);
    restore();
  }
}

class Pen implements Screen {
  #lines: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  #closed = false;

  get rows(): number {
    return terminalSize().rows;
  }

  draw(lines: readonly string[]): void {
    this.#lines = lines;
    if (this.#timer !== undefined || this.#closed) return;
    const wait = this.#drawnAt + DRAW_EVERY_MS - Date.now();
    if (wait <= 0) this.redraw();
    else this.#timer = setTimeout(this.redraw, wait);
  }

  readonly redraw = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed) return;
    this.#drawnAt = Date.now();
    const seen = this.#lines.slice(0, this.rows);
    process.stdout.write(`${HOME}${seen.map((line) => line + LINE_END).join("\r\n")}${BELOW}`);
  };

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    process.stdout.write(LEAVE);
  }
}
