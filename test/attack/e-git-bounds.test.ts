/** git that hangs, floods or is asked too often; and a repository that others work in meanwhile. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { listFolder } from "../../src/files/list.js";
import { readFile } from "../../src/files/read.js";
import { GitRunner } from "../../src/git/run.js";
import { unavailable } from "../../src/protocol/errors.js";
import { bytesToName, nameToBytes } from "../../src/protocol/name-bytes.js";
import type { GitFile } from "../../src/protocol/rpc.js";
import {
  BUDGET_BYTES,
  commit,
  diffAsk,
  git,
  ourGit,
  rootsOf,
  tempFolder,
  tempRepo,
  workspaceOf,
  write,
} from "../support/repo.js";
import { waitFor } from "../support/wait-for.js";

/** A folder with a `git` that does what `script` says; the real one is `$GIT`. */
function fakeGit(script: string): string {
  const folder = tempFolder();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(folder, "git"), `#!/bin/sh\nGIT='${real}'\n${script}\n`);
  chmodSync(join(folder, "git"), 0o755);
  return folder;
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("E10 git that does not end", () => {
  test("is ended with all that it started, and the answer is Unavailable", async () => {
    const repo = tempRepo({ a: "a" });
    const pids = join(tempFolder(), "pids");
    const path = fakeGit(`sleep 600 & echo $! >> '${pids}'; echo $$ >> '${pids}'; wait`);
    const ours = ourGit({ path: `${path}:${process.env.PATH}` }, 400);
    await expect(ours.status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES })).rejects.toMatchObject({
      code: 1003,
      message: /took too long/,
    });
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    expect(started).toHaveLength(2);
    await waitFor("their end", () => !started.some(alive));
  });

  test("is ended when the caller goes away, and by close", async () => {
    const repo = tempRepo({ a: "a" });
    const pids = join(tempFolder(), "pids");
    const path = fakeGit(`echo $$ >> '${pids}'; exec sleep 600`);
    const ours = ourGit({ path: `${path}:${process.env.PATH}` });
    const gone = new AbortController();
    const asked = ours.log(workspaceOf(repo), { budgetBytes: BUDGET_BYTES, signal: gone.signal });
    await waitFor("its start", () => existsSync(pids));
    gone.abort();
    await expect(asked).rejects.toMatchObject({ code: 1003 });
    const next = ours.log(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
    await waitFor("the next", () => readFileSync(pids, "utf8").trim().split("\n").length === 2);
    ours.close();
    await expect(next).rejects.toMatchObject({ code: 1003 });
    await expect(ours.log(workspaceOf(repo), { budgetBytes: BUDGET_BYTES })).rejects.toMatchObject({
      code: 1003,
    });
    for (const pid of readFileSync(pids, "utf8").trim().split("\n")) {
      await waitFor("its end", () => !alive(Number(pid)));
    }
  });

  test("that prints without end is cut, and nothing of it is kept", async () => {
    const repo = tempRepo({ a: "a" });
    const path = fakeGit(
      `case "$*" in *status*) while :; do printf '? %0100d\\0' 1; done;; *) exec yes;; esac`,
    );
    const ours = ourGit({ path: `${path}:${process.env.PATH}` });
    const before = process.memoryUsage().rss;
    const status = await ours.status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
    expect(status.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThanOrEqual(BUDGET_BYTES);
    const runner = new GitRunner({
      environment: { path: `${path}:${process.env.PATH}`, home: "/nonexistent" },
    });
    const flood = await runner.run({
      gitDir: repo,
      commonDir: repo,
      topLevel: repo,
      cwd: repo,
      args: ["yes"],
    });
    expect(flood).toMatchObject({ cut: true });
    expect(flood.stdout.length).toBe(8 * 1024 * 1024);
    runner.close();
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test("runs at most twice at once for a repository and eight times for all; the rest waits, within a bound", {
    timeout: 60_000,
  }, async () => {
    const marks = tempFolder();
    const path = fakeGit(`m='${marks}'/$$; : > "$m"; sleep 0.2; rm -f "$m"; exit 1`);
    const runner = new GitRunner({
      environment: { path: `${path}:${process.env.PATH}`, home: "/nonexistent" },
    });
    const places = Array.from({ length: 6 }, () => tempFolder());
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, readdirSync(marks).length);
    }, 10);
    const run = (place: string): Promise<string> =>
      runner.run({ gitDir: place, commonDir: place, topLevel: place, cwd: place, args: ["log"] }).then(
        () => "ran",
        (error: Error) => error.message,
      );
    const one = places[0] ?? "";
    const single = await Promise.all(Array.from({ length: 6 }, () => run(one)));
    expect(single).toEqual(Array(6).fill("ran"));
    expect(most).toBeLessThanOrEqual(2);
    const outcomes = await Promise.all(Array.from({ length: 90 }, (_, n) => run(places[n % 6] ?? "")));
    clearInterval(look);
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(2);
    expect(outcomes.filter((outcome) => outcome === "ran")).toHaveLength(72);
    expect(outcomes.filter((outcome) => /Too many git requests/.test(outcome))).toHaveLength(18);
    runner.close();
  });

  test("asks nobody: no prompt, no helper, no terminal", async () => {
    const repo = tempRepo({ a: "a" });
    const seen = join(tempFolder(), "env");
    const path = fakeGit(`env > '${seen}'; cat /dev/stdin >> '${seen}'; exec "$GIT" "$@"`);
    const ours = ourGit({ path: `${path}:${process.env.PATH}` });
    await ours.log(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
    const names = readFileSync(seen, "utf8")
      .split("\n")
      .map((line) => line.split("=", 1)[0])
      .filter((name) => name !== "");
    const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
    expect(names.filter((name) => !shells.includes(name ?? "")).sort()).toEqual([
      "GIT_ALLOW_PROTOCOL",
      "GIT_COMMON_DIR",
      "GIT_DIR",
      "GIT_NO_LAZY_FETCH",
      "GIT_OPTIONAL_LOCKS",
      "GIT_TERMINAL_PROMPT",
      "GIT_WORK_TREE",
      "HOME",
      "LANG",
      "LC_ALL",
      "PATH",
    ]);
  });
});

