/** Repositories under the folders that the owner calls project roots. */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { MAX_PROJECT_DEPTH, MAX_PROJECT_FOLDERS, MAX_REPOSITORIES } from "./limits.js";
import { gitDirsOf } from "./repository.js";

export interface ProjectLimits {
  readonly depth?: number;
  readonly folders?: number;
  readonly repositories?: number;
}

/** Large, and nobody's own work. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "vendor", "target", "dist", "build"]);

/**
 * The main work trees below the roots, sorted; a root may be one itself. Links
 * and hidden folders are not followed, and nothing inside a repository is looked at.
 */
export async function findRepositories(
  projectRoots: readonly string[],
  limits: ProjectLimits = {},
): Promise<string[]> {
  const {
    depth = MAX_PROJECT_DEPTH,
    folders = MAX_PROJECT_FOLDERS,
    repositories = MAX_REPOSITORIES,
  } = limits;
  const found = new Set<string>();
  let level = await Promise.all(projectRoots.map((root) => realpath(root).catch(() => undefined)));
  let seen = 0;
  for (let below = 0; below <= depth && level.length > 0; below++) {
    const next: string[] = [];
    for (const folder of level) {
      if (folder === undefined || ++seen > folders || found.size >= repositories) continue;
      const kind = await kindOf(folder);
      if (kind === "repository") found.add(folder);
      else if (kind === "folder") next.push(...(await foldersIn(folder)));
    }
    level = next;
  }
  return [...found].sort();
}

/** A worktree or a submodule has a `.git` file: it comes with its repository, not by itself. */
async function kindOf(folder: string): Promise<"repository" | "linked" | "folder"> {
  try {
    const dirs = await gitDirsOf(folder);
    if (dirs === undefined) return "folder";
    return dirs.gitDir === join(folder, ".git") ? "repository" : "linked";
  } catch {
    return "linked"; // refused: nothing to offer
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name))
    .map((entry) => join(folder, entry.name));
}
