/**
 * One chat on disk: a folder with its state (written whole, fsynced, renamed),
 * the log of its items (appended as they change) and its blobs. A torn last line
 * of the log is what a crash leaves, and is dropped.
 */
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { AgentSenderSchema } from "../protocol/view.js";
import { Blobs } from "./blobs.js";
import type { ChatDelta } from "./items.js";

const QueuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** Media types; the bytes lie in the blobs under the message's id. */
  images: z.array(z.string()),
  from: AgentSenderSchema.optional(),
  priority: z.literal("now").optional(),
  at: z.number(),
  /** The program has it, but nobody saw the agent read it. */
  handed: z.boolean(),
});
export type QueuedMessage = z.infer<typeof QueuedSchema>;

export const ChatFileSchema = z.object({
  version: z.literal(1),
  tabId: z.string(),
  workspaceId: z.string(),
  agent: z.enum(["claude", "codex"]),
  profileId: z.string(),
  cwd: z.string(),
  sessionId: z.string().optional(),
  title: z.string(),
  /** A person gave the title: programs no longer change it. */
  titled: z.boolean(),
  settings: z.object({
    model: z.string().nullable(),
    effort: z.string().nullable(),
    permissionMode: z.string(),
  }),
  queue: z.array(QueuedSchema),
  /** Open when this was written: after a restart they are gone. */
  requests: z.array(z.string()),
  turn: z.object({ startedAt: z.number(), from: AgentSenderSchema.optional() }).optional(),
  error: z.object({ message: z.string(), kind: z.string() }).optional(),
  since: z.number(),
  /** How far the agent's own log is known. */
  cursor: z.number().optional(),
  closed: z.boolean().optional(),
});
export type ChatFile = z.infer<typeof ChatFileSchema>;

export class ChatStore {
  readonly blobs: Blobs;
  readonly #dir: string;
  #log: FileHandle | undefined;
  #logBytes = 0;
  #saving: Promise<void> = Promise.resolve();
  #next: ChatFile | undefined;
  #closed = false;

  constructor(dir: string) {
    this.#dir = dir;
    this.blobs = new Blobs(path.join(dir, "blobs"));
  }

  static async read(dir: string): Promise<ChatFile> {
    const file = path.join(dir, "chat.json");
    try {
      return ChatFileSchema.parse(JSON.parse(await readFile(file, "utf8")));
    } catch (cause) {
      throw new Error(`${file} is damaged; move it away to start without this chat`, { cause });
    }
  }

  get logBytes(): number {
    return this.#logBytes;
  }

  /** On disk when it resolves. Saves that wait are merged: the latest state is what counts. */
  save(state: ChatFile): Promise<void> {
    const waits = this.#next !== undefined;
    this.#next = state;
    if (waits) return this.#saving;
    const saved = this.#saving.then(async () => {
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined && !this.#closed) await this.#write("chat.json", JSON.stringify(next));
    });
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  /** Items that changed, as one line. */
  async append(delta: ChatDelta): Promise<void> {
    if (this.#closed) return;
    const log = await this.#openLog();
    const line = Buffer.from(`${JSON.stringify(delta)}\n`);
    await log.write(line);
    this.#logBytes += line.length;
  }

  /** The log anew with these lines alone. */
  async rewrite(deltas: Iterable<ChatDelta>): Promise<void> {
    if (this.#closed) return;
    await this.#log?.close();
    this.#log = undefined;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const target = path.join(this.#dir, "items.jsonl");
    const temporary = `${target}.new`;
    const file = await open(temporary, "w", 0o600);
    try {
      for (const delta of deltas) await file.write(`${JSON.stringify(delta)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    this.#logBytes = (await stat(target)).size;
  }

  /** The log's lines from its start. */
  async *lines(): AsyncGenerator<ChatDelta> {
    const file = path.join(this.#dir, "items.jsonl");
    try {
      this.#logBytes = (await stat(file)).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    const input = createReadStream(file);
    try {
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        const delta = parseLine(line);
        if (delta !== undefined) yield delta;
      }
    } finally {
      input.destroy();
    }
  }

  /** What was asked before is on disk then; nothing is written after. */
  async close(): Promise<void> {
    await this.#saving;
    this.#closed = true;
    await this.#log?.close();
    this.#log = undefined;
  }

  /** The chat is no more: nothing of it stays. */
  async remove(): Promise<void> {
    this.#closed = true;
    await this.close();
    await this.blobs.clear();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #openLog(): Promise<FileHandle> {
    if (this.#log !== undefined) return this.#log;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    this.#log = await open(path.join(this.#dir, "items.jsonl"), "a", 0o600);
    const { size } = await this.#log.stat();
    this.#logBytes = size;
    if (size > 0) this.#logBytes += (await this.#log.write("\n")).bytesWritten; // parts off a torn line
    return this.#log;
  }

  async #write(name: string, text: string): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const target = path.join(this.#dir, name);
    const file = await open(`${target}.new`, "w", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${target}.new`, target);
  }
}

function parseLine(line: string): ChatDelta | undefined {
  if (line === "") return undefined;
  try {
    return JSON.parse(line) as ChatDelta; // our own log: 0600, written by ChatStore alone
  } catch {
    return undefined; // the line that a crash tore
  }
}
