import { chmodSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GitDiff } from "../../../src/git/diff.js";
import { fitGitDiff } from "../../../src/git/fit.js";
import type { DiffAsk } from "../../../src/git/git.js";
import { readHunks } from "../../../src/git/patch.js";
import type { DiffHunk } from "../../../src/protocol/view.js";
import {
  BUDGET_BYTES,
  commit,
  diffAsk,
  git,
  ourGit,
  tempFolder,
  tempRepo,
  workspaceOf,
  write,
} from "../../support/repo.js";

const diffOf = (folder: string, ask: Partial<DiffAsk> & { path: string }): Promise<GitDiff> =>
  ourGit().diff(workspaceOf(folder), diffAsk(folder, ask));

const linesOf = (diff: GitDiff): string[] => diff.hunks.flatMap((hunk) => hunk.lines);

describe("git.diff of one file", () => {
  test("tells staged from unstaged", async () => {
    const repo = tempRepo({ a: "1\n2\n3\n" });
    write(repo, { a: "1\n2\n3\n4\n" });
    git(repo, "add", "a");
    write(repo, { a: "0\n1\n2\n3\n4\n" });
    expect(await diffOf(repo, { path: "a", staged: true })).toEqual({
      path: "a",
      hunks: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [" 1", " 2", " 3", "+4"] }],
    });
    expect(linesOf(await diffOf(repo, { path: "a" }))).toEqual(["+0", " 1", " 2", " 3"]);
    expect(linesOf(await diffOf(repo, { path: join(repo, "a") }))).toHaveLength(4);
  });

  test("shows an untracked file as all added, an empty and a binary one as such", async () => {
    const repo = tempRepo({ a: "a" });
    write(repo, { "n/new": "1\n2", empty: "", bin: "a\0b", crlf: "x\r\ny\r\n" });
    expect(await diffOf(repo, { path: "n/new" })).toEqual({
      path: "n/new",
      hunks: [
        {
          oldStart: 1,
          oldLines: 0,
          newStart: 1,
          newLines: 2,
          lines: ["+1", "+2", "\\ No newline at end of file"],
        },
      ],
    });
    expect(await diffOf(repo, { path: "empty" })).toEqual({ path: "empty", hunks: [] });
    expect(await diffOf(repo, { path: "bin" })).toEqual({ path: "bin", binary: true, hunks: [] });
    expect(linesOf(await diffOf(repo, { path: "crlf" }))).toEqual(["+x\r", "+y\r"]);
    git(repo, "add", "-A");
    // Once git knows it, git says the same.
    expect(linesOf(await diffOf(repo, { path: "n/new", staged: true }))).toEqual([
      "+1",
      "+2",
      "\\ No newline at end of file",
    ]);
    expect(await diffOf(repo, { path: "bin", staged: true })).toEqual({
      path: "bin",
      binary: true,
      hunks: [],
    });
  });

  test("shows renames with their old name, staged and committed", async () => {
    const text = "1\n2\n3\n4\n5\n6\n7\n";
    const repo = tempRepo({ old: text, other: "x\n" });
    git(repo, "mv", "old", "new");
    write(repo, { new: `${text}8\n` });
    git(repo, "add", "new");
    expect(await diffOf(repo, { path: "new", staged: true })).toMatchObject({
      oldPath: "old",
      hunks: [{ lines: [" 5", " 6", " 7", "+8"] }],
    });
    const hash = commit(repo, "moved");
    expect(await diffOf(repo, { path: "new", commit: hash })).toMatchObject({ oldPath: "old" });
    git(repo, "mv", "other", "pure");
    expect(await diffOf(repo, { path: "pure", staged: true })).toEqual({
      path: "pure",
      oldPath: "other",
      hunks: [],
    });
  });

  test("shows deletions, links, submodules and a change of kind; a change of mode alone has no lines", async () => {
    const inner = tempRepo({ i: "i" });
    const repo = tempRepo({ gone: "g\n", mode: "m\n", kind: "k\n", target: "t\n" });
    symlinkSync("target", join(repo, "link"));
    git(repo, "submodule", "--quiet", "add", inner, "sub");
    commit(repo, "more");
    rmSync(join(repo, "gone"));
    chmodSync(join(repo, "mode"), 0o755);
    unlinkSync(join(repo, "kind"));
    symlinkSync("target", join(repo, "kind"));
    unlinkSync(join(repo, "link"));
    symlinkSync("elsewhere", join(repo, "link"));
    commit(join(repo, "sub"), "next");
    expect(linesOf(await diffOf(repo, { path: "gone" }))).toEqual(["-g"]);
    expect(await diffOf(repo, { path: "mode" })).toEqual({ path: "mode", hunks: [] });
    expect(linesOf(await diffOf(repo, { path: "kind" }))).toEqual([
      "-k",
      "+target",
      "\\ No newline at end of file",
    ]);
    expect(linesOf(await diffOf(repo, { path: "link" })).filter((line) => !line.startsWith("\\"))).toEqual([
      "-target",
      "+elsewhere",
    ]);
    expect(linesOf(await diffOf(repo, { path: "sub" })).map((line) => line.slice(0, 19))).toEqual([
      "-Subproject commit ",
      "+Subproject commit ",
    ]);
  });

  test("keeps CR, a missing final newline and lines that look like headers", async () => {
    const repo = tempRepo({ a: "x\r\n-- a\ny" });
    write(repo, { a: "x\n++ b\n@@ -1 +1 @@\ny\n" });
    expect(linesOf(await diffOf(repo, { path: "a" }))).toEqual([
      "-x\r",
      "--- a",
      "-y",
      "\\ No newline at end of file",
      "+x",
      "+++ b",
      "+@@ -1 +1 @@",
      "+y",
    ]);
  });

  test("shows a conflict against our side, or against the base when one side deleted the file", async () => {
    const repo = tempRepo({ a: "1\n2\n3\n", du: "1\n2\n", ud: "1\n2\n" });
    git(repo, "checkout", "-q", "-b", "other");
    write(repo, { a: "1\ntheirs\n3\n", du: "1\ntheirs\n" });
    rmSync(join(repo, "ud"));
    commit(repo, "other");
    git(repo, "checkout", "-q", "main");
    write(repo, { a: "1\nours\n3\n", ud: "1\nours\n" });
    rmSync(join(repo, "du"));
    commit(repo, "ours");
    expect(() => git(repo, "merge", "-q", "other")).toThrow();
    expect(linesOf(await diffOf(repo, { path: "a" }))).toEqual([
      " 1",
      "+<<<<<<< HEAD",
      " ours",
      "+=======",
      "+theirs",
      "+>>>>>>> other",
      " 3",
    ]);
    expect(linesOf(await diffOf(repo, { path: "du" }))).toEqual([" 1", "-2", "+theirs"]);
    expect(linesOf(await diffOf(repo, { path: "ud" }))).toEqual([" 1", "-2", "+ours"]);
  });

  test("leaves the user's settings of diff without effect on its form", async () => {
    const repo = tempRepo({ a: "1\n\n2\n" });
    const settings = {
      "diff.noprefix": "true",
      "diff.mnemonicPrefix": "true",
      "diff.context": "0",
      "color.ui": "always",
      "diff.suppressBlankEmpty": "true",
      "diff.colorMoved": "zebra",
      "diff.wordRegex": ".",
      "core.quotePath": "true",
      "diff.relative": "true",
      "diff.interHunkContext": "9",
      "diff.statGraphWidth": "3",
    };
    for (const [key, value] of Object.entries(settings)) git(repo, "config", key, value);
    write(repo, { a: "1\n\n3\n" });
    expect(linesOf(await diffOf(repo, { path: "a" }))).toEqual([" 1", " ", "-2", "+3"]);
  });

  test("of a folder says NotFound, of the workspace asks for a file", async () => {
    const repo = tempRepo({ "d/a": "1\n" });
    write(repo, { "d/a": "2\n" });
    await expect(diffOf(repo, { path: "d" })).rejects.toMatchObject({ code: 1001 });
    await expect(diffOf(repo, { path: "." })).rejects.toMatchObject({ code: -32602 });
    await expect(diffOf(repo, { path: "d/a", staged: true, base: true })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("works on the workspace's own part of a larger repository", async () => {
    const repo = tempRepo({ "app/a": "1\n", "lib/a": "1\n" });
    write(repo, { "app/a": "2\n", "lib/a": "2\n", "app/n": "n\n" });
    expect(linesOf(await diffOf(join(repo, "app"), { path: "a" }))).toEqual(["-1", "+2"]);
    expect(linesOf(await diffOf(join(repo, "app"), { path: "n" }))).toEqual(["+n"]);
    await expect(diffOf(join(repo, "app"), { path: "../lib/a" })).rejects.toMatchObject({ code: 1002 });
  });
});

describe("git.diff of commits and branches", () => {
  test("lists a commit's files with counts, and shows each of them", async () => {
    const repo = tempRepo({ a: "1\n2\n", b: "x\0y", gone: "g\n" });
    write(repo, { a: "1\n3\n4\n", b: "x\0z", "new\n1": "n\n" });
    rmSync(join(repo, "gone"));
    const hash = commit(repo, "change");
    expect(await diffOf(repo, { path: ".", commit: hash })).toEqual({
      path: ".",
      hunks: [],
      files: [
        { path: "a", added: 2, removed: 1 },
        { path: "b" },
        { path: "gone", added: 0, removed: 1 },
        { path: "new\n1", added: 1, removed: 0 },
      ],
    });
    expect(linesOf(await diffOf(repo, { path: "a", commit: hash }))).toEqual([" 1", "-2", "+3", "+4"]);
    expect(await diffOf(repo, { path: "b", commit: hash })).toEqual({ path: "b", binary: true, hunks: [] });
    expect(await diffOf(repo, { path: "unchanged", commit: hash })).toEqual({ path: "unchanged", hunks: [] });
  });

  test("shows the first commit as all added, and a merge against its first parent", async () => {
    const repo = tempRepo({ a: "1\n" });
    const first = git(repo, "rev-parse", "HEAD").trim();
    git(repo, "checkout", "-q", "-b", "side");
    write(repo, { side: "s\n" });
    commit(repo, "side");
    git(repo, "checkout", "-q", "main");
    commit(repo, "main");
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side");
    const merge = git(repo, "rev-parse", "HEAD").trim();
    expect((await diffOf(repo, { path: ".", commit: first })).files).toEqual([
      { path: "a", added: 1, removed: 0 },
    ]);
    expect((await diffOf(repo, { path: ".", commit: merge })).files).toEqual([
      { path: "side", added: 1, removed: 0 },
    ]);
  });

  test("compares a branch with where it left its base, committed work only", async () => {
    const repo = tempRepo({ a: "1\n" });
    await expect(diffOf(repo, { path: ".", base: true })).rejects.toMatchObject({ code: 1003 });
    git(repo, "checkout", "-q", "-b", "task");
    write(repo, { t: "t\n" });
    commit(repo, "task");
    write(repo, { uncommitted: "u\n" });
    git(repo, "checkout", "-q", "main");
    write(repo, { m: "m\n" });
    commit(repo, "main goes on");
    git(repo, "checkout", "-q", "task");
    expect((await diffOf(repo, { path: ".", base: true })).files).toEqual([
      { path: "t", added: 1, removed: 0 },
    ]);
    expect(linesOf(await diffOf(repo, { path: "t", base: true }))).toEqual(["+t"]);
  });

  test("takes the upstream as the base of a branch made from it, but not a branch's own name there", async () => {
    const origin = tempRepo({ a: "1\n" });
    git(origin, "checkout", "-q", "-b", "release");
    write(origin, { r: "r\n" });
    commit(origin, "release");
    git(origin, "checkout", "-q", "main");
    const repo = join(tempFolder(), "clone");
    git(origin, "clone", "-q", origin, repo);
    git(repo, "checkout", "-q", "-b", "fix", "origin/release");
    write(repo, { f: "f\n" });
    commit(repo, "fix");
    expect((await diffOf(repo, { path: ".", base: true })).files).toEqual([
      { path: "f", added: 1, removed: 0 },
    ]);
    git(repo, "push", "-q", "-u", "origin", "fix");
    expect((await diffOf(repo, { path: ".", base: true })).files).toHaveLength(2);
    git(repo, "checkout", "-q", "main");
    write(repo, { unpushed: "u\n" });
    commit(repo, "unpushed");
    expect((await diffOf(repo, { path: ".", base: true })).files).toEqual([
      { path: "unpushed", added: 1, removed: 0 },
    ]);
  });
});

/** Lines as files have them, those that look like parts of a diff among them. */
const fileLines = fc.array(
  fc.oneof(
    fc.constantFrom(
      "",
      "a",
      "- b",
      "+ c",
      "@@ -1,2 +3,4 @@",
      "\\ No newline at end of file",
      "-- x",
      "++ y",
      "diff --git a/x b/x",
      "\r",
      " ",
      "ä漢🧪",
    ),
    fc.string({ maxLength: 6 }).map((line) => line.replace(/\n/g, "")),
  ),
  { maxLength: 30 },
);

test("hunks applied to the old file give the new one, and a cut hunk is a start of the whole one", {
  timeout: 120_000,
}, async () => {
  const repo = tempRepo({ f: "" });
  const ours = ourGit();
  await fc.assert(
    fc.asyncProperty(
      fileLines,
      fileLines,
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 4300, max: 6000 }),
      async (before, after, endBefore, endAfter, budget) => {
        const [old, now] = [
          before.join("\n") + (endBefore ? "\n" : ""),
          after.join("\n") + (endAfter ? "\n" : ""),
        ];
        write(repo, { f: old });
        git(repo, "add", "f");
        write(repo, { f: now });
        const diff = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "f" }));
        if (diff.binary === true) return;
        expect(apply(old, diff.hunks)).toBe(Buffer.from(now).toString());
        const cut = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "f", budgetBytes: budget }));
        expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(budget);
        const [whole, part] = [linesOf(diff), linesOf(cut)];
        expect(whole.slice(0, part.length)).toEqual(part);
        expect(cut.truncated === true).toBe(part.length < whole.length);
        for (const hunk of cut.hunks) expect([hunk.oldLines, hunk.newLines]).toEqual(counts(hunk));
      },
    ),
    { numRuns: 60 },
  );
});

