/** A folder's entries: folders first, natural order, cut at what one answer takes. */
import { type Dirent, lstat, type Stats } from "node:fs";
import { opendir } from "node:fs/promises";
import { unavailable } from "../protocol/errors.js";
import { bytesToName } from "../protocol/name-bytes.js";
import { MAX_LIST_ENTRIES, type RpcResult } from "../protocol/rpc.js";
import { fitFilesList } from "./fit.js";
import { openFolder, type Roots } from "./guard.js";
import { MAX_SCANNED_ENTRIES, SCAN_BATCH_ENTRIES } from "./limits.js";
import { compareNatural, FirstOf } from "./order.js";

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
  const folders = new FirstOf<Entry>(MAX_LIST_ENTRIES, byName);
  const others = new FirstOf<Entry>(MAX_LIST_ENTRIES, byName);
  let seen = 0;
  // latin1 keeps each byte of a name, and is by far the fastest way to have it.
  const dir = await opendir(anchor, {
    encoding: "latin1" as BufferEncoding,
    bufferSize: SCAN_BATCH_ENTRIES,
  }).catch((error: unknown): never => {
    throw unavailable("The daemon may not list this folder; look at its permissions", error);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const next = (): void =>
        dir.read((error, entry) => {
          if (error !== null) return reject(unavailable("The folder could not be read to its end", error));
          if (entry === null || seen > MAX_SCANNED_ENTRIES || signal?.aborted === true) return resolve();
          seen++;
          const kind = kindOf(entry);
          (kind === "dir" ? folders : others).add({ name: entry.name, kind });
          next();
        });
      next();
    });
  } finally {
    await dir.close();
  }
  const entries = [...folders.sorted(), ...others.sorted()].slice(0, MAX_LIST_ENTRIES);
  return { entries, truncated: seen > entries.length };
}

const byName = (a: Entry, b: Entry): number => compareNatural(a.name, b.name);

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
async function withSizes(anchor: string, entries: readonly Entry[]): Promise<FilesList["entries"]> {
  return await Promise.all(
    entries.map(async ({ name, kind }) => {
      const bytes = Buffer.from(name, "latin1");
      const wire = bytesToName(bytes);
      if (kind === "dir" || kind === "link") return { name: wire, kind };
      const stats = await statsOf(Buffer.concat([Buffer.from(`${anchor}/`), bytes]));
      const told = kind ?? (stats === undefined ? "file" : (kindOf(stats) ?? "file"));
      return { name: wire, kind: told, ...(stats?.isFile() === true ? { size: stats.size } : {}) };
    }),
  );
}

/** By the callback form: two thousand of them take half the time of promises'. */
function statsOf(path: Buffer): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    lstat(path, (error, stats) => resolve(error === null ? stats : undefined));
  });
}
