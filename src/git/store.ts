/**
 * Whether a git dir stands on its own: a planted one could lead, by links or
 * borrowed objects, into another repository and show its content.
 */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { type RpcFailure, unavailable } from "../protocol/errors.js";

export interface GitDirs {
  readonly gitDir: string;
  /** The git dir that all worktrees share. */
  readonly commonDir: string;
}

export function refused(why: string): RpcFailure {
  return unavailable(`This repository is not served: ${why}`);
}

/** Throws Unavailable when an index, a ref or an object could come from elsewhere. */
export async function checkStore({ gitDir, commonDir }: GitDirs): Promise<void> {
  const objects = join(commonDir, "objects");
  const folders = new Set([gitDir, commonDir, objects, join(objects, "pack"), join(objects, "info")]);
  const links = (await Promise.all([...folders].map(linksIn))).flat();
  for (const link of links) {
    const target = await realpath(link).catch(() => undefined);
    const inside = target !== undefined && [gitDir, commonDir].some((own) => target.startsWith(`${own}/`));
    if (!inside) throw refused("a link in its git dir leads out of it");
  }
}

/** Links among a folder's entries; throws for the file that names other repositories' objects. */
async function linksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (folder.endsWith("/objects/info") && entries.some(({ name }) => name === "alternates")) {
    throw refused(
      "it borrows the objects of another one; `git repack -a -d` and no alternates file makes it whole",
    );
  }
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
}
