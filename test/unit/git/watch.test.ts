import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GitSummary } from "../../../src/git/git.js";
import { findRepositories } from "../../../src/git/projects.js";
import { WorkspaceGit, type WorkspaceGitOptions } from "../../../src/git/watch.js";
import { commit, git, ourGit, tempFolder, tempRepo, write } from "../../support/repo.js";
import { waitFor } from "../../support/wait-for.js";

function watchOf(options: Partial<WorkspaceGitOptions> = {}): {
  watch: WorkspaceGit;
  looks: string[];
  told: string[];
} {
  const ours = ourGit();
  const looks: string[] = [];
  const told: string[] = [];
  const watch = new WorkspaceGit({
    forbidden: [],
    pollMs: 600_000,
    settleMs: 20,
    summary: async (workspace) => {
      looks.push(workspace.folder);
      return await ours.summary(workspace);
    },
    ...options,
  });
  watch.onChange((path) => told.push(path));
  onTestFinished(() => watch.close());
  return { watch, looks, told };
}

describe("WorkspaceGit", () => {
  test("tells the branch and counts once resumed, and again after a commit, a checkout and a new file", async () => {
    const repo = tempRepo({ a: "a" });
    const { watch, told } = watchOf();
    watch.add(repo);
    expect(watch.get(repo)).toBeUndefined();
    watch.resume();
    const now = (want: Partial<GitSummary>): Promise<unknown> =>
      waitFor(
        JSON.stringify(want),
        () => JSON.stringify({ ...watch.get(repo), ...want }) === JSON.stringify(watch.get(repo)),
      );
    await now({ branch: "main", ahead: 0, behind: 0, uncommitted: 0 });
    write(repo, { b: "b" });
    await now({ uncommitted: 1 });
    commit(repo, "b");
    await now({ uncommitted: 0 });
    git(repo, "checkout", "-q", "-b", "other");
    await now({ branch: "other" });
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(new Set(told)).toEqual(new Set([repo]));
  });

  test("finds what lies deeper by its poll", async () => {
    const repo = tempRepo({ "deep/er/a": "a" });
    const { watch } = watchOf({ pollMs: 50 });
    watch.add(repo);
    watch.resume();
    await waitFor("the first look", () => watch.get(repo));
    write(repo, { "deep/er/a": "b" });
    await waitFor("the change", () => watch.get(repo)?.uncommitted === 1);
  });

  test("looks at nothing while paused, and tells only what changed", async () => {
    const repo = tempRepo({ a: "a" });
    const { watch, looks, told } = watchOf({ pollMs: 20 });
    watch.add(repo);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(looks).toEqual([]);
    watch.resume();
    await waitFor("some looks", () => looks.length >= 3);
    expect(told).toEqual([repo]);
    watch.pause();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const count = looks.length;
    write(repo, { b: "b" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(looks.length).toBe(count);
    watch.resume();
    await waitFor("the change", () => watch.get(repo)?.uncommitted === 1);
  });

  test("looks at one repository once at a time, however often it changes", async () => {
    const repo = tempRepo({ a: "a" });
    let running = 0;
    let most = 0;
    const ours = ourGit();
    const { watch } = watchOf({
      settleMs: 1,
      pollMs: 5,
      summary: async (workspace) => {
        most = Math.max(most, ++running);
        const summary = await ours.summary(workspace);
        running--;
        return summary;
      },
    });
    watch.add(repo);
    watch.resume();
    for (let n = 0; n < 20; n++) {
      write(repo, { [`f${n}`]: "x" });
      watch.touch(repo);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await waitFor("all of it", () => watch.get(repo)?.uncommitted === 20);
    expect(most).toBe(1);
  });

  test("has nothing to say of a folder without a repository, and forgets one that goes", async () => {
    const folder = tempFolder();
    const repo = tempRepo({ a: "a" });
    const { watch, looks } = watchOf({ pollMs: 50 });
    watch.add(folder);
    watch.add(repo);
    watch.resume();
    await waitFor("the first look", () => watch.get(repo));
    expect(watch.get(folder)).toBeUndefined();
    rmSync(join(repo, ".git"), { recursive: true });
    await waitFor("its end", () => watch.get(repo) === undefined);
    watch.remove(folder);
    watch.close();
    watch.close();
    watch.resume();
    watch.add(folder);
    const count = looks.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(looks.length).toBeLessThanOrEqual(count + 1);
  });
});

describe("findRepositories", () => {
  test("finds the repositories under the roots, none inside another, no worktree, nothing behind links or hidden", async () => {
    const root = tempFolder();
    for (const name of ["one", "group/two", "group/deep/er/three", ".hidden/no", "node_modules/no"]) {
      mkdirSync(join(root, name), { recursive: true });
      git(join(root, name), "init", "-q", "-b", "main");
    }
    write(join(root, "one"), { a: "a" });
    commit(join(root, "one"), "a");
    mkdirSync(join(root, "one/inner"));
    git(join(root, "one/inner"), "init", "-q");
    git(join(root, "one"), "worktree", "add", "-q", "../linked");
    mkdirSync(join(root, "empty/.git"), { recursive: true });
    const names = ["one", "group/two", "group/deep/er/three"].map((name) => join(root, name)).sort();
    expect(await findRepositories([root, root, join(root, "nothing")])).toEqual(names);
    expect(await findRepositories([join(root, "one")])).toEqual([join(root, "one")]);
    expect(await findRepositories([root], { depth: 1 })).toEqual([join(root, "one")]);
    expect(await findRepositories([root], { repositories: 2 })).toHaveLength(2);
    expect((await findRepositories([root], { folders: 3 })).length).toBeLessThan(3);
  });
});
