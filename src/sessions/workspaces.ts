/**
 * The folders that the owner opened: added by hand, found under the project
 * roots (closed until first used), git worktrees of one of them, and the one
 * of the manager. Ids are random and stay over restarts.
 */
import { EventEmitter } from "node:events";
import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, relative, sep } from "node:path";
import { z } from "zod";
import { forbidden, invalidParams, notFound, unavailable } from "../protocol/errors.js";
import { newId } from "./ids.js";
import type { Kept } from "./kept.js";
import { MAX_WORKSPACES } from "./limits.js";

const WorkspaceSchema = z.object({
  id: z.string().min(1),
  /** The folder's name, with a number when another workspace has it. */
  name: z.string().min(1),
  /** The real path of the folder. */
  path: z.string().refine(isAbsolute, "is no absolute path"),
  /** The workspace that this one is a git worktree of. */
  parentId: z.string().optional(),
  manager: z.boolean().optional(),
  /** Found under a project root, and not used yet. */
  closed: z.boolean().optional(),
});
export type Workspace = z.infer<typeof WorkspaceSchema>;

export const WorkspacesFileSchema = z.object({
  version: z.literal(1),
  workspaces: z.array(WorkspaceSchema).max(MAX_WORKSPACES),
});
export type WorkspacesFile = z.infer<typeof WorkspacesFileSchema>;
export const EMPTY_WORKSPACES: WorkspacesFile = { version: 1, workspaces: [] };

export interface WorkspaceChange {
  readonly type: "added" | "changed" | "removed";
  readonly workspace: Workspace;
}

export interface WorkspacesOptions {
  readonly kept: Kept<WorkspacesFile>;
  /** Made when it is not there; never inside a forbidden folder. */
  readonly managerPath: string;
  /** Folders of the daemon that no workspace may lie in: state, config, runtime. */
  readonly forbidden: readonly string[];
}

export class Workspaces {
  readonly #kept: Kept<WorkspacesFile>;
  readonly #forbidden: readonly string[];
  readonly #changes = new EventEmitter<{ change: [WorkspaceChange] }>();
  /** Changes of the list, one after the other: each looks at the disk and at the names in use. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: WorkspacesOptions) {
    this.#kept = options.kept;
    this.#forbidden = options.forbidden;
    this.#changes.setMaxListeners(0);
  }

  /** With the manager workspace in place. */
  static async open(options: WorkspacesOptions): Promise<Workspaces> {
    const workspaces = new Workspaces(options);
    await mkdir(options.managerPath, { recursive: true, mode: 0o700 });
    await workspaces.#keepManager(await realpath(options.managerPath));
    return workspaces;
  }

  /** The manager first, then in the order in which they came; closed ones too. */
  list(): readonly Workspace[] {
    return this.#kept.value.workspaces;
  }

  get(id: string): Workspace | undefined {
    return this.list().find((workspace) => workspace.id === id);
  }

  /** By id, else by path as it stands in the list, else by name. */
  find(text: string): Workspace | undefined {
    return (
      this.get(text) ??
      this.list().find(({ path }) => path === text) ??
      this.list().find(({ name }) => name === text)
    );
  }

  get manager(): Workspace {
    const manager = this.list().find((workspace) => workspace.manager === true);
    if (manager === undefined) throw new Error("The manager workspace is missing");
    return manager;
  }