describe("E12 a repository that is being worked in", () => {
  test("is never locked or written by a status ten times a second while 500 commits are made", {
    timeout: 180_000,
  }, async () => {
    const repo = tempRepo({ "a.txt": "0\n", "b.txt": "b\n" });
    const committer = spawn(
      "sh",
      [
        "-c",
        `n=0; while [ $n -lt 500 ]; do n=$((n+1)); echo $n > a.txt; git add a.txt && git commit -q -m $n || exit 9; done`,
      ],
      {
        cwd: repo,
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          PATH: process.env.PATH ?? "",
          HOME: "/nonexistent",
          GIT_AUTHOR_NAME: "A",
          GIT_AUTHOR_EMAIL: "a@b",
          GIT_COMMITTER_NAME: "A",
          GIT_COMMITTER_EMAIL: "a@b",
        },
      },
    );
    let errors = "";
    committer.stderr.on("data", (chunk) => (errors += chunk));
    const ended = new Promise<number | null>((resolve) => committer.on("close", resolve));
    const ours = ourGit();
    const workspace = workspaceOf(repo);
    let over = false;
    void ended.then(() => (over = true));
    let polls = 0;
    while (!over) {
      const next = new Promise((resolve) => setTimeout(resolve, 100));
      await Promise.all([
        ours.status(workspace, { budgetBytes: BUDGET_BYTES }),
        ours.diff(workspace, diffAsk(repo, { path: "a.txt" })),
      ]);
      polls++;
      await next;
    }
    expect(await ended, errors).toBe(0);
    expect(errors).toBe("");
    expect(polls).toBeGreaterThan(3);
    expect(git(repo, "rev-list", "--count", "HEAD").trim()).toBe("501");
    // A file whose time changed and nothing else: git itself would write that down.
    execFileSync("touch", ["-d", "2031-01-01", join(repo, "b.txt")]);
    const index = statSync(join(repo, ".git/index"), { bigint: true });
    const names = readdirSync(join(repo, ".git")).sort();
    for (const path of ["a.txt", "b.txt", "new"]) {
      for (const staged of [false, true]) await ours.diff(workspace, diffAsk(repo, { path, staged }));
    }
    await ours.status(workspace, { budgetBytes: BUDGET_BYTES });
    await ours.log(workspace, { budgetBytes: BUDGET_BYTES });
    const after = statSync(join(repo, ".git/index"), { bigint: true });
    expect([after.mtimeNs, after.ino, after.size]).toEqual([index.mtimeNs, index.ino, index.size]);
    expect(readdirSync(join(repo, ".git")).sort()).toEqual(names);
  });

  test("with an index.lock that someone left answers all the same", async () => {
    const repo = tempRepo({ a: "a\n" });
    writeFileSync(join(repo, ".git/index.lock"), "");
    write(repo, { a: "b\n" });
    const ours = ourGit();
    expect((await ours.status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES })).files).toEqual([
      { path: "a", unstaged: "M" },
    ]);
    expect((await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "a" }))).hunks).toHaveLength(1);
    expect(existsSync(join(repo, ".git/index.lock"))).toBe(true);
  });

  test("with 100,000 changed files is cut at what fits, in bounded time and memory", {
    timeout: 120_000,
  }, async () => {
    const repo = tempRepo({ a: "a\n" });
    for (let folder = 0; folder < 100; folder++) {
      mkdirSync(join(repo, `folder-${folder}`));
      for (let n = 0; n < 1000; n++) writeFileSync(join(repo, `folder-${folder}`, `file-${n}`), "");
    }
    const ours = ourGit();
    const status = await ours.status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
    expect(status.truncated).toBe(true);
    const bytes = Buffer.byteLength(JSON.stringify(status));
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(bytes).toBeGreaterThan(BUDGET_BYTES * 0.9);
    expect((await ours.summary(workspaceOf(repo))).uncommitted).toBe(100_000);
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "many");
    const hash = git(repo, "rev-parse", "HEAD").trim();
    const diff = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: ".", commit: hash }));
    expect(diff.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(diff))).toBeLessThanOrEqual(BUDGET_BYTES);
  });
});

