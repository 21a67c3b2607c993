/** What nexusd's side and the host's side of a terminal both speak of. */
import type { TerminalKey } from "../protocol/rpc.js";

/** A shell that a new terminal can run; `id` is what the wire names it by. */
export interface Shell {
  readonly id: string;
  readonly name: string;
  /** The program's absolute path; it never comes from the wire. */
  readonly path: string;
  readonly isDefault: boolean;
}

export interface OpenTerminal {
  /** The tab's id, chosen by the caller; a second open with the same one returns the first. */
  readonly id: string;
  readonly cwd: string;
  readonly shell: Shell;
  /** Typed into the shell at its first prompt. */
  readonly command?: string;
  /** The whole environment; nothing is added but what the shell integration needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
}

/** `prompt`: the shell waits for a command; `running`: a foreground program; `ended`: the root program is gone. */
export type TerminalPhase = "prompt" | "running" | "ended";

export interface EndedCommand {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exitCode?: number;
}

export interface TerminalStatus {
  readonly id: string;
  readonly phase: TerminalPhase;
  /** When it came to that phase, in Unix milliseconds. */
  readonly since: number;
  /** The title that the program set, else the foreground program's name. */
  readonly title: string;
  readonly foreground?: string;
  readonly exit?: { readonly code: number | null; readonly signal?: string };
  /** Why it ended, when the exit code alone does not say. */
  readonly endedReason?: string;
  /** The last line that is not blank. */
  readonly lastLine: string;
  /** The last command that ended, where the shell or the process table tells. */
  readonly lastCommand?: EndedCommand;
  /** The shell's folder. */
  readonly cwd?: string;
}

export interface TerminalInput {
  readonly text?: string;
  readonly keys?: readonly TerminalKey[];
  readonly enter?: boolean;
}

export interface WaitOptions {
  /** Who asks: a match without `after` goes on where the same asker's last one stopped. */
  readonly asker: string;
  readonly timeoutMs?: number;
  /** An input's `at`: what ended before it does not count. */
  readonly after?: number;
  readonly exit?: boolean;
  readonly match?: string;
  readonly quietMs?: number;
}

export interface WaitResult {
  readonly done: boolean;
  readonly state: string;
  readonly message?: string;
}

/** What the tty does with typing now, for text that another agent sends. */
export interface InputModes {
  /** No echo while lines are read whole: a password prompt. */
  readonly secret: boolean;
  readonly bracketedPaste: boolean;
  /** The program that reads it, looked up this moment: a status may be half a second old. */
  readonly foreground?: string;
}
