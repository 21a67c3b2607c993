/**
 * At most once: a request with an effect that carries a UUID acts once for its
 * device, over however many links and restarts it is sent again. The methods
 * that would hurt twice are written down before they act.
 */
import { createHash, randomBytes } from "node:crypto";
import { invalidRequest, RpcFailure, unavailable } from "../protocol/errors.js";
import { UUID_PATTERN } from "../protocol/limits.js";
import type { RpcId, RpcMethod } from "../protocol/rpc.js";
import type { Clock } from "./clock.js";
import type { Journal } from "./journal.js";
import {
  JOURNAL_COMPACT_LINES,
  JOURNAL_KEEP_MS,
  MAX_OUTCOMES_PER_DEVICE,
  OUTCOME_KEEP_MS,
} from "./limits.js";
import { type Begun, beginLine, doneLine, forgetLine, readJournal, withdrawLine } from "./once-lines.js";

/** Written down before they act. */
const JOURNALED: ReadonlySet<RpcMethod> = new Set(["chat.send", "chat.new", "chat.answer", "terminal.open"]);

/** Open a tab, under an id that is chosen before they act. */
const OPENS_TAB: ReadonlySet<RpcMethod> = new Set(["chat.new", "terminal.open"]);

/** Safe to carry out again with the same reserved id after a crash. */
const REPEATABLE: readonly RpcMethod[] = ["terminal.open"];

export interface OnceRequest {
  readonly deviceId: string;
  readonly id: RpcId;
  readonly method: RpcMethod;
  /** As the method's schema parsed them. */
  readonly params: unknown;
}

export interface Reserved {
  /** What a tab that this request opens is called. */
  readonly tabId?: string;
  /** It was begun before a crash and is carried out again. */
  readonly again?: boolean;
}

export type Act = (reserved: Reserved) => Promise<unknown>;

export interface OnceOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Methods that find by themselves what an earlier run did; terminal.open when absent. */
  readonly repeatable?: readonly RpcMethod[];
  newTabId?(): string;
}

interface Entry {
  readonly method: string;
  readonly hash: string;
  /** Wall clock for written ones, which outlive the process; monotonic for the others. */
  readonly at: number;
  readonly tabId: string | undefined;
  outcome:
    | { readonly running: Promise<unknown> }
    | { readonly result: unknown }
    | { readonly error: unknown }
    | "unfinished";
}

type Outcomes = Map<string, Entry>;

export class Once {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #repeatable: ReadonlySet<string>;
  readonly #newTabId: () => string;
  /** By device; in the order in which they began. */
  readonly #written = new Map<string, Outcomes>();
  readonly #quick = new Map<string, Outcomes>();
  #linesSinceCompaction = 0;

