/** Planted git dirs that lead elsewhere: into the home folder, another repository, another work tree. */
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Git } from "../../src/git/git.js";
import { listWorktrees } from "../../src/git/worktrees.js";
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

const SECRET = "outside-secret-4711";

/** A private repository beside the workspace, with changes to be seen. */
function secretRepo(): string {
  const repo = tempRepo({ "secret.txt": `${SECRET}\n` });
  write(repo, { "secret.txt": `${SECRET} changed\n` });
  return repo;
}

/** All that git gives for a workspace, as text; refusals too. */
async function allOf(ours: Git, folder: string): Promise<string> {
  const call = { budgetBytes: BUDGET_BYTES };
  const workspace = workspaceOf(folder);
  const asks = [
    () => ours.status(workspace, call),
    () => ours.log(workspace, call),
    ...["secret.txt", "a.txt", "../secret.txt", "repo/secret.txt"].flatMap((path) => [
      () => ours.diff(workspace, diffAsk(folder, { path })),
      () => ours.diff(workspace, diffAsk(folder, { path, staged: true })),
    ]),
    () => ours.diff(workspace, diffAsk(folder, { path: ".", base: true })),
  ];
  const answers = await Promise.all(asks.map((ask) => ask().catch((error: Error) => error.message)));
  return JSON.stringify(answers);
}

