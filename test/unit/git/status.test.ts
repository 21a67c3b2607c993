import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GitStatus } from "../../../src/git/status.js";
import {
  BUDGET_BYTES,
  commit,
  git,
  ourGit,
  tempFolder,
  tempRepo,
  workspaceOf,
  write,
} from "../../support/repo.js";

const statusOf = (folder: string, budgetBytes = BUDGET_BYTES): Promise<GitStatus> =>
  ourGit().status(workspaceOf(folder), { budgetBytes });

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";

describe("git.status", () => {
  test("tells the branch, also one without a commit, and null for a detached head", async () => {
    const repo = tempRepo();
    expect(await statusOf(repo)).toEqual({ branch: "main", ahead: 0, behind: 0, files: [] });
    write(repo, { a: "a" });
    commit(repo, "a");
    git(repo, "checkout", "-q", "--detach");
    expect(await statusOf(repo)).toMatchObject({ branch: null });
    git(repo, "checkout", "-q", "-b", "feat/ü (x)".replace(/[ ()]/g, "-"));
    expect((await statusOf(repo)).branch).toBe("feat/ü--x-");
  });

  test("tells how the branch stands against its upstream", async () => {
    const origin = tempRepo({ a: "a" });
    const repo = join(tempFolder(), "clone");
    git(origin, "clone", "-q", origin, repo);
    commit(repo, "mine");
    commit(repo, "mine too");
    commit(origin, "theirs");
    git(repo, "fetch", "-q");
    expect(await statusOf(repo)).toMatchObject({
      branch: "main",
      upstream: "origin/main",
      ahead: 2,
      behind: 1,
    });
    git(repo, "update-ref", "-d", "refs/remotes/origin/main");
    expect(await statusOf(repo)).toMatchObject({ branch: "main", ahead: 0, behind: 0 });
  });

  test("knows each letter, staged and not", async () => {
    const repo = tempRepo({
      m: TEXT,
      s: TEXT,
      both: TEXT,
      d: TEXT,
      ds: TEXT,
      t: TEXT,
      mode: TEXT,
      moved: `${TEXT}seven\n`,
    });
    write(repo, { m: `${TEXT}x`, s: `${TEXT}x`, both: `${TEXT}x`, added: "a", later: "n" });
    git(repo, "add", "s", "both", "added");
    git(repo, "add", "-N", "later");
    write(repo, { both: `${TEXT}xy` });
    rmSync(join(repo, "d"));
    git(repo, "rm", "-q", "ds");
    rmSync(join(repo, "t"));
    symlinkSync("m", join(repo, "t"));
    chmodSync(join(repo, "mode"), 0o755);
    git(repo, "mv", "moved", "here");
    const { files } = await statusOf(repo);
    expect(files).toEqual([
      { path: "added", staged: "A" },
      { path: "both", staged: "M", unstaged: "M" },
      { path: "d", unstaged: "D" },
      { path: "ds", staged: "D" },
      { path: "here", staged: "R", oldPath: "moved" },
      { path: "later", unstaged: "A" },
      { path: "m", unstaged: "M" },
      { path: "mode", unstaged: "M" },
      { path: "s", staged: "M" },
      { path: "t", unstaged: "T" },
    ]);
  });

  test("shows copies where the configuration looks for them", async () => {
    const repo = tempRepo({ a: TEXT });
    git(repo, "config", "status.renames", "copies");
    write(repo, { a: `${TEXT}x\n`, b: TEXT });
    git(repo, "add", "-A");
    expect((await statusOf(repo)).files).toContainEqual({ path: "b", staged: "C", oldPath: "a" });
  });

  test("shows each kind of conflict with the letters of both sides", async () => {
    const repo = tempRepo({ uu: TEXT, du: TEXT, ud: TEXT });
    git(repo, "checkout", "-q", "-b", "other");
    write(repo, { uu: TEXT.replace("two", "TWO"), du: TEXT.replace("two", "TWO"), aa: "theirs\n" });
    rmSync(join(repo, "ud"));
    commit(repo, "other");
    git(repo, "checkout", "-q", "main");
    write(repo, { uu: TEXT.replace("two", "zwei"), ud: TEXT.replace("two", "zwei"), aa: "ours\n" });
    rmSync(join(repo, "du"));
    commit(repo, "ours");
    expect(() => git(repo, "merge", "-q", "other")).toThrow();
    expect((await statusOf(repo)).files).toEqual([
      { path: "aa", staged: "A", unstaged: "A" },
      { path: "du", staged: "D", unstaged: "U" },
      { path: "ud", staged: "U", unstaged: "D" },
      { path: "uu", staged: "U", unstaged: "U" },
    ]);
  });

  test("lists the files of untracked folders, not ignored ones, and a repository inside as one", async () => {
    const repo = tempRepo({ ".gitignore": "*.log\nout/\n" });
    write(repo, { "new/a": "a", "new/deep/b": "b", "x.log": "l", "out/y": "y" });
    mkdirSync(join(repo, "inner"));
    git(join(repo, "inner"), "init", "-q");
    write(repo, { "inner/z": "z" });
    commit(join(repo, "inner"), "z");
    expect((await statusOf(repo)).files).toEqual([
      { path: "inner/", unstaged: "?" },
      { path: "new/a", unstaged: "?" },
      { path: "new/deep/b", unstaged: "?" },
    ]);
  });

  test("shows a submodule by its commit and lets its files alone", async () => {
    const inner = tempRepo({ i: "i" });
    const repo = tempRepo({ a: "a" });
    git(repo, "submodule", "--quiet", "add", inner, "sub");
    commit(repo, "sub");
    write(repo, { "sub/i": "dirty" });
    expect((await statusOf(repo)).files).toEqual([]);
    commit(join(repo, "sub"), "next");
    expect((await statusOf(repo)).files).toEqual([{ path: "sub", unstaged: "M" }]);
  });

  test("of a workspace inside a larger repository is about the workspace alone, by its own paths", async () => {
    const repo = tempRepo({ "app/a": TEXT, "app-two/a": TEXT, "lib/l": `${TEXT}l\n`, top: TEXT });
    write(repo, {
      "app/a": "changed",
      "app-two/a": "changed",
      "app/new/n": "n",
      top: "changed",
      untracked: "u",
    });
    git(repo, "mv", "lib/l", "app/from-lib");
    expect(await statusOf(join(repo, "app"))).toEqual({
      branch: "main",
      ahead: 0,
      behind: 0,
      files: [
        { path: "a", unstaged: "M" },
        { path: "from-lib", staged: "A" },
        { path: "new/n", unstaged: "?" },
      ],
    });
  });

  test("works in a linked worktree, and in a repository of SHA-256", async () => {
    const repo = tempRepo({ a: "a" });
    git(repo, "worktree", "add", "-q", "-b", "task", "../task");
    write(join(repo, "../task"), { a: "b" });
    expect(await statusOf(join(repo, "../task"))).toMatchObject({
      branch: "task",
      files: [{ path: "a", unstaged: "M" }],
    });
    const wide = join(tempFolder(), "wide");
    mkdirSync(wide);
    git(wide, "init", "-q", "-b", "main", "--object-format=sha256");
    write(wide, { a: "a" });
    commit(wide, "a");
    write(wide, { a: "b" });
    expect((await statusOf(wide)).files).toEqual([{ path: "a", unstaged: "M" }]);
  });

  test("says so where there is no work tree", async () => {
    const bare = join(tempFolder(), "bare");
    mkdirSync(bare);
    git(bare, "init", "-q", "--bare");
    await expect(statusOf(bare)).rejects.toThrow("This folder is in no git repository");
    await expect(statusOf(tempFolder())).rejects.toMatchObject({ code: 1003 });
    const empty = tempFolder();
    mkdirSync(join(empty, ".git"));
    await expect(statusOf(empty)).rejects.toMatchObject({ code: 1003 });
    const broken = tempRepo({ a: "a" });
    writeFileSync(join(broken, ".git/index"), "nonsense");
    await expect(statusOf(broken)).rejects.toMatchObject({ code: 1003 });
    const moved = tempRepo({ a: "a" });
    renameSync(join(moved, ".git"), join(moved, "../elsewhere"));
    writeFileSync(join(moved, ".git"), "gitdir: ../elsewhere\n");
    await expect(statusOf(moved)).rejects.toThrow(/not served/);
  });

  test("is cut at what fits, and says so", async () => {
    const repo = tempRepo();
    write(repo, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`\u0001${n}`, ""])));
    const cut = await statusOf(repo, 8000);
    expect(cut.truncated).toBe(true);
    expect(cut.files.length).toBeGreaterThan(10);
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(8000);
    expect((await statusOf(repo)).truncated).toBeUndefined();
  });
});
