/**
 * What a terminal's shell does: at its prompt, or running a program. Told from
 * the shell's own marks where it sends them, else from the process table, which
 * is asked a moment after output or typing and never on a timer of its own.
 */
import type { PromptMark } from "../prompt-mark.js";
import type { EndedCommand, TerminalPhase } from "../types.js";
import type { Clock } from "./clock.js";
import { LOOK_AFTER_MS, LOOK_INTERVAL_MS, PROMPT_QUIET_MS } from "./limits.js";

/** The terminal's programs as the process table shows them. */
export interface ProcessView {
  /** The foreground program's name; undefined while the root program itself has the terminal. */
  readonly foreground: string | undefined;
  /** The root program's name. */
  readonly root: string;
  /** The root program is not the one any more that was started (`exec`). */
  readonly replaced: boolean;
}

export interface ActivityOptions {
  /** What the shell's own marks carry. */
  readonly mark: string;
  readonly leaderPid: number;
  readonly clock: Clock;
  /** undefined where the system does not tell. */
  look(): ProcessView | undefined;
  /** Something that a status shows is different now. */
  changed(): void;
}

const SHELL_NAMES = new Set(["bash", "zsh", "fish", "sh", "dash", "ksh", "mksh", "tcsh", "csh", "nu", "ash"]);

export class Activity {
  readonly #options: ActivityOptions;
  #phase: TerminalPhase = "running";
  #since: number;
  #view: ProcessView | undefined;
  /** The shell has sent a mark of its own, and is still the one that did. */
  #marked = false;
  /** By its marks the shell runs a command. */
  #commandRuns = false;
  /** A shell inside the running program (ssh, a nested one) marked its prompt. */
  #innerPrompt = false;
  /** A command was given that is not typed yet. */
  #commandWaits = false;
  /** The shell was at its prompt once; what ran before were its own files. */
  #prompted = false;
  #startedAt: number;
  #promptAt = 0;
  #exitCode: number | undefined;
  #lastCommand: EndedCommand | undefined;
  #outputAt = performance.now();
  #outputSincePrompt = true;
  #lookTimer: NodeJS.Timeout | undefined;
  #lookedAt = 0;

  constructor(options: ActivityOptions) {
    this.#options = options;
    this.#since = options.clock.stamp();
    this.#startedAt = this.#since;
  }

  get phase(): TerminalPhase {
    return this.#phase;
  }

  get since(): number {
    return this.#since;
  }

  /** When the shell last came to its prompt; 0 before the first one. */
  get promptAt(): number {
    return this.#promptAt;
  }

  /** When the program that runs, or ran last, was started. */
  get startedAt(): number {
    return this.#startedAt;
  }

  get lastCommand(): EndedCommand | undefined {
    return this.#lastCommand;
  }

  get foreground(): string | undefined {
    return this.#view?.foreground ?? this.#view?.root;
  }

  /** Whether the root program is neither the shell that was started nor another one. */
  get rootProgram(): boolean {
    return this.#view?.replaced === true && !SHELL_NAMES.has(this.#view.root);
  }

  /** Milliseconds since the last output. */
  get quietMs(): number {
    return performance.now() - this.#outputAt;
  }

  /** True at a prompt that the shell itself marked: its line editor takes pastes whole. */
  get atMarkedPrompt(): boolean {
    return this.#marked && this.#phase === "prompt" && !this.#commandRuns;
  }

  output(): void {
    this.#outputAt = performance.now();
    this.#outputSincePrompt = true;
    this.#lookSoon();
  }

  typed(): void {
    this.#lookSoon();
  }

  /** From here to {@link commandTyped} the terminal counts as running. */
  commandWaits(): void {
    this.#commandWaits = true;
  }