describe("H4 git dirs that lead out of the workspace give nothing from there", () => {
  test("core.worktree counts for nothing", async () => {
    const outside = tempFolder();
    write(outside, { "secret.txt": SECRET });
    const repo = tempRepo({ "a.txt": "a\n" });
    git(repo, "config", "core.worktree", outside);
    const ours = ourGit();
    expect(await ours.status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES })).toMatchObject({ files: [] });
    expect(await allOf(ours, repo)).not.toContain('secret.txt\\"');
  });

  test.each([
    [
      "a .git file that names another repository",
      (own: string, other: string) => {
        rmSync(join(own, ".git"), { recursive: true });
        writeFileSync(join(own, ".git"), `gitdir: ${other}/.git\n`);
      },
    ],
    [
      "a .git link to another repository",
      (own: string, other: string) => {
        rmSync(join(own, ".git"), { recursive: true });
        symlinkSync(join(other, ".git"), join(own, ".git"));
      },
    ],
    [
      "a .git file that names a linked worktree of another repository",
      (own: string, other: string) => {
        git(other, "worktree", "add", "-q", "../linked");
        rmSync(join(own, ".git"), { recursive: true });
        writeFileSync(join(own, ".git"), `gitdir: ${other}/.git/worktrees/linked\n`);
      },
    ],
    [
      "a worktree's git dir of its own making whose common dir is another repository's",
      (own: string, other: string) => {
        mkdirSync(join(own, "fake/worktrees/x"), { recursive: true });
        write(own, {
          "fake/worktrees/x/commondir": join(other, ".git"),
          "fake/worktrees/x/gitdir": join(own, ".git"),
          "fake/worktrees/x/HEAD": "ref: refs/heads/main\n",
        });
        cpSync(join(other, ".git/index"), join(own, "fake/worktrees/x/index"));
        rmSync(join(own, ".git"), { recursive: true });
        writeFileSync(join(own, ".git"), `gitdir: ${own}/fake/worktrees/x\n`);
      },
    ],
    [
      "commondir in a plain git dir",
      (own: string, other: string) => {
        writeFileSync(join(own, ".git/commondir"), join(other, ".git"));
        cpSync(join(other, ".git/index"), join(own, ".git/index"));
      },
    ],
    [
      "objects borrowed by alternates, with the other index",
      (own: string, other: string) => {
        write(own, { ".git/objects/info/alternates": join(other, ".git/objects\n") });
        cpSync(join(other, ".git/index"), join(own, ".git/index"));
      },
    ],
    ...["objects", "refs", "index", "HEAD", "packed-refs"].map(
      (name): [string, (own: string, other: string) => void] => [
        `${name} as a link into another repository`,
        (own, other) => {
          git(other, "pack-refs", "--all");
          write(own, {
            ".git/refs/heads/x":
              readFileSync(join(other, ".git/packed-refs"), "utf8").split("\n")[1]?.slice(0, 40) ?? "",
          });
          cpSync(join(other, ".git/index"), join(own, ".git/index"));
          rmSync(join(own, ".git", name), { recursive: true, force: true });
          symlinkSync(join(other, ".git", name), join(own, ".git", name));
        },
      ],
    ),
    [
      "links to single folders of objects",
      (own: string, other: string) => {
        cpSync(join(other, ".git/index"), join(own, ".git/index"));
        const blob = git(other, "rev-parse", "HEAD:secret.txt").trim().slice(0, 2);
        rmSync(join(own, ".git/objects", blob), { recursive: true, force: true });
        symlinkSync(join(other, ".git/objects", blob), join(own, ".git/objects", blob));
      },
    ],
  ] as [string, (own: string, other: string) => void][])("%s", async (_, planting) => {
    const other = secretRepo();
    const own = tempRepo({ "a.txt": "a\n" });
    planting(own, other);
    expect(await allOf(ourGit(), own)).not.toContain(SECRET);
  });

  // Only root can make a repository of another user.
  test.runIf(process.getuid?.() === 0)(
    "another user's repository is refused, as git itself would, unless the user said otherwise",
    async () => {
      const repo = tempRepo({ "a.txt": "a\n" });
      git(repo, "config", "safe.directory", "*");
      chownSync(join(repo, ".git"), 12345, 12345);
      const home = tempFolder();
      const status = () => ourGit({ home }).status(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
      const log = () => ourGit({ home }).log(workspaceOf(repo), { budgetBytes: BUDGET_BYTES });
      await expect(status()).rejects.toThrow(/another user/);
      await expect(log()).rejects.toThrow(/another user/);
      writeFileSync(join(home, ".gitconfig"), `[safe]\n\tdirectory = ${repo}\n`);
      expect(await status()).toMatchObject({ branch: "main" });
      writeFileSync(
        join(home, ".gitconfig"),
        `[safe]\n\tdirectory = *\n\tdirectory =\n\tdirectory = ${repo}-two\n`,
      );
      await expect(status()).rejects.toThrow(/another user/);
    },
  );

  test("linked worktrees, submodules and separate git dirs inside the folder work", async () => {
    const repo = tempRepo({ "a.txt": "a\n" });
    git(repo, "worktree", "add", "-q", "-b", "task", "../task");
    git(repo, "submodule", "--quiet", "add", tempRepo({ "s.txt": "s\n" }), "sub");
    const ours = ourGit();
    const call = { budgetBytes: BUDGET_BYTES };
    expect(await ours.status(workspaceOf(join(repo, "../task")), call)).toMatchObject({
      branch: "task",
      files: [],
    });
    write(join(repo, "sub"), { "s.txt": "t\n" });
    expect((await ours.status(workspaceOf(join(repo, "sub")), call)).files).toEqual([
      { path: "s.txt", unstaged: "M" },
    ]);
    const inner = tempRepo({ "a.txt": "a\n" });
    renameSync(join(inner, ".git"), join(inner, "kept"));
    writeFileSync(join(inner, ".git"), "gitdir: kept\n");
    expect(await ours.status(workspaceOf(inner), call)).toMatchObject({ branch: "main" });
  });
});

describe("H4 worktrees count only when both sides agree", () => {
  test("each real one is listed with its branch, a detached one with none, one that is gone not at all", async () => {
    const repo = tempRepo({ "a.txt": "a\n" });
    git(repo, "worktree", "add", "-q", "-b", "one", "../one");
    git(repo, "worktree", "add", "-q", "--detach", "../two");
    git(repo, "worktree", "add", "-q", "-b", "three", "../three");
    rmSync(join(repo, "../three"), { recursive: true });
    const top = join(repo, "..");
    expect(await listWorktrees(repo)).toEqual([
      { path: join(top, "one"), branch: "one" },
      { path: join(top, "two"), branch: null },
    ]);
    expect(await listWorktrees(join(top, "one"))).toEqual([]);
    expect(await listWorktrees(top)).toEqual([]);
  });

  test("a planted one that names a folder of the user's is none", async () => {
    const repo = tempRepo({ "a.txt": "a\n" });
    const other = tempRepo({ "secret.txt": SECRET });
    const private_ = tempFolder();
    const plants = {
      ssh: join(homedir(), ".ssh/.git"),
      home: join(homedir(), ".git"),
      other: join(other, ".git"),
      folder: join(private_, ".git"),
      up: join(repo, "../.git"),
    };
    for (const [name, gitdir] of Object.entries(plants)) {
      write(repo, {
        [`.git/worktrees/${name}/gitdir`]: `${gitdir}\n`,
        [`.git/worktrees/${name}/commondir`]: "../..\n",
        [`.git/worktrees/${name}/HEAD`]: "ref: refs/heads/main\n",
      });
    }
    // Even one that points back does not lift the workspace to its parent.
    writeFileSync(join(repo, "../.git"), `gitdir: ${repo}/.git/worktrees/up\n`);
    expect(await listWorktrees(repo)).toEqual([]);
    expect(existsSync(join(private_, ".git"))).toBe(false);
  });
});