  private constructor(options: OnceOptions) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#repeatable = new Set(options.repeatable ?? REPEATABLE);
    this.#newTabId = options.newTabId ?? (() => randomBytes(10).toString("hex"));
  }

  /** Reads what was written down before; rejects when the journal is damaged. */
  static async open(options: OnceOptions): Promise<Once> {
    const once = new Once(options);
    for (const begun of readJournal(options.journal)) once.#restore(begun);
    once.#sweep();
    if (options.journal.lines.length > 0) await options.journal.replace(once.#liveLines());
    return once;
  }

  /**
   * Runs `act`, or answers with the outcome of the run that this request
   * repeats. What failed with an answer for the wire had no effect and may be
   * sent again. Throws InvalidRequest when the id was used for another request,
   * Unavailable when an earlier run was cut off and may have taken effect.
   */
  run(request: OnceRequest, act: Act): Promise<unknown> {
    const { deviceId, id, method } = request;
    if (typeof id !== "string" || !UUID_PATTERN.test(id)) return act({});
    this.#sweep();
    const key = id.toLowerCase();
    const known = this.#written.get(deviceId)?.get(key) ?? this.#quick.get(deviceId)?.get(key);
    const hash = hashOf(request.params);
    if (known === undefined) return this.#begin(deviceId, key, { method, hash }, act);
    if (known.method !== method || known.hash !== hash) {
      return Promise.reject(
        invalidRequest("This id was used for another request; give each request its own"),
      );
    }
    return this.#repeat(deviceId, key, known, act);
  }

  /** Forgets a device that was revoked. */
  async drop(deviceId: string): Promise<void> {
    this.#quick.delete(deviceId);
    if (this.#written.delete(deviceId)) await this.#write(forgetLine(deviceId));
  }

  #begin(deviceId: string, key: string, of: { method: RpcMethod; hash: string }, act: Act): Promise<unknown> {
    const journaled = JOURNALED.has(of.method);
    const entry: Entry = {
      ...of,
      at: journaled ? this.#clock.now() : this.#clock.monotonic(),
      tabId: OPENS_TAB.has(of.method) ? this.#newTabId() : undefined,
      outcome: "unfinished",
    };
    const outcomes = outcomesOf(journaled ? this.#written : this.#quick, deviceId);
    makeRoom(outcomes);
    outcomes.set(key, entry);
    const running = journaled
      ? this.#actWritten({ deviceId, key, entry, again: false }, act)
      : this.#act({ deviceId, key, entry, again: false }, act);
    entry.outcome = { running };
    return running;
  }

  #repeat(deviceId: string, key: string, entry: Entry, act: Act): Promise<unknown> {
    const { outcome } = entry;
    if (outcome === "unfinished") {
      if (!this.#repeatable.has(entry.method)) {
        return Promise.reject(
          unavailable(
            "The daemon was stopped while it did this, and it may already have been done; look before you ask again",
          ),
        );
      }
      const running = this.#actWritten({ deviceId, key, entry, again: true }, act);
      entry.outcome = { running };
      return running;
    }
    if ("running" in outcome) return outcome.running;
    return "error" in outcome ? Promise.reject(outcome.error) : Promise.resolve(outcome.result);
  }

  async #actWritten(run: Run, act: Act): Promise<unknown> {
    const { deviceId, key, entry, again } = run;
    if (!again) {
      try {
        await this.#write(beginLine({ deviceId, key, ...entry, tabId: entry.tabId }));
      } catch (error) {
        this.#written.get(deviceId)?.delete(key);
        throw unavailable(
          "The request could not be written down and was not carried out; is the disk full?",
          error,
        );
      }
    }
    let result: unknown;
    try {
      result = await this.#act(run, act);
    } catch (error) {
      // Unwritten, it counts as unfinished after a crash: the careful side.
      if (error instanceof RpcFailure) await this.#write(withdrawLine(deviceId, key)).catch(() => undefined);
      throw error;
    }
    await this.#write(doneLine(deviceId, key, result)).catch(() => undefined); // the same: it took effect
    return result;
  }

  async #act({ deviceId, key, entry, again }: Run, act: Act): Promise<unknown> {
    try {
      const result = await act({
        ...(entry.tabId === undefined ? {} : { tabId: entry.tabId }),
        ...(again ? { again } : {}),
      });
      entry.outcome = { result };
      return result;
    } catch (error) {
      if (error instanceof RpcFailure) {
        const outcomes = JOURNALED.has(entry.method as RpcMethod) ? this.#written : this.#quick;
        outcomes.get(deviceId)?.delete(key);
      } else {
        entry.outcome = { error }; // a fault of ours may have come after the effect
      }
      throw error;
    }
  }

  #restore(begun: Begun): void {
    outcomesOf(this.#written, begun.deviceId).set(begun.key, {
      method: begun.method,
      hash: begun.hash,
      at: begun.at,
      tabId: begun.tabId,
      outcome: begun.done === undefined ? "unfinished" : { result: begun.done.result },
    });
  }

  /** Drops what is too old; the oldest stand first. */
  #sweep(): void {
    dropOld(this.#quick, this.#clock.monotonic() - OUTCOME_KEEP_MS);
    dropOld(this.#written, this.#clock.now() - JOURNAL_KEEP_MS);
  }

  #write(line: string): Promise<void> {
    this.#linesSinceCompaction++;
    if (this.#linesSinceCompaction < JOURNAL_COMPACT_LINES) return this.#journal.append(line);
    this.#linesSinceCompaction = 0;
    // The line may speak of what the list leaves out by now, so it follows it.
    const replaced = this.#journal.replace(this.#liveLines());
    replaced.catch(() => undefined); // the long journal still stands
    return this.#journal.append(line);
  }

  *#lines(): Iterable<string> {
    for (const [deviceId, outcomes] of this.#written) {
      for (const [key, entry] of outcomes) {
        yield beginLine({ deviceId, key, ...entry, tabId: entry.tabId });
        if (typeof entry.outcome === "object" && "result" in entry.outcome) {
          yield doneLine(deviceId, key, entry.outcome.result);
        }
      }
    }
  }

  #liveLines(): string[] {
    return [...this.#lines()];
  }
}

interface Run {
  readonly deviceId: string;
  readonly key: string;
  readonly entry: Entry;
  readonly again: boolean;
}

function outcomesOf(all: Map<string, Outcomes>, deviceId: string): Outcomes {
  let outcomes = all.get(deviceId);
  if (outcomes === undefined) {
    outcomes = new Map();
    all.set(deviceId, outcomes);
  }
  return outcomes;
}

function isRunning({ outcome }: Entry): boolean {
  return typeof outcome === "object" && "running" in outcome;
}

/** For one more. Those that run stay: links bound how many there can be. */
function makeRoom(outcomes: Outcomes): void {
  for (const [key, entry] of outcomes) {
    if (outcomes.size < MAX_OUTCOMES_PER_DEVICE) return;
    if (!isRunning(entry)) outcomes.delete(key);
  }
}

function dropOld(all: Map<string, Outcomes>, before: number): void {
  for (const [deviceId, outcomes] of all) {
    for (const [key, entry] of outcomes) {
      if (entry.at >= before) break;
      if (!isRunning(entry)) outcomes.delete(key);
    }
    if (outcomes.size === 0) all.delete(deviceId);
  }
}

/** Of the content, whatever the order of keys. */
function hashOf(params: unknown): string {
  return createHash("sha256").update(canonical(params)).digest("base64url");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
