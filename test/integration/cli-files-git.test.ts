/** nexus files and nexus git, on the repository that a real daemon serves. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ran, run } from "../support/command.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { commit, git, write } from "../support/repo.js";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
  git(daemon.folder, "init", "-q", "-b", "main");
  const image = await sharp({ create: { width: 20, height: 10, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  write(daemon.folder, { "a.txt": "one\n", "sub/b.txt": "b\u001b[2J\n", bin: "a\0b", "image.png": image });
  commit(daemon.folder, "first");
  write(daemon.folder, { "a.txt": "two\n", "new\u001b[2J.txt": "n\n" });
});
afterAll(() => daemon.dispose());

const nexus = (...args: string[]): Promise<Ran> =>
  run("nexus", args, { env: daemon.env, cwd: daemon.folder });

test("files ls lists a folder with nothing in a name that moves the cursor", async () => {
  const { stdout, code } = await nexus("files", "ls");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([".git/", "sub/", "a.txt", "bin", "image.png", "new␛[2J.txt", ""]);
  expect((await nexus("files", "ls", "sub", "--json")).values).toEqual([
    { path: join(daemon.folder, "sub"), entries: [{ name: "b.txt", kind: "file", size: 6 }] },
  ]);
  expect(await nexus("files", "ls", "..")).toMatchObject({ code: 4 });
  expect(await nexus("files", "ls", "nothing")).toMatchObject({ code: 3 });
});

test("files cat gives a text as it is to a pipe, refuses a binary, writes an image", async () => {
  expect(await nexus("files", "cat", "sub/b.txt")).toMatchObject({ code: 0, stdout: "b\u001b[2J\n" });
  expect(await nexus("files", "cat", "bin")).toMatchObject({ code: 5, stdout: "" });
  expect((await nexus("files", "cat", "image.png")).stdout).toContain("PNG");
});

test("git status, diff and log tell what changed", async () => {
  expect((await nexus("git", "status")).stdout).toBe("## main\n M a.txt\n?? new␛[2J.txt\n");
  const diff = await nexus("git", "diff");
  expect(diff.stdout).toBe(
    [
      "--- a.txt",
      "+++ a.txt",
      "@@ -1,1 +1,1 @@",
      "-one",
      "+two",
      "--- new␛[2J.txt",
      "+++ new␛[2J.txt",
      "@@ -1,0 +1,1 @@",
      "+n",
      "",
    ].join("\n"),
  );
  expect((await nexus("git", "diff", "--staged")).stdout).toBe("");
  const hash = git(daemon.folder, "rev-parse", "HEAD").trim();
  expect((await nexus("git", "diff", "--commit", hash)).stdout).toContain("+1 -0  a.txt");
  expect(await nexus("git", "diff", "--commit", "HEAD")).toMatchObject({ code: 2 });
  const log = await nexus("git", "log");
  expect(log.stdout).toContain(hash.slice(0, 10));
  expect(log.stdout).toContain("(main) first");
  expect((await nexus("git", "log", "--json")).values).toMatchObject([
    { commits: [{ hash, subject: "first", refs: ["main"] }] },
  ]);
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: daemon.folder, encoding: "utf8" })).toContain(
    " M a.txt",
  );
});