describe("H11 git.diff shows only what status lists", () => {
  test("an ignored .env has no hunks, by any spelling, and neither has a name that is not there", async () => {
    const repo = tempRepo({ ".gitignore": ".env\nbuild/\n", "a.txt": "a\n" });
    write(repo, { ".env": SECRET, "build/x": SECRET, "dir/ok.txt": "ok\n" });
    const ours = ourGit();
    for (const path of [".env", "./.env", `${repo}/.env`, "dir/../.env", "build/x", "nope"]) {
      for (const staged of [false, true]) {
        const diff = await ours.diff(workspaceOf(repo), diffAsk(repo, { path, staged }));
        expect(diff.hunks, path).toEqual([]);
      }
    }
    const shown = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "dir/ok.txt" }));
    expect(shown.hunks[0]?.lines).toEqual(["+ok"]);
  });

  test("an untracked link shows where it points and never what is there", async () => {
    const outside = tempFolder();
    write(outside, { "secret.txt": SECRET });
    const repo = tempRepo({ "a.txt": "a\n" });
    symlinkSync(join(outside, "secret.txt"), join(repo, "link"));
    symlinkSync(outside, join(repo, "folder"));
    const ours = ourGit();
    const link = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "link" }));
    expect(link.hunks[0]?.lines[0]).toBe(`+${outside}/secret.txt`);
    const through = await ours
      .diff(workspaceOf(repo), diffAsk(repo, { path: "folder/secret.txt" }))
      .catch(String);
    expect(JSON.stringify(through)).not.toContain(SECRET);
  });

  test("a commit that is not behind HEAD is not there", async () => {
    const repo = tempRepo({ "a.txt": "a\n" });
    git(repo, "checkout", "-q", "-b", "other");
    write(repo, { "b.txt": SECRET });
    const hash = commit(repo, "other");
    git(repo, "checkout", "-q", "main");
    const blob = git(repo, "rev-parse", "other:b.txt").trim();
    for (const id of [hash, blob, "0".repeat(40), "0".repeat(64)]) {
      await expect(
        ourGit().diff(workspaceOf(repo), diffAsk(repo, { path: ".", commit: id })),
      ).rejects.toThrow("No such commit");
    }
  });
});

describe("H1 the daemon's own folders are not shown by git", () => {
  test("in a repository that covers them they are in no status, diff or list of changes", async () => {
    const home = tempRepo({ "a.txt": "a\n", "state/tracked.json": "old\n" });
    write(home, { "state/identity.json": SECRET, "state/tracked.json": SECRET, "b.txt": "b\n" });
    const workspace = workspaceOf(home, [join(home, "state")]);
    const ours = ourGit();
    const status = await ours.status(workspace, { budgetBytes: BUDGET_BYTES });
    expect(status.files).toEqual([{ path: "b.txt", unstaged: "?" }]);
    for (const path of [
      "state/identity.json",
      "state/tracked.json",
      "./state/../state/identity.json",
      `${home}/state/identity.json`,
      "state",
    ]) {
      await expect(ours.diff(workspace, diffAsk(home, { path }))).rejects.toMatchObject({ code: 1002 });
    }
    const hash = commit(home, "all");
    const listed = await ours.diff(workspace, diffAsk(home, { path: ".", commit: hash }));
    expect(listed.files).toEqual([{ path: "b.txt", added: 1, removed: 0 }]);
    appendFileSync(join(home, "b.txt"), "c\n");
  });
});
