/**
 * What is typed into one terminal, in order: text as a paste, then keys by
 * name, then Enter in a write of its own once the program took the paste, so
 * that a message to an agent's TUI is submitted, and once.
 */
import { keySequence } from "../keys.js";
import { paste } from "../paste.js";
import type { ScreenModes } from "../screen.js";
import type { TerminalInput } from "../types.js";
import { ENTER_QUIET_MS, ENTER_WAIT_MS, INPUT_ANSWER_MS } from "./limits.js";

export interface InputTarget {
  readonly modes: ScreenModes;
  /** Milliseconds since the program last wrote something. */
  readonly quietMs: number;
  /** The shell's line editor reads, which takes a framed paste whole. */
  readonly atMarkedPrompt: boolean;
  /** Resolves when the tty has taken it; rejects when it will not. */
  write(data: Buffer): Promise<void>;
  /** Called before the first byte of an input, for its stamp. */
  typing(): number;
}

const ENTER = "\r";
const POLL_MS = 10;

export class InputQueue {
  readonly #target: InputTarget;
  #last: Promise<unknown> = Promise.resolve();

  constructor(target: InputTarget) {
    this.#target = target;
  }

  /** Resolves with the input's stamp when it is typed, or after a while when the program does not take it. */
  async type(input: TerminalInput): Promise<{ at: number }> {
    const turn = this.#last.then(() => ({ at: this.#target.typing() }));
    const typed = turn.then(() => this.#type(input));
    this.#last = typed.catch(() => undefined);
    const { at } = await turn;
    await Promise.race([typed, delay(INPUT_ANSWER_MS)]);
    return { at };
  }

  async #type({ text, keys, enter }: TerminalInput): Promise<void> {
    const { target } = { target: this.#target };
    let wrote = false;
    if (text) {
      await target.write(Buffer.from(paste(text, target.modes.bracketedPaste)));
      wrote = true;
    }
    for (const key of keys ?? []) {
      // Each key by itself: its bytes depend on a mode that the key before may have changed.
      await target.write(Buffer.from(keySequence(key, target.modes.applicationCursor)));
    }
    if (!enter) return;
    if (wrote && !target.atMarkedPrompt) await this.#taken();
    await target.write(Buffer.from(ENTER));
  }

  /** Resolves when the program answered the paste and went quiet, or did not answer it for a while. */
  async #taken(): Promise<void> {
    const began = performance.now();
    for (;;) {
      await delay(POLL_MS);
      const passed = performance.now() - began;
      const answered = this.#target.quietMs < passed;
      if (passed >= ENTER_WAIT_MS || (answered && this.#target.quietMs >= ENTER_QUIET_MS)) return;
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
