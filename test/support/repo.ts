/** Real repositories in folders of their own, made by the real git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { readEntry } from "../../src/files/entry.js";
import type { Roots } from "../../src/files/guard.js";
import type { GitEnvironment } from "../../src/git/env.js";
import { type DiffAsk, Git } from "../../src/git/git.js";
import type { GitWorkspace } from "../../src/git/place.js";

/** What one answer may take on the wire, with its envelope's room left. */
export const BUDGET_BYTES = 785_000;

/** A folder that is gone after the test, by its real path. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** The real git, as a user of this folder runs it, without the configuration of whoever runs the tests. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: join(folder, "..", "no-home"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
      GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
    },
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A repository on `main` with these files in its first commit. */
export function tempRepo(files: Record<string, string | Buffer> = {}): string {
  const folder = join(tempFolder(), "repo");
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main");
  if (Object.keys(files).length > 0) {
    write(folder, files);
    commit(folder, "first");
  }
  return folder;
}

export function commit(folder: string, message: string): string {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", message);
  return git(folder, "rev-parse", "HEAD").trim();
}

/** Our git of a machine whose user has no configuration. */
export function ourGit(environment: Partial<GitEnvironment> = {}, timeoutMs?: number): Git {
  const ours = new Git({
    environment: { path: process.env.PATH ?? "", home: "/nonexistent", ...environment },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  onTestFinished(() => ours.close());
  return ours;
}

export function workspaceOf(folder: string, forbidden: readonly string[] = []): GitWorkspace {
  return { folder, forbidden };
}

export function rootsOf(folders: string | readonly string[], forbidden: string[] = []): Roots {
  const all = typeof folders === "string" ? [folders] : [...folders];
  return { folders: async () => [...all], forbidden };
}

/** A diff as the handler asks for it. */
export function diffAsk(folder: string, ask: Partial<DiffAsk> & { path: string }): DiffAsk {
  return {
    budgetBytes: BUDGET_BYTES,
    read: (path, maxBytes) => readEntry(rootsOf(folder), path, maxBytes),
    ...ask,
  };
}
