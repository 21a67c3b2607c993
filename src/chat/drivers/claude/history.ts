/**
 * The past chats of a folder, by Claude Code's logs under
 * <config>/projects/<folder with dashes>/. Titles come from both ends of a log
 * and are remembered by its size and time.
 */
import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { PastEntry } from "../../driver.js";
import { MAX_HISTORY_FILES, MAX_TITLES_CACHED, TITLE_SCAN_BYTES } from "../../limits.js";
import { oneLine } from "../../text.js";
import { blocksOf, textOf } from "./content.js";
import { parseRecord } from "./past.js";
import { recordOf } from "./tools.js";

const SESSION_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Files that are looked at together. */
const BATCH = 128;

const TITLE_CHARS = 200;

/** The folder's name under projects/. */
export const projectName = (cwd: string): string => cwd.replace(/[^A-Za-z0-9]/g, "-");

interface Found {
  readonly file: string;
  readonly sessionId: string;
  readonly size: number;
  readonly at: number;
}

interface Known {
  readonly size: number;
  readonly at: number;
  readonly title: string;
  readonly cwd: string | undefined;
}

export class History {
  readonly #known = new Map<string, Known>();

  /** Latest first; a log without any message of a person is none. */
  async list(
    configDir: string,
    folder: string,
    o: { query?: string; limit: number; signal?: AbortSignal },
  ): Promise<PastEntry[]> {
    const files = await this.#files(configDir, folder);
    const query = o.query?.toLowerCase();
    const entries: PastEntry[] = [];
    for (let at = 0; at < files.length && entries.length < o.limit; at += BATCH) {
      o.signal?.throwIfAborted();
      const batch = files.slice(at, at + BATCH);
      const known = batch.map((found) => this.#look(found));
      for (const [index, found] of batch.entries()) {
        const one = known[index];
        const { title, cwd } = (one instanceof Promise ? await one : one) ?? {};
        if (title === undefined || title === "" || !isInside(folder, cwd)) continue;
        if (query !== undefined && !title.toLowerCase().includes(query)) continue;
        entries.push({
          sessionId: found.sessionId,
          title,
          at: found.at,
          bytes: found.size,
          ...(cwd === undefined ? {} : { cwd }),
        });
      }
    }
    return entries.slice(0, o.limit);
  }

  /** The log of a session of this folder, and where it ran; undefined when it is another folder's. */
  async find(
    configDir: string,
    folder: string,
    sessionId: string,
  ): Promise<{ file: string; cwd: string } | undefined> {
    if (!SESSION_ID.test(sessionId)) return undefined;
    for (const dir of await projectDirs(configDir, folder)) {
      const file = path.join(dir, `${sessionId}.jsonl`);
      const found = await statOf(file);
      if (found === undefined) continue;
      const { cwd } = await this.#look(found);
      if (isInside(folder, cwd)) return { file, cwd: cwd ?? folder };
    }
    return undefined;
  }

  /** By date, without reading anything. */
  async #files(configDir: string, folder: string): Promise<Found[]> {
    const all: Found[] = [];
    for (const dir of await projectDirs(configDir, folder)) {
      const names = (await readdir(dir).catch(() => [])).filter((name) =>
        SESSION_ID.test(name.replace(/\.jsonl$/, "")),
      );
      for (let at = 0; at < names.length; at += BATCH) {
        const found = await Promise.all(
          names.slice(at, at + BATCH).map((name) => statOf(path.join(dir, name))),
        );
        all.push(...found.filter((file) => file !== undefined));
      }
    }
    return all.sort((a, b) => b.at - a.at).slice(0, MAX_HISTORY_FILES);
  }

  /** At once when it is known: thousands of logs are looked at each time. */
  #look(found: Found): Known | Promise<Known> {
    const known = this.#known.get(found.file);
    if (known !== undefined && known.size === found.size && known.at === found.at) return known;
    return this.#read(found);
  }

  async #read(found: Found): Promise<Known> {
    const ends = await readEnds(found).catch(() => ({ title: "", cwd: undefined })); // gone since it was listed
    const read = { size: found.size, at: found.at, ...ends };
    this.#known.delete(found.file);
    this.#known.set(found.file, read);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_TITLES_CACHED) break;
      this.#known.delete(oldest);
    }
    return read;
  }
}

/** The folder's own project, and those whose name begins like it: their logs tell where they ran. */
async function projectDirs(configDir: string, folder: string): Promise<string[]> {
  const root = path.join(configDir, "projects");
  const name = projectName(folder);
  const names = await readdir(root).catch(() => []); // nobody ran Claude with this profile yet
  return names.filter((dir) => dir === name || dir.startsWith(`${name}-`)).map((dir) => path.join(root, dir));
}

async function statOf(file: string): Promise<Found | undefined> {
  const found = await stat(file).catch(() => undefined); // gone since it was listed
  if (found?.isFile() !== true || found.size === 0) return undefined;
  return { file, sessionId: path.basename(file, ".jsonl"), size: found.size, at: Math.round(found.mtimeMs) };
}

function isInside(folder: string, cwd: string | undefined): boolean {
  return (
    cwd !== undefined && (cwd === folder || cwd.startsWith(folder.endsWith("/") ? folder : `${folder}/`))
  );
}

async function readEnds(found: Found): Promise<{ title: string; cwd: string | undefined }> {
  const start = await readPiece(found.file, 0, Math.min(TITLE_SCAN_BYTES, found.size));
  const end =
    found.size <= TITLE_SCAN_BYTES
      ? ""
      : await readPiece(found.file, Math.max(TITLE_SCAN_BYTES, found.size - TITLE_SCAN_BYTES), found.size);
  let custom: string | undefined;
  let made: string | undefined;
  let prompt: string | undefined;
  let cwd: string | undefined;
  for (const text of `${start}\n${end}`.split("\n")) {
    if (!/"(?:type":"user"|cwd"|customTitle"|aiTitle"|lastPrompt")/.test(text)) continue;
    const record = parseRecord({ offset: 0, bytes: Buffer.from(text) });
    if (record === undefined) {
      cwd ??= /"cwd":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]; // a line longer than what was read
      continue;
    }
    const { customTitle, aiTitle, lastPrompt, cwd: ran } = recordOf(record);
    if (typeof customTitle === "string") custom = customTitle;
    if (typeof aiTitle === "string") made = aiTitle;
    if (typeof ran === "string") cwd ??= ran;
    prompt ??= promptIn(record) ?? (typeof lastPrompt === "string" ? lastPrompt : undefined);
  }
  const title = prompt === undefined && custom === undefined ? "" : (custom ?? made ?? prompt ?? "");
  return { title: oneLine(title, TITLE_CHARS), cwd };
}

/** What a person wrote first. */
function promptIn(record: ReturnType<typeof parseRecord>): string | undefined {
  if (record?.type !== "user" || record.isMeta === true || record.isSidechain === true) return undefined;
  if (blocksOf(record).some((block) => block.type === "tool_result")) return undefined;
  const text = textOf(record);
  return text === "" || text.startsWith("<") || text.startsWith("[Request interrupted") ? undefined : text;
}

async function readPiece(file: string, from: number, to: number): Promise<string> {
  const handle = await open(file, "r");
  try {
    const buffer = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
