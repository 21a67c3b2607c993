/**
 * The headless emulator of one terminal, parsed in step with its caller: when
 * `parse` returns, the bytes are on the screen. It answers the program and
 * tells of titles, bells, notices and prompt marks, and keeps from the emulator
 * what would stop it or keep it busy for minutes.
 */
import unicode11 from "@xterm/addon-unicode11";
import headless, { type Terminal } from "@xterm/headless";
import { guardEmulator, unblock } from "./emulator-guard.js";
import { MAX_COLS, MAX_ROWS, MAX_TITLE_CHARS, MIN_COLS, MIN_ROWS, REPLY_BYTES_PER_SECOND } from "./limits.js";
import { type PromptMark, parsePromptMark } from "./prompt-mark.js";
import { WholeCharacters } from "./whole-characters.js";

export interface EmulatorOptions {
  readonly cols: number;
  readonly rows: number;
  /** Rows that the emulator itself keeps above the screen. */
  readonly scrollback: number;
}

export interface EmulatorEvents {
  /** Answers to the program, at most {@link REPLY_BYTES_PER_SECOND}. */
  reply(data: string): void;
  title(title: string): void;
  bell(): void;
  notify(text: string): void;
  mark(mark: PromptMark): void;
}

export interface ScreenModes {
  readonly bracketedPaste: boolean;
  readonly applicationCursor: boolean;
  readonly synchronizedOutput: boolean;
  readonly alternate: boolean;
}

/** DECTCEM, the private mode that shows the cursor. */
const CURSOR_VISIBLE_MODE = 25;

const REPLY_WINDOW_MS = 1000;

export class Emulator {
  readonly terminal: Terminal;
  /** Exceptions of the emulator so far; each cost the rest of one slice. */
  failures = 0;
  cursorVisible = true;
  readonly modes: ScreenModes;
  readonly #whole = new WholeCharacters();
  #replyWindowStart = 0;
  #replied = 0;

  constructor(options: EmulatorOptions, events: EmulatorEvents) {
    this.terminal = new headless.Terminal({
      cols: clampCols(options.cols),
      rows: clampRows(options.rows),
      scrollback: options.scrollback,
      allowProposedApi: true,
      logLevel: "off",
    });
    this.terminal.loadAddon(new unicode11.Unicode11Addon());
    this.terminal.unicode.activeVersion = "11";
    this.modes = modesOf(this.terminal);
    this.#listen(events);
    this.#trackCursor();
    guardEmulator(this.terminal);
  }

  /** Parses at once, but for a character that is not whole yet; never throws. */
  parse(bytes: Uint8Array): void {
    // After input the emulator parses the next write at once instead of on a timer.
    this.terminal.input("", true);
    try {
      this.terminal.write(this.#whole.take(bytes));
    } catch {
      // A fault of the emulator's own on some sequence: the program goes on, the rest of this slice is gone.
      this.failures++;
      unblock(this.terminal);
    }
  }

  dispose(): void {
    this.terminal.dispose();
  }

  #listen(events: EmulatorEvents): void {
    const { terminal } = this;
    terminal.onData((data) => {
      if (data !== "" && this.#mayReply(data)) {
        events.reply(data);
      }
    });
    terminal.onTitleChange((title) => events.title(clip(title)));
    terminal.onBell(() => events.bell());
    terminal.parser.registerOscHandler(9, (data) => {
      // "9;4;1;50" and its like are ConEmu's commands (progress, folder), not notices.
      if (data !== "" && !/^\d+(;|$)/.test(data)) {
        events.notify(clip(data));
      }
      return true;
    });
    terminal.parser.registerOscHandler(777, (data) => {
      const [command, title = "", ...body] = data.split(";");
      if (command === "notify") {
        events.notify(clip([title, body.join(";")].filter((part) => part !== "").join(": ")));
      }
      return true;
    });
    terminal.parser.registerOscHandler(133, (data) => {
      const mark = parsePromptMark(data);
      if (mark) {
        events.mark(mark);
      }
      return true;
    });
  }

  #trackCursor(): void {
    const { parser } = this.terminal;
    const set = (visible: boolean) => (params: readonly (number | number[])[]) => {
      if (params.includes(CURSOR_VISIBLE_MODE)) {
        this.cursorVisible = visible;
      }
      return false;
    };
    const reset = () => {
      this.cursorVisible = true;
      return false;
    };
    parser.registerCsiHandler({ prefix: "?", final: "h" }, set(true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, set(false));
    parser.registerCsiHandler({ intermediates: "!", final: "p" }, reset);
    parser.registerEscHandler({ final: "c" }, reset);
  }

  #mayReply(data: string): boolean {
    const now = performance.now();
    if (now - this.#replyWindowStart >= REPLY_WINDOW_MS) {
      this.#replyWindowStart = now;
      this.#replied = 0;
    }
    this.#replied += Buffer.byteLength(data);
    return this.#replied <= REPLY_BYTES_PER_SECOND;
  }
}

export function clampCols(cols: number): number {
  return clamp(cols, MIN_COLS, MAX_COLS);
}

export function clampRows(rows: number): number {
  return clamp(rows, MIN_ROWS, MAX_ROWS);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Number.isFinite(value) ? Math.trunc(value) : least));
}

function modesOf(terminal: Terminal): ScreenModes {
  return {
    get bracketedPaste() {
      return terminal.modes.bracketedPasteMode;
    },
    get applicationCursor() {
      return terminal.modes.applicationCursorKeysMode;
    },
    get synchronizedOutput() {
      return terminal.modes.synchronizedOutputMode;
    },
    get alternate() {
      return terminal.buffer.active.type === "alternate";
    },
  };
}

function clip(text: string): string {
  const last = text.charCodeAt(MAX_TITLE_CHARS - 1);
  // Never half a character: the title crosses the wire as UTF-8.
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? MAX_TITLE_CHARS - 1 : MAX_TITLE_CHARS);
}
