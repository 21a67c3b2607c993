/**
 * Regular expressions from outside, in a worker that can be ended: a pattern
 * may take time beyond all measure on a line that is made for it. One worker
 * serves all terminals of a host, one look at a time.
 */
import { Worker } from "node:worker_threads";
import { invalidParams } from "../../protocol/errors.js";
import { MATCH_BUDGET_MS, MATCH_LINE_CHARS, MATCH_LINES, MATCH_WALL_MS } from "./limits.js";

type Answer = { readonly ready: true } | { readonly found: string | null } | { readonly invalid: string };

/** The worker's whole program; it stands alone, because it is handed over as text. */
function work(): void {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  let source = "";
  let pattern: RegExp | undefined;
  parentPort?.on("message", (job: { pattern: string; lines: string[] }) => {
    try {
      if (job.pattern !== source || !pattern) {
        pattern = new RegExp(job.pattern);
        source = job.pattern;
      }
    } catch (error) {
      parentPort.postMessage({ invalid: (error as Error).message });
      return;
    }
    // The newest line first would be found sooner, but the first in order is what was waited for.
    parentPort.postMessage({ found: job.lines.find((line) => pattern?.test(line)) ?? null });
  });
  parentPort?.postMessage({ ready: true });
}

export class Matcher {
  #worker: Promise<Worker>;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor() {
    this.#worker = startWorker();
    this.#worker.catch(() => undefined);
  }

  /** Resolves to the first line that matches; InvalidParams for a pattern that is none, or that takes too long. */
  first(pattern: string, lines: readonly string[]): Promise<string | undefined> {
    const cut = lines.slice(-MATCH_LINES).map((line) => line.slice(0, MATCH_LINE_CHARS));
    const look = this.#last.then(() => this.#look(pattern, cut));
    this.#last = look.catch(() => undefined);
    return look;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.then((worker) => worker.terminate()).catch(() => undefined);
  }

  async #look(pattern: string, lines: string[]): Promise<string | undefined> {
    if (this.#closed) return undefined;
    const worker = await this.#worker;
    const answer = await ask(worker, { pattern, lines });
    if (answer === undefined) {
      this.#worker = startWorker();
      this.#worker.catch(() => undefined);
      await worker.terminate();
      throw invalidParams("match took too long, use a simpler pattern");
    }
    if ("invalid" in answer) throw invalidParams("match is no regular expression");
    return "found" in answer ? (answer.found ?? undefined) : undefined;
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(`(${work.toString()})()`, { eval: true, env: {}, stdin: false });
  worker.unref();
  await new Promise<void>((resolve, reject) => {
    worker.once("message", () => resolve());
    worker.once("error", reject);
  });
  return worker;
}

/** undefined when the budget was used up: CPU time, so that a loaded machine alone ends no honest pattern. */
function ask(worker: Worker, job: { pattern: string; lines: string[] }): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const began = performance.now();
    const cpu = process.cpuUsage();
    const finish = (answer: Answer | undefined): void => {
      clearTimeout(timer);
      worker.removeAllListeners("message");
      worker.removeAllListeners("error");
      resolve(answer);
    };
    const check = (): void => {
      const used = process.cpuUsage(cpu);
      const spent = (used.user + used.system) / 1000 >= MATCH_BUDGET_MS * 0.8;
      if (spent || performance.now() - began >= MATCH_WALL_MS) finish(undefined);
      else timer = setTimeout(check, MATCH_BUDGET_MS);
    };
    let timer = setTimeout(check, MATCH_BUDGET_MS);
    worker.once("message", finish);
    worker.once("error", () => finish(undefined));
    worker.postMessage(job);
  });
}
