/** A repository that someone planted: nothing that its configuration names may run. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Git } from "../../src/git/git.js";
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
} from "../support/repo.js";

interface Planted {
  readonly repo: string;
  /** A program that leaves a mark when it is run, and passes on its input. */
  readonly program: string;
  readonly marker: string;
}

function plant(files: Record<string, string> = { "a.txt": "one\ntwo\n", "b.bin": "x\0y" }): Planted {
  const folder = tempFolder();
  const marker = join(folder, "ran");
  const program = join(folder, "program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`);
  chmodSync(program, 0o755);
  const repo = tempRepo(files);
  return { repo, program, marker };
}

/** Same size, other content and time: git has to look into the file, through its filters. */
function change(repo: string): void {
  write(repo, { "a.txt": "one\nTWO\n", "new.txt": "new\n" });
  utimesSync(join(repo, "a.txt"), new Date(), new Date(Date.now() + 5000));
}

/** Everything that a device can ask of git. */
async function askAll(ours: Git, repo: string): Promise<void> {
  const workspace = workspaceOf(repo);
  const call = { budgetBytes: BUDGET_BYTES };
  const status = await ours.status(workspace, call);
  for (const path of ["a.txt", "b.bin", "new.txt", ...status.files.map((file) => file.path)]) {
    for (const staged of [false, true])
      await ours.diff(workspace, diffAsk(repo, { path, staged })).catch(expected);
  }
  const { commits } = await ours.log(workspace, call);
  for (const { hash } of commits) {
    await ours.diff(workspace, diffAsk(repo, { path: ".", commit: hash })).catch(expected);
    await ours.diff(workspace, diffAsk(repo, { path: "a.txt", commit: hash })).catch(expected);
  }
  await ours.diff(workspace, diffAsk(repo, { path: ".", base: true })).catch(expected);
  await ours.summary(workspace);
}

/** Some of it has no answer in some of the repositories; what counts is that nothing ran. */
function expected(error: unknown): void {
  expect(error).toMatchObject({ name: "RpcFailure" });
}

const KINDS: Record<string, (planted: Planted) => void> = {
  "core.fsmonitor": ({ repo, program }) => void git(repo, "config", "core.fsmonitor", program),
  hooks: ({ repo, program }) => {
    for (const hook of ["post-index-change", "pre-auto-gc", "post-checkout", "reference-transaction"]) {
      mkdirSync(join(repo, ".git/hooks"), { recursive: true });
      symlinkSync(program, join(repo, ".git/hooks", hook));
    }
  },
  "core.hooksPath": ({ repo, program }) => {
    mkdirSync(join(repo, "hooks"));
    symlinkSync(program, join(repo, "hooks/post-index-change"));
    git(repo, "config", "core.hooksPath", "hooks");
  },
  "filter.clean, smudge, process and required": ({ repo, program }) => {
    write(repo, { ".gitattributes": "*.txt filter=a=b\n*.bin filter=evil\n" });
    for (const key of ["clean", "smudge"]) git(repo, "config", `filter.a=b.${key}`, program);
    git(repo, "config", "filter.a=b.required", "true");
    git(repo, "config", "filter.evil.process", program);
    git(repo, "config", "filter.evil.required", "true");
    writeFileSync(join(repo, "b.bin"), "z\0y");
  },
  "filters by .git/info/attributes and core.attributesFile": ({ repo, program }) => {
    write(repo, {
      ".git/info/attributes": "a.txt filter=one\n",
      attributes: "new.txt filter=two\nb.bin filter=two\n",
    });
    git(repo, "config", "core.attributesFile", join(repo, "attributes"));
    git(repo, "config", "filter.one.clean", program);
    git(repo, "config", "filter.two.clean", program);
    writeFileSync(join(repo, "b.bin"), "z\0y");
  },
  "filters by include.path": ({ repo, program }) => {
    write(repo, {
      ".gitattributes": "*.txt filter=hidden\n",
      ".git/more": `[filter "hidden"]\n\tclean = ${program}\n[core]\n\tfsmonitor = ${program}\n`,
    });
    git(repo, "config", "include.path", "more");
  },
  "filters by config.worktree": ({ repo, program }) => {
    write(repo, { ".gitattributes": "*.txt filter=w\n" });
    git(repo, "config", "extensions.worktreeConfig", "true");
    git(repo, "config", "--worktree", "filter.w.clean", program);
  },
  "diff.external": ({ repo, program }) => void git(repo, "config", "diff.external", program),
  "diff drivers' command and textconv": ({ repo, program }) => {
    write(repo, { ".gitattributes": "*.txt diff=one\n*.bin diff=two\n" });
    git(repo, "config", "diff.one.command", program);
    git(repo, "config", "diff.two.textconv", program);
    git(repo, "config", "diff.two.cachetextconv", "true");
    writeFileSync(join(repo, "b.bin"), "z\0y");
  },
  "gpg.program with log.showSignature and a format that asks for it": ({ repo, program }) => {
    const signed = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: repo, encoding: "utf8" });
    const [head = "", ...body] = signed.split("\n\n");
    const raw = `${head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n${body.join("\n\n")}`;
    const hash = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
      cwd: repo,
      input: raw,
      encoding: "utf8",
    });
    git(repo, "update-ref", "HEAD", hash.trim());
    git(repo, "config", "gpg.program", program);
    git(repo, "config", "log.showSignature", "true");
    git(repo, "config", "format.pretty", "%G?");
  },
  "a promisor remote with uploadpack and an ext:: address": ({ repo, program }) => {
    git(repo, "config", "extensions.partialClone", "origin");
    git(repo, "config", "remote.origin.promisor", "true");
    git(repo, "config", "remote.origin.url", `ext::${program} %S`);
    git(repo, "config", "remote.origin.uploadpack", program);
    git(repo, "config", "remote.second.promisor", "true");
    git(repo, "config", "remote.second.url", repo);
    git(repo, "config", "remote.second.uploadpack", program);
    git(repo, "config", "protocol.ext.allow", "always");
    git(repo, "config", "protocol.file.allow", "always");
    const blob = git(repo, "rev-parse", "HEAD:a.txt").trim();
    execFileSync("rm", ["-f", join(repo, ".git/objects", blob.slice(0, 2), blob.slice(2))]);
  },
  "a submodule with a configuration of its own": ({ repo, program }) => {
    const inner = tempRepo({ "i.txt": "i\n" });
    git(repo, "submodule", "--quiet", "add", inner, "sub");
    commit(repo, "sub");
    git(join(repo, "sub"), "config", "core.fsmonitor", program);
    git(join(repo, "sub"), "config", "diff.external", program);
    git(repo, "config", "diff.submodule", "diff");
    git(repo, "config", "status.submoduleSummary", "true");
    git(repo, "config", "submodule.recurse", "true");
    git(repo, "config", "submodule.sub.update", `!${program}`);
    write(repo, { "sub/i.txt": "changed\n" });
  },
  "an embedded bare repository": ({ repo, program }) => {
    const bare = join(repo, "bare.git");
    git(repo, "init", "-q", "--bare", bare);
    execFileSync("git", ["--git-dir", bare, "config", "core.fsmonitor", program]);
    execFileSync("git", ["--git-dir", bare, "config", "core.worktree", repo]);
  },
  "an embedded repository": ({ repo, program }) => {
    mkdirSync(join(repo, "emb"));
    git(join(repo, "emb"), "init", "-q");
    write(join(repo, "emb"), { "e.txt": "e\n" });
    commit(join(repo, "emb"), "e");
    git(join(repo, "emb"), "config", "core.fsmonitor", program);
  },
  "pager, editor, askpass, ssh and credential helpers": ({ repo, program }) => {
    for (const key of [
      "core.pager",
      "pager.status",
      "pager.diff",
      "pager.log",
      "core.editor",
      "core.askPass",
      "core.sshCommand",
      "credential.helper",
      "interactive.diffFilter",
      "sequence.editor",
      "core.gitProxy",
      "core.alternateRefsCommand",
    ]) {
      git(repo, "config", key, program);
    }
  },
  "aliases of the commands": ({ repo, program }) => {
    for (const name of ["status", "diff", "log", "config", "rev-parse"])
      git(repo, "config", `alias.${name}`, `!${program}`);
  },
};

