/** git for the workspaces: finds the repository, silences its filters, asks, and shapes the answer. */
import { invalidParams } from "../protocol/errors.js";
import { type DiffPlace, type GitDiff, gitDiff, type ReadWorkTree, type Sides } from "./diff.js";
import type { GitEnvironment } from "./env.js";
import { FilterOverrides } from "./filters.js";
import { type GitLog, gitLog } from "./log.js";
import { type GitCall, type GitWorkspace, relativePath } from "./place.js";
import { baseRange, changedFiles, commitRange } from "./range.js";
import { findRepository, type Repository } from "./repository.js";
import { GitRunner } from "./run.js";
import { type GitStatus, gitStatus, runStatus } from "./status.js";
import { checkTrust } from "./trust.js";

export interface GitOptions {
  readonly environment: GitEnvironment;
  readonly timeoutMs?: number;
}

export interface DiffAsk extends GitCall {
  readonly path: string;
  readonly staged?: boolean | undefined;
  /** A full hash; its form is checked by the caller. */
  readonly commit?: string | undefined;
  readonly base?: boolean | undefined;
  readonly read: ReadWorkTree;
}

/** As sessions.list shows it. */
export interface GitSummary {
  readonly branch: string | null;
  readonly ahead: number;
  readonly behind: number;
  readonly uncommitted: number;
}

export class Git {
  readonly #runner: GitRunner;
  readonly #filters: FilterOverrides;

  constructor(options: GitOptions) {
    this.#runner = new GitRunner(options);
    this.#filters = new FilterOverrides(this.#runner);
  }

  async status(workspace: GitWorkspace, call: GitCall): Promise<GitStatus> {
    return await gitStatus(this.#runner, await this.#place(workspace, call.signal), call);
  }

  /** For ".": the files of a commit or of the branch, with counts. */
  async diff(workspace: GitWorkspace, ask: DiffAsk): Promise<GitDiff> {
    const path = relativePath(workspace, ask.path);
    const place = await this.#place(workspace, ask.signal);
    const sides = await this.#sides(place.repository, ask);
    if (path !== "") return await gitDiff(this.#runner, place, { ...ask, path, sides });
    if (sides.of !== "commits") throw invalidParams("Give a file's path; git.status lists the changed ones");
    return await changedFiles(this.#runner, place, { ...ask, sides });
  }

  async log(workspace: GitWorkspace, ask: GitCall & { limit?: number; skip?: number }): Promise<GitLog> {
    return await gitLog(this.#runner, await this.#repository(workspace, ask.signal), ask);
  }

  /** Branch and counts only, for the list of workspaces; rejects when the folder is in no repository. */
  async summary(workspace: GitWorkspace): Promise<GitSummary & { repository: Repository }> {
    const place = await this.#place(workspace, undefined);
    let uncommitted = 0;
    const { branch, ahead, behind } = await runStatus(this.#runner, place.repository, workspace, {
      overrides: place.overrides,
      onFile() {
        uncommitted++;
        return true;
      },
    });
    return { branch, ahead, behind, uncommitted, repository: place.repository };
  }

  close(): void {
    this.#runner.close();
  }

  async #place(workspace: GitWorkspace, signal: AbortSignal | undefined): Promise<DiffPlace> {
    const repository = await this.#repository(workspace, signal);
    return { repository, workspace, overrides: await this.#filters.of(repository, signal) };
  }

  async #repository(workspace: GitWorkspace, signal: AbortSignal | undefined): Promise<Repository> {
    const repository = await findRepository(workspace.folder);
    await checkTrust(this.#runner, repository, signal);
    return repository;
  }

  async #sides(repository: Repository, ask: DiffAsk): Promise<Sides> {
    const chosen = [ask.commit !== undefined, ask.base === true, ask.staged === true].filter(Boolean);
    if (chosen.length > 1) throw invalidParams("`staged`, `commit` and `base` exclude each other");
    if (ask.commit !== undefined) return await commitRange(this.#runner, repository, ask.commit, ask.signal);
    if (ask.base === true) return await baseRange(this.#runner, repository, ask.signal);
    return { of: ask.staged === true ? "staged" : "unstaged" };
  }
}