  /**
   * Opens a folder; a folder that is one already answers with that workspace.
   * Throws InvalidParams when it is no folder, Forbidden for the daemon's own.
   */
  add(path: string): Promise<Workspace> {
    return this.#inOrder(async () => {
      const real = await this.#folder(path);
      const known = this.list().find((workspace) => workspace.path === real);
      if (known !== undefined) return await this.#opened(known);
      const workspace = { id: newId(), name: this.#freeName(real), path: real };
      await this.#save([...this.list(), workspace]);
      this.#tell("added", workspace);
      return workspace;
    });
  }

  /** A closed workspace is open from now on; throws NotFound. */
  use(id: string): Promise<Workspace> {
    return this.#inOrder(async () => {
      const workspace = this.get(id);
      if (workspace === undefined) throw notFound("workspace");
      return await this.#opened(workspace);
    });
  }

  /** Takes a workspace and its worktrees off the list; the folders stay as they are. */
  remove(id: string): Promise<Workspace> {
    return this.#inOrder(async () => {
      const workspace = this.get(id);
      if (workspace === undefined) throw notFound("workspace");
      if (workspace.manager === true) throw forbidden("The manager workspace stays; remove another one");
      await this.#drop((one) => one.id === id || one.parentId === id);
      return workspace;
    });
  }

  /**
   * The repositories that the project roots hold now: new ones come as closed,
   * closed ones that are gone go. Past the bound the rest is left out.
   */
  setProjects(paths: readonly string[]): Promise<void> {
    return this.#inOrder(async () => {
      const there = new Set(await this.#usable(paths));
      await this.#drop((one) => one.closed === true && one.parentId === undefined && !there.has(one.path));
      await this.#addFound(there, { closed: true });
    });
  }

  /**
   * The worktrees of a repository as they are now. One that is gone leaves the
   * list unless `inUse` says that it has sessions; one that the owner added by
   * itself gets its parent.
   */
  setWorktrees(parentId: string, paths: readonly string[], inUse: (id: string) => boolean): Promise<void> {
    return this.#inOrder(async () => {
      const parent = this.get(parentId);
      if (parent === undefined) throw notFound("workspace");
      const there = new Set((await this.#usable(paths)).filter((path) => path !== parent.path));
      await this.#drop((one) => one.parentId === parentId && !there.has(one.path) && !inUse(one.id));
      for (const orphan of this.list().filter((one) => there.has(one.path) && one.parentId !== parentId)) {
        if (orphan.manager !== true && parent.parentId === undefined)
          await this.#change({ ...orphan, parentId });
      }
      await this.#addFound(there, { parentId });
    });
  }

  /** Called after each change; the answer ends it. */
  onChange(listener: (change: WorkspaceChange) => void): () => void {
    this.#changes.on("change", listener);
    return () => void this.#changes.off("change", listener);
  }

  async #keepManager(path: string): Promise<void> {
    const known = this.list().find((workspace) => workspace.manager === true);
    if (known?.path === path) return;
    const name = this.#freeName(path);
    const manager = known === undefined ? { id: newId(), name, path, manager: true } : { ...known, path };
    await this.#save([manager, ...this.list().filter((one) => one.id !== manager.id && one.path !== path)]);
  }

  async #folder(path: string): Promise<string> {
    if (!isAbsolute(path) || path.includes("\0"))
      throw invalidParams("A workspace is named by its absolute path");
    let real: string;
    try {
      real = await realpath(path);
      if (!(await stat(real)).isDirectory())
        throw invalidParams("This is no folder; name the folder it lies in");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") throw invalidParams("There is no such folder");
      if (code === "EACCES" || code === "ELOOP") throw invalidParams("This folder cannot be entered");
      throw error;
    }
    if (this.#isForbidden(real)) {
      throw forbidden("This folder is the daemon's own, with its keys; choose another one");
    }
    return real;
  }

  #isForbidden(path: string): boolean {
    return this.#forbidden.some((folder) => {
      const way = relative(folder, path);
      return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
    });
  }

  /** Those of the paths that can be workspaces, as real paths. */
  async #usable(paths: readonly string[]): Promise<string[]> {
    const found = await Promise.all(paths.map((path) => this.#folder(path).catch(() => undefined)));
    return found.filter((path) => path !== undefined);
  }

  async #addFound(paths: ReadonlySet<string>, mark: { closed: true } | { parentId: string }): Promise<void> {
    const known = new Set(this.list().map(({ path }) => path));
    const added: Workspace[] = [];
    for (const path of paths) {
      if (known.has(path) || this.list().length + added.length >= MAX_WORKSPACES) continue;
      added.push({ id: newId(), name: this.#freeName(path, added), path, ...mark });
    }
    if (added.length === 0) return;
    await this.#save([...this.list(), ...added]);
    for (const workspace of added) this.#tell("added", workspace);
  }

  async #opened(workspace: Workspace): Promise<Workspace> {
    if (workspace.closed !== true) return workspace;
    const { closed: _, ...open } = workspace;
    return await this.#change(open);
  }

  async #change(workspace: Workspace): Promise<Workspace> {
    await this.#save(this.list().map((one) => (one.id === workspace.id ? workspace : one)));
    this.#tell("changed", workspace);
    return workspace;
  }

  async #drop(goes: (workspace: Workspace) => boolean): Promise<void> {
    const gone = this.list().filter(goes);
    if (gone.length === 0) return;
    await this.#save(this.list().filter((one) => !gone.includes(one)));
    for (const workspace of gone) this.#tell("removed", workspace);
  }

  #freeName(path: string, alsoTaken: readonly Workspace[] = []): string {
    const taken = new Set([...this.list(), ...alsoTaken].map(({ name }) => name));
    const base = basename(path) || "root";
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
    return name;
  }

  async #save(workspaces: Workspace[]): Promise<void> {
    if (workspaces.length > MAX_WORKSPACES) {
      throw unavailable(`${MAX_WORKSPACES} workspaces are open; remove one that is no longer used`);
    }
    await this.#kept.save({ version: 1, workspaces });
  }

  #tell(type: WorkspaceChange["type"], workspace: Workspace): void {
    this.#changes.emit("change", { type, workspace });
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
