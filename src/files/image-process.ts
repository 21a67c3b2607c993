/** One process that shrinks images, from the outside: started under limits, watched, ended when it takes too much. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { FrameReader, frame, type ShrinkAnswer, type ShrinkRequest } from "./image-frame.js";
import { IMAGE_DATA_LIMIT_KIB, IMAGE_HEAP_MIB, IMAGE_RSS_POLL_MS } from "./limits.js";

/** An answer is an image of at most a frame, and its header. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** Linux counts in pages of this size on all machines that Node's builds run on but a few, where the bound is looser. */
const PAGE_BYTES = 4096;

export interface ProcessLimits {
  readonly childFile: string;
  readonly jobMs: number;
  readonly maxRssBytes: number;
}

export interface Shrunk {
  readonly answer: ShrinkAnswer;
  readonly data: Buffer;
}

interface Job {
  readonly resolve: (shrunk: Shrunk) => void;
  readonly reject: (error: Error) => void;
}

export class ImageProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #limits: ProcessLimits;
  #job: Job | undefined;
  #ended = false;

  constructor(limits: ProcessLimits) {
    this.#limits = limits;
    // The shell sets what Node cannot: private memory, and no core file with a stranger's image in it.
    this.#child = spawn(
      "/bin/sh",
      [
        "-c",
        `ulimit -d ${IMAGE_DATA_LIMIT_KIB}; ulimit -c 0; exec "$@"`,
        "sh",
        process.execPath,
        `--max-old-space-size=${IMAGE_HEAP_MIB}`,
        limits.childFile,
      ],
      { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore"] },
    );
    const reader = new FrameReader(MAX_ANSWER_BYTES, (json, data) =>
      this.#settle((job) => job.resolve({ answer: json as ShrinkAnswer, data: Buffer.from(data) })),
    );
    this.#child.stdout.on("data", (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        this.kill(); // no frame of ours: whatever writes there is not to be trusted
      }
    });
    this.#child.stdin.on("error", () => undefined); // it ended; "close" tells the job
    this.#child.on("error", () => this.#gone());
    this.#child.on("close", () => this.#gone());
    this.#rest();
  }

  get ended(): boolean {
    return this.#ended;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** One job at a time. Rejects when the process ended before it answered, or was ended for taking too much. */
  async run(request: ShrinkRequest, input: Buffer): Promise<Shrunk> {
    if (this.#ended) throw new Error("The image process has ended");
    const timer = setTimeout(() => this.kill(), this.#limits.jobMs);
    const watch = setInterval(() => void this.#weigh(), IMAGE_RSS_POLL_MS);
    this.#child.ref();
    refStream(this.#child.stdout);
    try {
      return await new Promise<Shrunk>((resolve, reject) => {
        this.#job = { resolve, reject };
        for (const part of frame(request, input)) this.#child.stdin.write(part);
      });
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      this.#rest();
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Without work it keeps no process of ours alive. */
  #rest(): void {
    this.#child.unref();
    unrefStream(this.#child.stdin);
    unrefStream(this.#child.stdout);
  }

  /** Where /proc is missing only the kernel's own limit holds. */
  async #weigh(): Promise<void> {
    const text = await readFile(`/proc/${this.#child.pid}/statm`, "utf8").catch(() => "");
    const pages = Number(text.split(" ")[1] ?? 0);
    if (pages * PAGE_BYTES > this.#limits.maxRssBytes) this.kill();
  }

  #gone(): void {
    this.#ended = true;
    this.#settle((job) => job.reject(new Error("The image process ended")));
  }

  #settle(how: (job: Job) => void): void {
    const job = this.#job;
    this.#job = undefined;
    if (job !== undefined) how(job);
  }
}

/** A pipe of a child is a socket, which its type does not say. */
function refStream(stream: object): void {
  if ("ref" in stream && typeof stream.ref === "function") stream.ref();
}

function unrefStream(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
