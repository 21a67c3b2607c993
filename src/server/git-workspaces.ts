/**
 * What git knows of the workspaces: how their branches stand, their worktrees
 * as child workspaces, and the repositories under the owner's project roots.
 */
import type { Git, GitSummary } from "../git/git.js";
import { findRepositories } from "../git/projects.js";
import { WorkspaceGit } from "../git/watch.js";
import { listWorktrees } from "../git/worktrees.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tabs } from "../sessions/tabs.js";
import type { Workspace, Workspaces } from "../sessions/workspaces.js";
import type { Log } from "./log.js";

export interface GitWorkspacesDeps {
  readonly git: Git;
  readonly workspaces: Workspaces;
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  /** Folders of the daemon that no workspace shows. */
  readonly forbidden: readonly string[];
  readonly projectRoots: readonly string[];
  readonly log: Log;
}

/** How often worktrees and project roots are looked for while a device is connected: people make them by hand. */
const DISCOVER_MS = 60_000;

export class GitWorkspaces {
  readonly #deps: GitWorkspacesDeps;
  readonly #watch: WorkspaceGit;
  readonly #stops: (() => void)[] = [];
  #discovery: NodeJS.Timeout | undefined;
  #discovering: Promise<void> | undefined;
  #watched = false;

  constructor(deps: GitWorkspacesDeps) {
    this.#deps = deps;
    const { git, forbidden, workspaces } = deps;
    this.#watch = new WorkspaceGit({ summary: (workspace) => git.summary(workspace), forbidden });
    for (const workspace of workspaces.list()) this.#follow(workspace);
    this.#stops.push(
      workspaces.onChange(({ type, workspace }) => {
        if (type === "removed") this.#watch.remove(workspace.path);
        else this.#follow(workspace);
      }),
      this.#watch.onChange((path) => this.#changed(path)),
    );
  }

  /** A device is connected, or none is: without one nothing is looked at. */
  setWatched(watched: boolean): void {
    if (watched === this.#watched) return;
    this.#watched = watched;
    clearInterval(this.#discovery);
    if (!watched) {
      this.#watch.pause();
      return;
    }
    this.#watch.resume();
    this.#discovery = setInterval(() => void this.discover(), DISCOVER_MS);
    this.#discovery.unref();
    void this.discover();
  }

  /** Looks for worktrees and repositories now; one look at a time. */
  discover(): Promise<void> {
    this.#discovering ??= this.#discover().finally(() => {
      this.#discovering = undefined;
    });
    return this.#discovering;
  }

  close(): void {
    clearInterval(this.#discovery);
    for (const stop of this.#stops) stop();
    this.#watch.close();
  }

  async #discover(): Promise<void> {
    const { workspaces, tabs, projectRoots, log } = this.#deps;
    try {
      await workspaces.setProjects(projectRoots.length === 0 ? [] : await findRepositories(projectRoots));
      for (const { id, path, parentId, closed, manager } of [...workspaces.list()]) {
        if (parentId !== undefined || closed === true || manager === true) continue;
        const found = await listWorktrees(path);
        const paths = found.map((worktree) => worktree.path).filter((other) => other !== path);
        await workspaces.setWorktrees(id, paths, (child) => tabs.of(child).length > 0);
      }
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "could not look for worktrees and repositories");
    }
  }

  #follow({ path, closed, manager }: Workspace): void {
    if (closed !== true && manager !== true) this.#watch.add(path);
  }

  #changed(path: string): void {
    const { workspaces, sessions } = this.#deps;
    const summary: GitSummary | undefined = this.#watch.get(path);
    for (const workspace of workspaces.list()) {
      if (workspace.path === path) sessions.setGit(workspace.id, summary);
    }
  }
}
