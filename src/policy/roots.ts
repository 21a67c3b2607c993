/**
 * The folders that a workspace covers, and those that nothing ever covers: the
 * daemon's own state, config and runtime folders, though a root lie above them.
 */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** What the guard of files and git asks. */
export interface Roots {
  /** Real paths that are there now: the workspace's own first, then those its chats were given. */
  folders(): Promise<string[]>;
  /** Real paths, refused whatever covers them. */
  readonly forbidden: string[];
}

export interface RootsOptions {
  /** The workspace's own folder. */
  readonly own: string;
  /** The folders that the owner gave to its chats, as they are now. */
  given(): readonly string[];
  /** As {@link forbiddenFolders} gave them. */
  readonly forbidden: readonly string[];
}

export function createRoots(options: RootsOptions): Roots {
  const forbidden = [...options.forbidden];
  return {
    forbidden,
    async folders() {
      const found = await Promise.all([options.own, ...options.given()].map(realFolder));
      const there = found.filter((path) => path !== undefined);
      return [...new Set(there)].filter((path) => !forbidden.some((closed) => isInside(closed, path)));
    },
  };
}

/** The daemon's folders by every path that leads to them: as configured, and as the links in it resolve. */
export async function forbiddenFolders(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map(realOrSame));
  return [...new Set([...real, ...paths])];
}

/** A folder's real path, or undefined when it is gone or no folder. */
export async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined; // gone, or not ours to enter: either way it covers nothing
  }
}

/** Whether `path` is `folder` or lies in it; both absolute and free of links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function realOrSame(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path; // not made yet
  }
}
