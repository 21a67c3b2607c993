/** What a name in the work tree holds, as git sees it: a file's bytes, or where a link points, never through it. */
import { lstat, readlink } from "node:fs/promises";
import { notFound } from "../protocol/errors.js";
import { nameToBytes } from "../protocol/name-bytes.js";
import { openFile, openFolder, type Roots } from "./guard.js";
import { readStart } from "./read.js";

export interface EntryContent {
  readonly data: Buffer;
  /** Whether the file goes on after `data`. */
  readonly more: boolean;
}

/** At most `maxBytes` of it; `path` is relative to the workspace. Fails as the guard does. */
export async function readEntry(roots: Roots, path: string, maxBytes: number): Promise<EntryContent> {
  const slash = path.lastIndexOf("/");
  const parent = await openFolder(roots, path.slice(0, Math.max(slash, 0)));
  try {
    const name = Buffer.concat([Buffer.from(`${parent.anchor}/`), nameToBytes(path.slice(slash + 1))]);
    const stats = await lstat(name).catch(gone);
    if (stats.isSymbolicLink()) {
      return { data: await readlink(name, { encoding: "buffer" }).catch(gone), more: false };
    }
  } finally {
    await parent.handle.close();
  }
  const { handle } = await openFile(roots, path);
  try {
    const bytes = await readStart(handle, maxBytes + 1);
    return { data: bytes.subarray(0, maxBytes), more: bytes.length > maxBytes };
  } finally {
    await handle.close();
  }
}

/** Not there, or something else by now. */
function gone(): never {
  throw notFound("file");
}