function counts({ lines }: DiffHunk): [number, number] {
  const of = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) || line.startsWith(" ")).length;
  return [of("-"), of("+")];
}

/** The plainest way to apply hunks, by the numbers that they give. */
function apply(old: string, hunks: readonly DiffHunk[]): string {
  const lines = old.split("\n");
  const source = old.endsWith("\n") || old === "" ? lines.slice(0, -1) : lines;
  let ended = old === "" || old.endsWith("\n");
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldStart - 1;
    out.push(...source.slice(at, start));
    at = start;
    let last = "";
    for (const line of hunk.lines) {
      const sign = line[0];
      if (sign === "\\") {
        if (last !== "-") ended = false;
        continue;
      }
      last = sign ?? "";
      if (sign !== "+") at++;
      if (sign !== "-") out.push(line.slice(1));
      if (sign !== "-") ended = true;
    }
  }
  const rest = source.slice(at);
  if (rest.length > 0) ended = old.endsWith("\n");
  return [...out, ...rest].join("\n") + (ended && out.length + rest.length > 0 ? "\n" : "");
}

describe("hunks at their worst", () => {
  test("one line of millions gives no half line, and says that it is cut", async () => {
    const repo = tempRepo({ a: "x" });
    write(repo, { a: "y".repeat(3_000_000), n: "z".repeat(3_000_000) });
    for (const path of ["a", "n"]) {
      const diff = await diffOf(repo, { path });
      expect(diff.truncated).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(diff))).toBeLessThanOrEqual(BUDGET_BYTES);
    }
  });

  test("a diff that git does not end within its bound is cut at a whole line", async () => {
    const repo = tempRepo({ a: "x\n" });
    write(repo, { a: `${"y".repeat(99)}\n`.repeat(120_000) });
    const diff = await diffOf(repo, { path: "a" });
    expect(diff.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(diff))).toBeGreaterThan(BUDGET_BYTES * 0.9);
    for (const line of linesOf(diff).slice(1)) expect(line).toBe(`+${"y".repeat(99)}`);
    expect(diff.hunks.map(({ oldLines, newLines }) => [oldLines, newLines])).toEqual(diff.hunks.map(counts));
  });

  test("an output that was ended in a line leaves that line out", () => {
    const { hunks, truncated } = readHunks("diff\n@@ -1,3 +1,3 @@\n a\n-b\n+cut he", {
      budgetBytes: 10_000,
      cut: true,
    });
    expect(truncated).toBe(true);
    expect(hunks).toEqual([{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 1, lines: [" a", "-b"] }]);
  });

  test("fit any budget by the pure function too, and say so", () => {
    const line = fc.constantFrom("+a", "-\u0001\u0001", ' "', `+${"x".repeat(500)}`, "+\ud800");
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { maxLength: 40 }), { maxLength: 10 }),
        fc.integer({ min: 4400, max: 12_000 }),
        (bodies, budget) => {
          const hunks = bodies.map((lines, n) => ({
            oldStart: n + 1,
            oldLines: 1,
            newStart: n + 1,
            newLines: 1,
            lines,
          }));
          const fitted = fitGitDiff({ path: "p", hunks }, budget);
          expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(budget);
          const whole = JSON.stringify(fitted.hunks) === JSON.stringify(hunks);
          if (!whole) expect(fitted.truncated).toBe(true);
        },
      ),
    );
  });
});
