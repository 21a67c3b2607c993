import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitVersion } from "../../../src/git/version.js";

const home = homedir();

function folderWith(script?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "nexusd-git-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (script !== undefined) {
    writeFileSync(join(folder, "git"), script);
    chmodSync(join(folder, "git"), 0o755);
  }
  return folder;
}

test("the git on the PATH says its version", async () => {
  expect(await gitVersion({ path: process.env.PATH ?? "", home })).toMatch(/^git 2\.\d+\./);
});

test("no git on the PATH, and one that is too old, are told in a sentence", async () => {
  await expect(gitVersion({ path: folderWith(), home })).rejects.toThrow("git is not on the PATH");
  const old = folderWith("#!/bin/sh\necho git version 2.30.2\n");
  await expect(gitVersion({ path: `${old}:/bin`, home })).rejects.toThrow("git 2.30.2 is older than 2.38");
});
