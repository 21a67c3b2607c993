/** A folder's entries: folders first, natural order, cut at what one answer takes. */
import { type Dir, type Dirent, lstat, type Stats } from "node:fs";
import { opendir } from "node:fs/promises";
import { unavailable } from "../protocol/errors.js";
import { bytesToName } from "../protocol/name-bytes.js";
import { MAX_LIST_ENTRIES, type RpcResult } from "../protocol/rpc.js";
import { fitFilesList } from "./fit.js";
import { openFolder, type Roots } from "./guard.js";
import { MAX_SCANNED_ENTRIES, SCAN_BATCH_ENTRIES } from "./limits.js";
import { FirstOf } from "./order.js";

export type FilesList = RpcResult<"files.list">;

interface Entry {
  /** The name's bytes (latin1). */
  readonly name: string;
  readonly kind: FilesList["entries"][number]["kind"] | undefined;
}

export interface ListOptions {
  readonly budgetBytes: number;
  readonly signal?: AbortSignal;
}

/** Lists a folder of the workspace; fails as the guard does. */
export async function listFolder(roots: Roots, path: string, options: ListOptions): Promise<FilesList> {
  const opened = await openFolder(roots, path);
  try {
    const scan = await scanFolder(opened.anchor, options.signal);
    const entries = await withSizes(opened.anchor, scan.entries);
    const list = { path: opened.path, entries, ...(scan.truncated ? { truncated: true } : {}) };
    return fitFilesList(list, options.budgetBytes);
  } finally {
    await opened.handle.close();
  }
}

/** The first entries in their order, folders before all else. */
async function scanFolder(
  anchor: string,
  signal: AbortSignal | undefined,
): Promise<{ entries: Entry[]; truncated: boolean }> {
  const folders = new FirstOf<Entry>(MAX_LIST_ENTRIES);
  const others = new FirstOf<Entry>(MAX_LIST_ENTRIES);
  let seen = 0;
  // latin1 keeps each byte of a name, and is by far the fastest way to have it.
  const dir = await opendir(anchor, {
    encoding: "latin1" as BufferEncoding,
    bufferSize: SCAN_BATCH_ENTRIES,
  }).catch((error: unknown): never => {
    throw unavailable("The daemon may not list this folder; look at its permissions", error);
  });
  try {
    await eachBatch(dir, (batch) => {
      seen += batch.length;
      for (const entry of batch) {
        const kind = kindOf(entry);
        (kind === "dir" ? folders : others).add({ name: entry.name, kind });
      }
      return seen < MAX_SCANNED_ENTRIES && signal?.aborted !== true;
    });
  } finally {
    await dir.close();
  }
  const entries = [...folders.sorted(), ...others.sorted()].slice(0, MAX_LIST_ENTRIES);
  return { entries, truncated: seen > entries.length };
}

/** Hands on all entries until `take` says that it has enough. The system reads the next ones while it takes these. */
function eachBatch(dir: Dir, take: (batch: readonly Dirent[]) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let batch: Dirent[] = [];
    let enough = false;
    const next = (): void =>
      dir.read((error, entry) => {
        if (error !== null) return reject(unavailable("The folder could not be read to its end", error));
        if (entry !== null) batch.push(entry);
        if (entry === null || enough) {
          if (!enough) take(batch);
          return resolve();
        }
        next();
        if (batch.length < SCAN_BATCH_ENTRIES) return;
        const full = batch;
        batch = [];
        enough = !take(full);
      });
    next();
  });
}

/** Undefined when the file system does not say. */
function kindOf(entry: Dirent | Stats): Entry["kind"] {
  if (entry.isDirectory()) return "dir";
  if (entry.isSymbolicLink()) return "link";
  if (entry.isFile() || isSpecial(entry)) return "file";
  return undefined;
}

function isSpecial(entry: Dirent | Stats): boolean {
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

/** Entries with their sizes; one that went away meanwhile stays, without a size. */
function withSizes(anchor: string, entries: readonly Entry[]): Promise<FilesList["entries"]> {
  const sized: FilesList["entries"] = [];
  const folder = Buffer.from(`${anchor}/`);
  return new Promise((resolve) => {
    let left = entries.length;
    const done = (): void => {
      if (--left === 0) resolve(sized);
    };
    if (left === 0) resolve(sized);
    // By callbacks: two thousand promises would take longer than the system does.
    for (const [index, { name, kind }] of entries.entries()) {
      const bytes = Buffer.from(name, "latin1");
      const wire = PLAIN.test(name) ? name : bytesToName(bytes);
      if (kind === "dir" || kind === "link") {
        sized[index] = { name: wire, kind };
        done();
        continue;
      }
      lstat(Buffer.concat([folder, bytes]), (error, found) => {
        const stats = error === null ? found : undefined;
        const told = kind ?? (stats === undefined ? "file" : (kindOf(stats) ?? "file"));
        sized[index] = { name: wire, kind: told, ...(stats?.isFile() === true ? { size: stats.size } : {}) };
        done();
      });
    }
  });
}

/** Bytes that are their own characters. */
const PLAIN = /^[\x20-\x7e]*$/;
