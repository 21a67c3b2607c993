/**
 * The command that a terminal was opened with: typed when the shell shows its
 * first prompt, so that it is echoed once and reaches no question of the
 * user's own start files.
 */
import { FIRST_PROMPT_WAIT_MS } from "./limits.js";

export interface FirstCommandOptions {
  atPrompt(): boolean;
  /** A password prompt has the terminal. */
  secret(): Promise<boolean>;
  type(): void;
}

export class FirstCommand {
  readonly #options: FirstCommandOptions;
  #typed = false;
  #timer: NodeJS.Timeout;

  constructor(options: FirstCommandOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#late(), FIRST_PROMPT_WAIT_MS);
  }

  /** Call when something happened in the terminal. */
  look(): void {
    if (!this.#typed && this.#options.atPrompt()) this.#type();
  }

  dispose(): void {
    this.#typed = true;
    clearTimeout(this.#timer);
  }

  /** No prompt showed itself in time: the user's files may have replaced the shell, or they ask something. */
  #late(): void {
    void this.#options.secret().then((secret) => {
      if (this.#typed) return;
      if (secret) this.#timer = setTimeout(() => this.#late(), FIRST_PROMPT_WAIT_MS);
      else this.#type();
    });
  }

  #type(): void {
    this.dispose();
    this.#options.type();
  }
}