describe("E7 planted configuration runs nothing", () => {
  test.each(Object.entries(KINDS))("%s", async (_, planting) => {
    const planted = plant();
    change(planted.repo);
    planting(planted);
    const ran = (): string => (existsSync(planted.marker) ? readFileSync(planted.marker, "utf8") : "");
    const before = ran();
    await askAll(ourGit(), planted.repo);
    expect(ran()).toBe(before);
  });

  test("and the plants do run with plain git, so the test would notice", () => {
    for (const kind of ["core.fsmonitor", "filter.clean, smudge, process and required", "diff.external"]) {
      const planted = plant();
      change(planted.repo);
      KINDS[kind]?.(planted);
      try {
        execFileSync("git", ["diff"], { cwd: planted.repo, stdio: "ignore" });
      } catch {
        // what a filter or a driver makes of it does not matter
      }
      expect(existsSync(planted.marker), kind).toBe(true);
    }
  });

  test("a program named git in the folder is not meant, not even by a relative PATH", async () => {
    const planted = plant();
    change(planted.repo);
    symlinkSync(planted.program, join(planted.repo, "git"));
    const ours = ourGit({ path: `.:${"" /* an empty entry is the folder as well */}:${process.env.PATH}` });
    await askAll(ours, planted.repo);
    expect(existsSync(planted.marker)).toBe(false);
  });

  test("the user's own filters still run, also for a name that the repository takes over", async () => {
    const planted = plant({ "a.txt": "ONE\n", ".gitattributes": "*.txt filter=own\n" });
    const home = tempFolder();
    writeFileSync(join(home, ".gitconfig"), '[filter "own"]\n\tclean = tr a-z A-Z\n\trequired = true\n');
    writeFileSync(join(planted.repo, "a.txt"), "one\n");
    utimesSync(join(planted.repo, "a.txt"), new Date(), new Date(Date.now() + 5000));
    const ours = ourGit({ home });
    const clean = async (): Promise<unknown> =>
      (await ours.diff(workspaceOf(planted.repo), diffAsk(planted.repo, { path: "a.txt" }))).hunks;
    expect(await clean()).toEqual([]);
    git(planted.repo, "config", "filter.own.clean", planted.program);
    expect(await clean()).toEqual([]);
    expect(existsSync(planted.marker)).toBe(false);
  });

  test("a configuration that changes between two requests is looked at again", async () => {
    const planted = plant({ "a.txt": "one\ntwo\n", ".gitattributes": "*.txt filter=late\n" });
    change(planted.repo);
    const ours = ourGit();
    await askAll(ours, planted.repo);
    git(planted.repo, "config", "filter.late.clean", planted.program);
    await askAll(ours, planted.repo);
    expect(existsSync(planted.marker)).toBe(false);
  });
});
