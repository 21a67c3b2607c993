/**
 * One terminal's screen: bytes in, text and differences out. It knows no pty
 * and no socket; what the emulator answers to the program goes through `reply`.
 */

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Rows kept above the screen. */
  scrollback?: number;
  /** The emulator's answers to the program (DA, CPR, DECRQM, DECRQSS), at most 4 KiB a second. */
  reply(data: string): void;
}

/** An OSC 133 mark: A prompt, B input, C the command runs, D it ended. */
export interface PromptMark {
  kind: "A" | "B" | "C" | "D";
  exitCode?: number;
  params: Record<string, string>;
}

export interface ScreenEvents {
  title(title: string): void;
  bell(): void;
  /** OSC 9 and OSC 777;notify. */
  notify(text: string): void;
  mark(mark: PromptMark): void;
  /** Some of what was written is parsed now. */
  parsed(): void;
}

export interface ScreenModes {
  readonly bracketedPaste: boolean;
  readonly applicationCursor: boolean;
  readonly synchronizedOutput: boolean;
  readonly alternate: boolean;
}

export interface ReadOptions {
  /** Rows from the bottom of what is used; the screen and 1,000 rows above when absent. */
  lines?: number;
  ansi?: boolean;
}

export interface ScreenUpdate {
  /** Where `text` replaces the rest of the watcher's text, in UTF-16 units. */
  start: number;
  text: string;
}

export type Deliver = (update: ScreenUpdate) => Promise<void> | void;

export interface ScreenWatch {
  /** The text as it was when the watch began. */
  readonly text: string;
  close(): void;
}

/** A place in the stream of logical lines, as {@link Screen.logicalLines} last gave it. */
export interface LineCursor {
  readonly line: number;
  readonly epoch: number;
}

export class Screen {
  readonly modes: ScreenModes = {
    bracketedPaste: false,
    applicationCursor: false,
    synchronizedOutput: false,
    alternate: false,
  };

  constructor(_options: ScreenOptions, _events: ScreenEvents) {}

  /** Takes a chunk of the program's output; never loses one, order kept. */
  write(_chunk: Buffer): void {}

  /** Bytes that were written and are not parsed yet. */
  get pendingBytes(): number {
    return 0;
  }

  /** Resolves when all that was written by now is parsed. */
  settled(): Promise<void> {
    return Promise.resolve();
  }

  resize(_cols: number, _rows: number): void {}

  read(_options: ReadOptions): string {
    return "";
  }

  watch(_options: ReadOptions, _deliver: Deliver): ScreenWatch {
    return { text: "", close: () => undefined };
  }

  /** Logical lines (wrapped rows joined) that came or changed since the cursor; the screen's without one. */
  logicalLines(_options: { since?: LineCursor }): { lines: string[]; cursor: LineCursor } {
    return { lines: [], cursor: { line: 0, epoch: 0 } };
  }

  /** The last line that is not blank. */
  lastLine(): string {
    return "";
  }

  dispose(): void {}
}
