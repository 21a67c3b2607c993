/**
 * Images made small enough for a frame, upright and without metadata, in
 * processes of their own: at most two at once, each with one image at a time.
 */
import { fileURLToPath } from "node:url";
import { type RpcFailure, unavailable } from "../protocol/errors.js";
import { type ImageMediaType, MAX_ATTACHMENT_BYTES } from "../protocol/rpc.js";
import type { ShrinkAnswer } from "./image-frame.js";
import { ImageProcess, type ProcessLimits, type Shrunk } from "./image-process.js";
import {
  IMAGE_IDLE_MS,
  IMAGE_JOB_MS,
  IMAGE_MAX_RSS_BYTES,
  MAX_IMAGE_INPUT_BYTES,
  MAX_IMAGE_JOBS,
  MAX_IMAGE_QUEUE,
} from "./limits.js";

export interface ShrunkImage {
  readonly mediaType: ImageMediaType;
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface ImageShrinkerOptions extends Partial<ProcessLimits> {
  /** A process without work ends after this long. */
  readonly idleMs?: number;
}

const CHILD_FILE = fileURLToPath(new URL("./image-child.js", import.meta.url));

export class ImageShrinker {
  readonly #limits: ProcessLimits;
  readonly #idleMs: number;
  /** Without work, each with the timer that ends it. */
  readonly #idle = new Map<ImageProcess, NodeJS.Timeout>();
  readonly #busy = new Set<ImageProcess>();
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(options: ImageShrinkerOptions = {}) {
    this.#limits = {
      childFile: options.childFile ?? CHILD_FILE,
      jobMs: options.jobMs ?? IMAGE_JOB_MS,
      maxRssBytes: options.maxRssBytes ?? IMAGE_MAX_RSS_BYTES,
    };
    this.#idleMs = options.idleMs ?? IMAGE_IDLE_MS;
  }

  /**
   * png, jpeg, gif (its first picture), webp, avif, tiff or svg, as png, jpeg
   * or webp of at most `maxBytes` (MAX_ATTACHMENT_BYTES when absent). Unavailable
   * for what is damaged, too large or too much for the process.
   */
  async shrink(input: Buffer, options: { maxBytes?: number } = {}): Promise<ShrunkImage> {
    const maxBytes = Math.min(options.maxBytes ?? MAX_ATTACHMENT_BYTES, MAX_ATTACHMENT_BYTES);
    if (input.length > MAX_IMAGE_INPUT_BYTES) throw unavailable("This image is too large to be shown");
    const worker = await this.#take();
    try {
      const { answer, data } = await worker.run({ maxBytes }, input).catch(overtaxed);
      if (!answer.ok) throw refused(answer);
      return { mediaType: answer.mediaType, width: answer.width, height: answer.height, data };
    } finally {
      this.#giveBack(worker);
    }
  }

  /** Ends the processes; what is in work or waits fails as Unavailable. */
  close(): void {
    this.#closed = true;
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer);
      worker.kill();
    }
    this.#idle.clear();
    for (const worker of this.#busy) worker.kill();
    this.#wakeAll();
  }

  /** The processes that run, for tests and the doctor. */
  get pids(): number[] {
    return [...this.#idle.keys(), ...this.#busy].flatMap(({ pid, ended }) =>
      pid === undefined || ended ? [] : [pid],
    );
  }

  async #take(): Promise<ImageProcess> {
    while (this.#busy.size >= MAX_IMAGE_JOBS && !this.#closed) {
      if (this.#waiting.length >= MAX_IMAGE_QUEUE)
        throw unavailable("Too many images at once; try again in a moment");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#closed) throw unavailable("The daemon is stopping");
    const worker = this.#idleOne() ?? new ImageProcess(this.#limits);
    this.#busy.add(worker);
    return worker;
  }

  #idleOne(): ImageProcess | undefined {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      if (!worker.ended) return worker;
    }
    return undefined;
  }

  #giveBack(worker: ImageProcess): void {
    this.#busy.delete(worker);
    if (this.#closed) worker.kill();
    else if (!worker.ended) {
      const timer = setTimeout(() => {
        this.#idle.delete(worker);
        worker.kill();
      }, this.#idleMs);
      timer.unref();
      this.#idle.set(worker, timer);
    }
    this.#waiting.shift()?.();
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

function overtaxed(error: unknown): Shrunk {
  throw unavailable("This image takes too much memory or time to be shown", error);
}

function refused(answer: Extract<ShrinkAnswer, { ok: false }>): RpcFailure {
  const why = {
    damaged: "This image is damaged, or of a kind that cannot be shown",
    pixels: "This image has too many pixels to be shown",
    size: "This image cannot be made small enough to send",
    time: "This image takes too long to be shown",
  } as const;
  return unavailable(why[answer.why]);
}
