/** Questions to the person at the terminal, on standard error, so that results can go elsewhere. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { interrupted } from "./exit.js";
import { printable } from "./printable.js";

/** Whether someone is there to answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** What is typed does not show. */
  readonly hidden?: boolean;
}

/** The line that was typed, trimmed. Rejects with an interruption on Ctrl-C or Ctrl-D, or with the signal's reason. */
export async function ask(question: string, options: AskOptions = {}): Promise<string> {
  options.signal?.throwIfAborted();
  const shown = printable(question);
  const output = options.hidden === true ? new Muted() : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new AbortController();
  const end = (): void => ended.abort(interrupted());
  lines.on("SIGINT", end);
  lines.on("close", end);
  const signal = AbortSignal.any([ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  if (options.hidden === true) process.stderr.write(shown);
  try {
    return (await lines.question(options.hidden === true ? "" : shown, { signal })).trim();
  } catch (error) {
    process.stderr.write("\n");
    throw signal.aborted ? signal.reason : error;
  } finally {
    lines.off("close", end);
    lines.close();
    if (options.hidden === true) process.stderr.write("\n");
  }
}

/** True for y or yes; everything else, Enter alone too, is no. */
export async function confirm(question: string, options: AskOptions = {}): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `, options));
}

/** The first line of standard input when nobody types there. */
export async function firstLineOfInput(maxChars: number): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes("\n") || text.length > maxChars) break;
  }
  return (text.split("\n", 1)[0] ?? "").slice(0, maxChars).trim();
}

/** All of standard input, or undefined when it is longer than `maxChars`. */
export async function allOfInput(maxChars: number): Promise<string | undefined> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > maxChars) return undefined;
  }
  return text;
}

/** Takes readline's echo and shows nothing of it. */
class Muted extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}
