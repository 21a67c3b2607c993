/** What both programs share: commander set up, the common options, and the way from an error to an exit code. */
import { Command, InvalidArgumentError, Option } from "commander";
import { VERSION } from "../server/version.js";
import { exitCodeOf, sentenceOf } from "./exit.js";
import { MAX_TIMEOUT_MS } from "./limits.js";
import { printable } from "./printable.js";

export interface CommonOptions {
  readonly json?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly device?: string;
}

export function createProgram(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showHelpAfterError(`(${name} --help says more)`)
    .exitOverride();
}

export const jsonOption = (): Option => new Option("--json", "print one JSON value a line");

export const timeoutOption = (): Option =>
  new Option("--timeout <time>", "give up after this long, as 30, 500ms, 10s or 5m (exit code 6)").argParser(
    parseDuration,
  );

const deviceOption = (): Option =>
  new Option("--device <name>", "speak to a paired daemon over the sealed link; `nexus devices` lists them");

/** Adds the options of a verb that asks a daemon. */
export function asking(command: Command): Command {
  return command.addOption(deviceOption()).addOption(jsonOption()).addOption(timeoutOption());
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds; a bare number counts seconds. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const unit = (match?.[2] ?? "s") as keyof typeof UNITS_MS; // the pattern has no other
  const ms = Math.round(Number(match?.[1]) * UNITS_MS[unit]);
  if (match === null || ms < 1 || ms > MAX_TIMEOUT_MS) {
    throw new InvalidArgumentError("It is a time of at most 24h, such as 30, 500ms, 10s or 5m.");
  }
  return ms;
}

/** A whole number between two bounds, for argParser. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Runs a program to its end and sets the exit code; what was thrown becomes one line on standard error. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  endWithReader();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    const sentence = sentenceOf(error);
    if (sentence !== "") process.stderr.write(`${program.name()}: ${printable(sentence)}\n`);
  }
}

/** `nexus ls | head -1` ends quietly when head has read enough. */
function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