/** Parts of names that break quoting, splitting and matching. */
const part = fc.oneof(
  fc.constantFrom(
    "a",
    "b c",
    "-x",
    "--",
    "a\nb",
    "t\tb",
    '"q"',
    "'",
    "->",
    "日本語-변경-🧪.txt",
    "cafe\u0301",
    "*",
    "?",
    "[x]",
    ":(top)",
    "\\",
    "\u001b[0m",
    "#",
    "~",
    "$HOME",
    ".x",
    "x.",
    "\ufeff",
  ),
  fc
    .uint8Array({ minLength: 1, maxLength: 5 })
    .map((bytes) => bytesToName(bytes.map((b) => (b === 0 || b === 0x2f || b === 0x2e ? 0x61 : b)))),
);
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));

const top = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-trees-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const onDisk = (root: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), nameToBytes(name)]);

/** Leaves out what cannot stand beside what is there already: a file where a folder is, and the other way round. */
function make(root: string, name: string, content: string | { link: string }): boolean {
  try {
    const whole = onDisk(root, name);
    mkdirSync(whole.subarray(0, whole.lastIndexOf(0x2f)), { recursive: true });
    if (typeof content === "string") writeFileSync(whole, content);
    else symlinkSync(content.link, whole);
    return true;
  } catch {
    return false;
  }
}

test("E12 in random trees of odd names list, read, status and diff say what the file system and git say", {
  timeout: 180_000,
}, async () => {
  const images = {
    shrink: async (): Promise<never> => {
      throw unavailable("no images in this test");
    },
  };
  const ours = ourGit();
  await fc.assert(
    fc.asyncProperty(
      fc.array(path, { maxLength: 6 }),
      fc.array(path, { maxLength: 5 }),
      async (tracked, fresh) => {
        const root = mkdtempSync(join(top, "t-"));
        git(root, "init", "-q", "-b", "main");
        for (const name of tracked) make(root, name, "old\n");
        commit(root, "first");
        for (const name of tracked.slice(0, 3))
          if (existsSync(onDisk(root, name))) make(root, name, "new\nlines\n");
        for (const name of fresh) make(root, name, "fresh\n");
        const status = await ours.status(workspaceOf(root), { budgetBytes: BUDGET_BYTES });
        // What git itself says, byte for byte, by the older form.
        const theirs = execFileSync("git", ["status", "--porcelain=v1", "-z", "-uall", "--no-renames"], {
          cwd: root,
          env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent" },
        });
        const expected = theirs
          .toString("latin1")
          .split("\0")
          .filter((field) => field !== "")
          .map((field) => `${field.slice(0, 2)} ${bytesToName(Buffer.from(field.slice(3), "latin1"))}`);
        const letters = (file: GitFile): string =>
          file.unstaged === "?" ? "??" : `${file.staged ?? " "}${file.unstaged ?? " "}`;
        expect(status.files.map((file) => `${letters(file)} ${file.path}`).sort()).toEqual(expected.sort());
        for (const file of status.files) {
          const diff = await ours.diff(workspaceOf(root), diffAsk(root, { path: file.path }));
          const lines = diff.hunks.flatMap((hunk) => hunk.lines);
          expect(lines, file.path).toEqual(file.unstaged === "?" ? ["+fresh"] : ["-old", "+new", "+lines"]);
          const text = await readFile(rootsOf(root), file.path, { images, budgetBytes: BUDGET_BYTES });
          expect(text).toMatchObject({ kind: "text", text: readFileSync(onDisk(root, file.path), "utf8") });
          const slash = file.path.lastIndexOf("/");
          const list = await listFolder(rootsOf(root), file.path.slice(0, Math.max(0, slash)), {
            budgetBytes: BUDGET_BYTES,
          });
          expect(list.entries).toContainEqual({
            name: file.path.slice(slash + 1),
            kind: "file",
            size: statSync(onDisk(root, file.path)).size,
          });
          expect(list.entries).toHaveLength(
            readdirSync(onDisk(root, file.path.slice(0, Math.max(0, slash)))).length,
          );
        }
      },
    ),
    { numRuns: 30 },
  );
});
