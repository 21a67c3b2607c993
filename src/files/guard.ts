/**
 * The one guard: a path of the wire becomes an open file or folder, or a
 * failure. What is opened lies in the workspace's folders by the path that the
 * open handle has, not by the one that was asked for. Outside of them, there
 * and not there are the same answer. Paths are byte strings in here (latin1).
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { forbidden, invalidParams, notFound, type RpcFailure, unavailable } from "../protocol/errors.js";
import { bytesToName, nameToBytes } from "../protocol/name-bytes.js";
import { MAX_LINKS } from "./limits.js";

/** What a workspace covers. */
export interface Roots {
  /** Real paths that are there now: the workspace's own folder first, then those its chats were given. */
  folders(): Promise<string[]>;
  /** Real paths that are refused whatever covers them. */
  readonly forbidden: readonly string[];
}

/** Something that lies inside, held open: close it. */
export interface Opened {
  /** Its real path as the wire has it. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** A path to the open folder itself, whatever takes its name meanwhile. */
  readonly anchor: string;
}

const SLASH = "/";

/** Kernel folders whose "files" are no files: never served, not even under a workspace at `/`. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

const onLinux = process.platform === "linux";

const toBytes = (path: string): Buffer => Buffer.from(path, "latin1");
const fromName = (name: string): string => Buffer.from(nameToBytes(name)).toString("latin1");
const toName = (path: string): string => bytesToName(toBytes(path));

/** Opens a regular file for reading. Forbidden outside, NotFound, InvalidParams for a folder, Unavailable for the rest. */
export function openFile(roots: Roots, path: string): Promise<Opened> {
  return openInside(roots, path, "file");
}

/** Opens a folder for listing; "" is the workspace's own. */
export function openFolder(roots: Roots, path: string): Promise<Opened> {
  return openInside(roots, path, "folder");
}

type Kind = "file" | "folder";

async function openInside(roots: Roots, path: string, kind: Kind): Promise<Opened> {
  const scope = await Scope.of(roots);
  const real = await resolveInside(scope, path);
  // Looked at before it is opened: opening a device or a pipe can have an effect of its own.
  checkKind(await lstat(toBytes(real)).catch(gone), kind);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(toBytes(real), flags).catch(failed);
  try {
    const stats = await handle.stat();
    const now = await pathOf(handle, stats, real);
    if (!scope.covers(now)) throw outside();
    checkKind(stats, kind);
    const anchor = onLinux ? `/proc/self/fd/${handle.fd}` : real;
    return { path: toName(now), handle, stats, anchor };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The folders of one request. */
class Scope {
  readonly own: string;
  readonly #folders: readonly string[];
  readonly #forbidden: readonly string[];

  private constructor(own: string, folders: readonly string[], forbiddenFolders: readonly string[]) {
    this.own = own;
    this.#folders = folders;
    this.#forbidden = forbiddenFolders;
  }

  static async of(roots: Roots): Promise<Scope> {
    const folders = (await roots.folders()).map(fromName);
    const [own] = folders;
    if (own === undefined) throw outside();
    return new Scope(own, folders, [...roots.forbidden.map(fromName), ...SYSTEM_FOLDERS]);
  }

  covers(real: string): boolean {
    return (
      this.#folders.some((folder) => isInside(folder, real)) &&
      !this.#forbidden.some((folder) => isInside(folder, real))
    );
  }
}

/** With the separator: `/w/in-evil` is not inside `/w/in`. */
function isInside(folder: string, path: string): boolean {
  if (folder === SLASH) return path.startsWith(SLASH);
  return path === folder || path.startsWith(folder + SLASH);
}

async function resolveInside(scope: Scope, path: string): Promise<string> {
  if (path.includes("\0")) throw outside();
  const asked = fromName(path);
  const absolute = asked.startsWith(SLASH) ? asked : `${scope.own}/${asked}`;
  const real = await realOf(absolute);
  if (real !== undefined && scope.covers(real)) return real;
  if (real === undefined && (await wouldBeInside(scope, absolute, MAX_LINKS))) throw notFound("file");
  throw outside();
}

/** Whether a path that does not resolve ends inside: by its deepest folder that is there, and through dangling links. */
async function wouldBeInside(scope: Scope, absolute: string, links: number): Promise<boolean> {
  const parts = absolute.split(SLASH).filter((part) => part !== "");
  let at = "";
  for (const [index, part] of parts.entries()) {
    const next = `${at}/${part}`;
    const real = await realOf(next);
    if (real !== undefined) {
      at = real === SLASH ? "" : real;
      continue;
    }
    const target = await linkOf(next);
    if (target === undefined) return scope.covers(at === "" ? SLASH : at);
    if (links === 0) return false;
    const start = target.startsWith(SLASH) ? target : `${at}/${target}`;
    return wouldBeInside(scope, [start, ...parts.slice(index + 1)].join(SLASH), links - 1);
  }
  return false; // it resolves after all: it came into being meanwhile, so ask again
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return (await realpath(toBytes(path), { encoding: "buffer" })).toString("latin1");
  } catch {
    return undefined; // not there, a loop, too long or not ours to enter: it leads nowhere
  }
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return (await readlink(toBytes(path), { encoding: "buffer" })).toString("latin1");
  } catch {
    return undefined; // no link
  }
}

/** Where the open handle lies now. */
async function pathOf(handle: FileHandle, stats: Stats, real: string): Promise<string> {
  if (stats.nlink === 0) throw notFound("file");
  if (onLinux)
    return (await readlink(`/proc/self/fd/${handle.fd}`, { encoding: "buffer" })).toString("latin1");
  // Elsewhere: the path still leads to the same inode, and through no link.
  const there = await stat(toBytes(real)).catch(gone);
  if (there.dev !== stats.dev || there.ino !== stats.ino) throw outside();
  return (await realOf(real)) ?? real;
}

function checkKind(stats: Stats, kind: Kind): void {
  if (kind === "folder" ? stats.isDirectory() : stats.isFile()) return;
  if (stats.isDirectory()) throw invalidParams("This is a folder; list it with files.list");
  if (stats.isFile()) throw invalidParams("This is a file; read it with files.read");
  throw stats.isSymbolicLink()
    ? outside()
    : unavailable("This is no regular file, so there is nothing to read");
}

const outside = (): RpcFailure => forbidden("This path is not in the workspace's folders");

function gone(): never {
  throw notFound("file");
}

function failed(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") throw notFound("file");
  if (error.code === "ELOOP") throw outside(); // a link took its place meanwhile
  throw unavailable("The daemon may not read this; look at its permissions", error);
}
