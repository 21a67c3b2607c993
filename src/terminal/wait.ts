/**
 * terminal.wait: holds until the program ended, a line matched, the shell is
 * back at its prompt, or the output is quiet, and says which. It is written
 * against what a wait needs to know of a terminal, not against the terminal.
 */
import { MATCH_INTERVAL_MS, ROOT_PROGRAM_QUIET_MS } from "./host/limits.js";
import type { MatchMemory } from "./host/match-memory.js";
import type { Matcher } from "./host/matcher.js";
import type { LineCursor } from "./screen.js";
import type { TerminalPhase, WaitOptions, WaitResult } from "./types.js";

export interface Waitable {
  readonly phase: TerminalPhase;
  /** Stamps: of the last prompt, the last start of a program, the last bell or notice. */
  readonly promptAt: number;
  readonly startedAt: number;
  readonly notice: { readonly at: number; readonly message?: string } | undefined;
  /** The root program is no shell. */
  readonly rootProgram: boolean;
  /** Milliseconds since the last output, and since the last input. */
  readonly quietMs: number;
  readonly untypedMs: number;
  /** What the status's last line is. */
  readonly lastLine: string;
  /** A stamp of now. */
  now(): number;
  lines(since: LineCursor | undefined): { lines: string[]; cursor: LineCursor };
  /** The place in the output as it was at an input's stamp, or the nearest before that is still known. */
  placeAt(stamp: number): LineCursor | undefined;
  /** Calls at each output and each change of phase, until the returned function is called. */
  onActivity(listener: () => void): () => void;
}

export interface WaitTools {
  readonly matcher: Matcher;
  readonly memory: MatchMemory;
  readonly signal: AbortSignal;
}

/** The longest that a wait holds when nobody says; the wire allows no more. */
const DEFAULT_TIMEOUT_MS = 10_000;

type Look = () => Promise<WaitResult | undefined> | WaitResult | undefined;

/** Resolves by the timeout at the latest, with `done` false then; an abort resolves it at once. */
export async function waitFor(
  terminal: Waitable,
  options: WaitOptions,
  tools: WaitTools,
): Promise<WaitResult> {
  const deadline = performance.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const look = lookOf(terminal, options, tools);
  const bell = new Wake(terminal, tools.signal);
  try {
    for (;;) {
      const result = await look();
      if (result) return result;
      const left = deadline - performance.now();
      if (left <= 0 || tools.signal.aborted) return notYet(terminal, options);
      await bell.next(Math.min(left, dueIn(terminal, options)));
    }
  } finally {
    bell.close();
  }
}

function lookOf(terminal: Waitable, options: WaitOptions, tools: WaitTools): Look {
  if (options.match !== undefined) return matchLook(terminal, options.match, { options, tools });
  if (options.exit) return () => exited(terminal);
  const calledAt = terminal.now();
  return () => exited(terminal) ?? noticed(terminal, options.after ?? calledAt) ?? idle(terminal, options);
}

function exited(terminal: Waitable): WaitResult | undefined {
  if (terminal.phase !== "ended") return undefined;
  return { done: true, state: "exited", message: terminal.lastLine };
}

function noticed(terminal: Waitable, since: number): WaitResult | undefined {
  const { notice } = terminal;
  if (!notice || notice.at <= since) return undefined;
  return { done: true, state: "notified", message: notice.message ?? terminal.lastLine };
}

function idle(terminal: Waitable, options: WaitOptions): WaitResult | undefined {
  const atPrompt = terminal.phase === "prompt";
  const back = atPrompt && (options.after === undefined || terminal.promptAt > options.after);
  if (back || isQuiet(terminal, options)) {
    return { done: true, state: "idle", message: terminal.lastLine };
  }
  return undefined;
}

function isQuiet(terminal: Waitable, options: WaitOptions): boolean {
  return dueIn(terminal, options) <= 0;
}

/** Milliseconds until silence alone would end the wait; Infinity when it never does. */
function dueIn(terminal: Waitable, options: WaitOptions): number {
  if (options.exit || options.match !== undefined || terminal.phase !== "running") {
    return Number.POSITIVE_INFINITY;
  }
  const needed = options.quietMs ?? (terminal.rootProgram ? ROOT_PROGRAM_QUIET_MS : undefined);
  if (needed === undefined) return Number.POSITIVE_INFINITY;
  // What was typed and is not answered yet is no silence of the program's.
  const quiet =
    options.after === undefined ? terminal.quietMs : Math.min(terminal.quietMs, terminal.untypedMs);
  return needed - quiet;
}

function notYet(terminal: Waitable, { after }: WaitOptions): WaitResult {
  const nothingRan =
    after !== undefined &&
    terminal.phase === "prompt" &&
    terminal.startedAt <= after &&
    terminal.promptAt <= after;
  return { done: false, state: nothingRan ? "notStarted" : "waiting" };
}

function matchLook(
  terminal: Waitable,
  pattern: string,
  { options, tools }: { options: WaitOptions; tools: WaitTools },
): Look {
  const { after, asker } = options;
  let since = after === undefined ? tools.memory.recall(asker, pattern) : terminal.placeAt(after);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const soon = MATCH_INTERVAL_MS - (performance.now() - lookedAt);
    if (soon > 0) await pause(soon, tools.signal);
    const ended = terminal.phase === "ended";
    const { lines, cursor } = terminal.lines(since);
    const found = lines.length === 0 ? undefined : await tools.matcher.first(pattern, lines);
    lookedAt = performance.now();
    since = cursor;
    if (after === undefined) tools.memory.remember(asker, pattern, cursor);
    if (found !== undefined) return { done: true, state: "matched", message: found };
    return ended ? exited(terminal) : undefined;
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    }
  });
}

/** Wakes at activity, at the abort, or after a time; activity between two waits is not lost. */
class Wake {
  #rang = false;
  #resolve: (() => void) | undefined;
  readonly #stop: () => void;

  constructor(terminal: Waitable, signal: AbortSignal) {
    const ring = (): void => {
      this.#rang = true;
      this.#resolve?.();
    };
    const off = terminal.onActivity(ring);
    signal.addEventListener("abort", ring, { once: true });
    this.#stop = () => {
      off();
      signal.removeEventListener("abort", ring);
    };
  }

  async next(ms: number): Promise<void> {
    if (!this.#rang) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(Math.max(ms, 1), DEFAULT_TIMEOUT_MS));
        this.#resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#resolve = undefined;
    this.#rang = false;
  }

  close(): void {
    this.#stop();
  }
}
