import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitGitLog } from "../../../src/git/fit.js";
import { readRefs } from "../../../src/git/log.js";
import { BUDGET_BYTES, commit, git, ourGit, tempFolder, tempRepo, workspaceOf } from "../../support/repo.js";

const logOf = (folder: string, ask: { limit?: number; skip?: number } = {}) =>
  ourGit().log(workspaceOf(folder), { budgetBytes: BUDGET_BYTES, ...ask });

describe("git.log", () => {
  test("gives the branch's commits, latest first, with the names that a phone shows", async () => {
    const repo = tempRepo({ a: "a" });
    git(repo, "tag", "v1.0");
    git(repo, "branch", "feature/x");
    const hash = commit(repo, "second | with \u001b[31m odd \u202e things\n\nand a body");
    const { commits } = await logOf(repo);
    expect(commits).toEqual([
      {
        hash,
        subject: "second | with \u001b[31m odd \u202e things",
        author: "A",
        at: Date.UTC(2026, 0, 2, 3, 4, 5),
        refs: ["main"],
      },
      expect.objectContaining({ subject: "first", refs: ["v1.0", "feature/x"] }),
    ]);
  });

  test("goes on where `skip` says, and ends where the commits end", async () => {
    const repo = tempRepo({ a: "0" });
    for (let n = 1; n < 60; n++) commit(repo, `c${n}`);
    const subjects = async (ask: object): Promise<string[]> =>
      (await logOf(repo, ask)).commits.map(({ subject }) => subject);
    expect(await subjects({})).toHaveLength(50);
    expect(await subjects({ limit: 2, skip: 1 })).toEqual(["c58", "c57"]);
    expect(await subjects({ limit: 200, skip: 58 })).toEqual(["c1", "first"]);
    expect(await subjects({ skip: 60 })).toEqual([]);
    expect(await subjects({ skip: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  test("of a branch without commits gives none; an empty subject is one", async () => {
    const repo = tempRepo();
    expect(await logOf(repo)).toEqual({ commits: [] });
    git(repo, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "");
    expect((await logOf(repo)).commits).toMatchObject([{ subject: "", author: "A" }]);
    git(repo, "checkout", "-q", "--orphan", "new");
    expect(await logOf(repo)).toEqual({ commits: [] });
  });

  test("does not look at the user's settings of log", async () => {
    const repo = tempRepo({ a: "a" });
    for (const [key, value] of Object.entries({
      "format.pretty": "oneline",
      "log.decorate": "no",
      "log.follow": "true",
      "color.ui": "always",
      "log.date": "relative",
      "log.diffMerges": "on",
    })) {
      git(repo, "config", key, value);
    }
    expect((await logOf(repo)).commits).toMatchObject([{ subject: "first", refs: ["main"] }]);
  });

  test("shows a remote's branches, and of its HEAD nothing", async () => {
    const origin = tempRepo({ a: "a" });
    const repo = join(tempFolder(), "clone");
    git(origin, "clone", "-q", origin, repo);
    expect((await logOf(repo)).commits[0]?.refs).toEqual(["main", "origin/main"]);
    git(repo, "checkout", "-q", "--detach");
    expect((await logOf(repo)).commits[0]?.refs).toEqual(["HEAD", "origin/main", "main"]);
  });
});

test("readRefs takes what git decorates with apart", () => {
  expect(readRefs("")).toEqual([]);
  expect(readRefs("HEAD -> a,b, tag: v1, origin/HEAD, origin/a,b")).toEqual(["a,b", "v1", "origin/a,b"]);
});

test("fits any budget with the worst of commits, never by half a character", () => {
  const text = fc.constantFrom("\u0001", "🧪", "x", "\ud800").map((unit) => unit.repeat(3000));
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 200 }),
      fc.integer({ min: 6000, max: BUDGET_BYTES }),
      (subjects, budget) => {
        const commits = subjects.map((subject) => ({
          hash: "0".repeat(64),
          subject,
          author: subject,
          at: 1,
          refs: Array.from({ length: 500 }, () => "r"),
        }));
        const fitted = fitGitLog({ commits }, budget);
        expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(budget);
        for (const { subject } of fitted.commits) expect(subject.length).toBeLessThanOrEqual(500);
      },
    ),
    { numRuns: 50 },
  );
});