  commandTyped(): void {
    this.#commandWaits = false;
    // Until the shell says that it runs, it must not look as if it had run already.
    if (this.#marked) this.#commandRuns = true;
    this.#startedAt = this.#options.clock.stamp();
    this.#outputSincePrompt = false;
    this.#lookSoon();
  }

  mark(mark: PromptMark): void {
    const own = mark.params.nexus === this.#options.mark;
    const nested = mark.params.pid !== undefined && mark.params.pid !== String(this.#options.leaderPid);
    if (own && !nested) this.#ownMark(mark);
    else this.#foreignMark(mark);
    this.#settle();
  }

  ended(): void {
    clearTimeout(this.#lookTimer);
    if (this.#phase === "running" && this.#prompted) this.#endCommand();
    this.#to("ended");
  }

  dispose(): void {
    clearTimeout(this.#lookTimer);
  }

  #ownMark(mark: PromptMark): void {
    // Seen once while it surely is the shell that was started, a later `exec` shows as another program.
    if (!this.#marked) this.#view = this.#options.look();
    this.#marked = true;
    this.#innerPrompt = false;
    if (mark.kind === "C") {
      this.#commandRuns = true;
      this.#startedAt = this.#options.clock.stamp();
      this.#exitCode = undefined;
      this.#lookSoon();
    } else if (mark.kind === "D") {
      this.#exitCode = mark.exitCode;
    } else if (mark.kind === "A") {
      if (this.#commandRuns) this.#endCommand();
      this.#commandRuns = false;
      this.#promptAt = this.#options.clock.stamp();
      this.#lookSoon();
    }
  }

  #foreignMark(mark: PromptMark): void {
    if (!this.#commandRuns && this.#marked) return;
    this.#innerPrompt = mark.kind !== "C" && mark.kind !== "D";
    if (mark.kind === "A") this.#promptAt = this.#options.clock.stamp();
  }

  #endCommand(): void {
    this.#lastCommand = {
      startedAt: this.#startedAt,
      endedAt: this.#options.clock.stamp(),
      ...(this.#exitCode === undefined ? {} : { exitCode: this.#exitCode }),
    };
    this.#exitCode = undefined;
  }

  #lookSoon(): void {
    if (this.#lookTimer || this.#phase === "ended") return;
    const wait = Math.max(LOOK_AFTER_MS, this.#lookedAt + LOOK_INTERVAL_MS - performance.now());
    this.#lookTimer = setTimeout(() => {
      this.#lookTimer = undefined;
      this.#look();
    }, wait);
    this.#lookTimer.unref();
  }

  #look(): void {
    this.#lookedAt = performance.now();
    const before = this.foreground;
    this.#view = this.#options.look();
    if (this.#view?.replaced) this.#marked = false;
    if (!this.#marked) this.#promptByQuiet();
    this.#settle();
    if (this.foreground !== before) this.#options.changed();
  }

  /** Without marks a shell is at its prompt when it alone has the terminal and has written something and stopped. */
  #promptByQuiet(): void {
    if (!this.#view || this.#byProcesses() !== "prompt") return;
    if (this.quietMs < PROMPT_QUIET_MS) {
      this.#lookSoon();
      return;
    }
    if (!this.#outputSincePrompt) return;
    this.#outputSincePrompt = false;
    this.#promptAt = this.#options.clock.stamp();
    this.#options.changed();
  }

  #settle(): void {
    if (this.#phase !== "ended") this.#to(this.#commandWaits ? "running" : this.#told());
  }

  #told(): TerminalPhase {
    if (this.#innerPrompt) return "prompt";
    if (this.#marked) return this.#commandRuns ? "running" : "prompt";
    if (!this.#view) return this.#promptAt > 0 && this.quietMs >= PROMPT_QUIET_MS ? "prompt" : "running";
    // A shell that is still reading its files looks as one at its prompt, but for its silence.
    return this.#byProcesses() === "prompt" && this.#promptAt > this.#startedAt ? "prompt" : "running";
  }

  #byProcesses(): TerminalPhase {
    const busy = this.#view?.foreground !== undefined || this.rootProgram;
    if (busy && this.#phase === "prompt") this.#startedAt = this.#options.clock.stamp();
    return busy ? "running" : "prompt";
  }

  #to(phase: TerminalPhase): void {
    if (phase === this.#phase) return;
    if (phase === "prompt" && !this.#marked && this.#prompted) this.#endCommand();
    this.#prompted ||= phase === "prompt";
    this.#phase = phase;
    this.#since = this.#options.clock.stamp();
    this.#options.changed();
  }
}
