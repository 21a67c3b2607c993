/** Paths of the wire that try to leave the workspace, or that lead to what is no file. */
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { basename, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readEntry } from "../../src/files/entry.js";
import type { Roots } from "../../src/files/guard.js";
import { listFolder } from "../../src/files/list.js";
import { type FilesRead, readFile } from "../../src/files/read.js";
import { RpcErrorCode, RpcFailure, unavailable } from "../../src/protocol/errors.js";
import {
  BUDGET_BYTES,
  diffAsk,
  git,
  ourGit,
  rootsOf,
  tempFolder,
  tempRepo,
  workspaceOf,
  write,
} from "../support/repo.js";

const SECRET = "outside-secret-4711";

/** No image is read here. */
const images = {
  shrink: async (): Promise<never> => {
    throw unavailable("no images in this test");
  },
};

const read = (roots: Roots, path: string): Promise<FilesRead> =>
  readFile(roots, path, { images, budgetBytes: BUDGET_BYTES });

const list = (roots: Roots, path: string) => listFolder(roots, path, { budgetBytes: BUDGET_BYTES });

/** Code and sentence of a refusal: what the caller can tell apart. */
async function refusal(answer: Promise<unknown>): Promise<string> {
  try {
    return `answered: ${JSON.stringify(await answer)}`;
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return `${error.code} ${error.message}`;
  }
}

/** A workspace beside a folder that must stay closed, with a name that starts the same. */
function beside(): { workspace: string; outside: string } {
  const top = tempFolder();
  const workspace = join(top, "in");
  write(top, {
    "in/a.txt": "inside",
    "in/sub/b.txt": "inside too",
    "in-evil/secret.txt": SECRET,
    "secret.txt": SECRET,
  });
  return { workspace, outside: join(top, "in-evil") };
}

const OUTSIDE = `${RpcErrorCode.Forbidden} This path is not in the workspace's folders`;

describe("E1 paths that lead out", () => {
  test("are Forbidden by every spelling, and read nothing", async () => {
    const { workspace, outside } = beside();
    const roots = rootsOf(workspace);
    const paths = [
      "../secret.txt",
      "../in-evil/secret.txt",
      "sub/../../secret.txt",
      "./.././secret.txt",
      "..//secret.txt",
      "../in/../secret.txt",
      `${outside}/secret.txt`,
      `${workspace}-evil/secret.txt`,
      `${workspace}/../secret.txt`,
      "/etc/passwd",
      "//etc/passwd",
      "/",
      "/proc/self/environ",
      "/proc/self/root/etc/passwd",
      `/proc/self/cwd`,
      `/proc/${process.pid}/fd/0`,
      "/dev/zero",
      "/sys/kernel/version",
      "a.txt\0",
      "a.txt\0/../../secret.txt",
      "\0",
    ];
    for (const path of paths) {
      expect(await refusal(read(roots, path)), path).toBe(OUTSIDE);
      expect(await refusal(list(roots, path)), path).toBe(OUTSIDE);
    }
  });

  test("names that only look like a way out are plain names", async () => {
    const { workspace } = beside();
    const roots = rootsOf(workspace);
    const names = [
      "~",
      "C:\\",
      "..%2fsecret.txt",
      "...",
      "a\\..\\b",
      "$(id)",
      "-",
      "--output=x",
      ":(exclude)x",
      "%2e%2e",
    ];
    for (const name of names) {
      expect(await refusal(read(roots, name)), name).toBe("1001 No such file on this device");
      write(workspace, { [`${name}`]: "plain" });
      expect(await read(roots, name), name).toMatchObject({ kind: "text", text: "plain" });
    }
    expect(await refusal(read(roots, "~/.ssh/id_rsa"))).toMatch(/^1001/);
  });

  test("very long paths are refused, not followed", async () => {
    const { workspace } = beside();
    const roots = rootsOf(workspace);
    for (const path of [
      "a".repeat(4096),
      "x/".repeat(2048),
      "sub/../".repeat(585),
      "../".repeat(1365),
      "\udc80".repeat(1000),
    ]) {
      expect(await refusal(read(roots, path))).toMatch(/^(1001|1002|-32602) /);
    }
  });

  test("the workspace's own folders are inside by absolute path too, and a given folder as well", async () => {
    const { workspace, outside } = beside();
    const roots = rootsOf([workspace, outside]);
    expect(await read(roots, `${workspace}/sub/../a.txt`)).toMatchObject({
      text: "inside",
      path: `${workspace}/a.txt`,
    });
    expect(await read(roots, `${outside}/secret.txt`)).toMatchObject({ text: SECRET });
    expect(await read(roots, "../in-evil/secret.txt")).toMatchObject({ text: SECRET });
    expect(await refusal(read(roots, "../secret.txt"))).toBe(OUTSIDE);
    expect((await list(roots, "")).path).toBe(workspace);
  });

  test("links inside may lead around inside, and nowhere else", async () => {
    const { workspace, outside } = beside();
    const roots = rootsOf(workspace);
    symlinkSync("sub/b.txt", join(workspace, "good"));
    symlinkSync(outside, join(workspace, "folder"));
    symlinkSync("../secret.txt", join(workspace, "file"));
    symlinkSync("loop", join(workspace, "loop"));
    symlinkSync("two", join(workspace, "one"));
    symlinkSync("one/x", join(workspace, "two"));
    symlinkSync("sub/nothing", join(workspace, "dangling"));
    expect(await read(roots, "good")).toMatchObject({ text: "inside too", path: `${workspace}/sub/b.txt` });
    for (const path of [
      "folder",
      "folder/secret.txt",
      "folder/..",
      "file",
      "loop",
      "one",
      "two/x",
      "folder/nothing",
    ]) {
      expect(await refusal(read(roots, path)), path).toBe(OUTSIDE);
      expect(await refusal(readEntry(roots, `${path}/x`, 100)), path).toBe(OUTSIDE);
    }
    expect(await refusal(list(roots, "folder"))).toBe(OUTSIDE);
    expect(await refusal(read(roots, "dangling"))).toMatch(/^1001/);
  });
});

describe("E2 a file that races between a file and a link to the outside", () => {
  test("gives never a byte from outside in five seconds", { timeout: 60_000 }, async () => {
    const { workspace, outside } = beside();
    // A child flips the last name and a folder on the way, as fast as it can.
    const racer = join(workspace, "../racer.cjs");
    writeFileSync(
      racer,
      `const fs = require("fs"); const [w, o] = process.argv.slice(2);
       const swap = (name, make) => { make(w + "/tmp-x"); fs.renameSync(w + "/tmp-x", w + "/" + name); };
       fs.mkdirSync(w + "/real"); fs.writeFileSync(w + "/real/secret.txt", "inside");
       process.send("up");
       for (let n = 0; ; n++) {
         swap("race", (t) => fs.writeFileSync(t, "inside"));
         swap("race", (t) => fs.symlinkSync(o + "/secret.txt", t));
         swap("dir", (t) => fs.symlinkSync(n % 2 ? o : "real", t));
         try { fs.renameSync(w + "/swapped", w + "/old"); } catch {}
         try { fs.rmSync(w + "/old", { recursive: true }); } catch {}
         if (n % 2) fs.symlinkSync(o, w + "/swapped"); else { fs.mkdirSync(w + "/swapped"); fs.writeFileSync(w + "/swapped/secret.txt", "inside"); }
       }`,
    );
    const child = fork(racer, [workspace, outside], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    const roots = rootsOf(workspace);
    let inside = 0;
    let refused = 0;
    const end = Date.now() + 5000;
    while (Date.now() < end) {
      const answers = await Promise.all(
        ["race", "dir/secret.txt", "swapped/secret.txt", "race"].flatMap((path) => [
          refusal(read(roots, path)),
          refusal(readEntry(roots, path, 1000).then(({ data }) => data.toString())),
          refusal(list(roots, path.split("/", 1)[0] ?? "")),
        ]),
      );
      for (const answer of answers) {
        // An untracked link tells where it points, as git does; never what is there.
        expect(answer).not.toContain(SECRET);
        if (answer.startsWith("answered")) inside++;
        else refused++;
      }
    }
    expect(inside).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
});

describe("E3 what is no regular file", () => {
  test("a pipe, a socket, a device and a folder are refused at once", async () => {
    const { workspace } = beside();
    const roots = rootsOf(workspace);
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    const server = createServer().listen(join(workspace, "socket"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    symlinkSync("pipe", join(workspace, "to-pipe"));
    for (const name of ["pipe", "socket", "to-pipe"]) {
      expect(await refusal(read(roots, name)), name).toBe(
        "1003 This is no regular file, so there is nothing to read",
      );
      expect(await refusal(list(roots, name)), name).toMatch(/^1003/);
    }
    symlinkSync("/dev/zero", join(workspace, "zero"));
    expect(await refusal(read(roots, "zero"))).toBe(OUTSIDE);
    expect(await refusal(read(roots, "sub"))).toMatch(/^-32602 .*files\.list/);
    expect(await refusal(list(roots, "a.txt"))).toMatch(/^-32602 .*files\.read/);
    const entries = (await list(roots, "")).entries;
    expect(entries.find((entry) => entry.name === "pipe")).toEqual({ name: "pipe", kind: "file" });
  });

  test("a sparse terabyte is read at its start only", async () => {
    const { workspace } = beside();
    writeFileSync(join(workspace, "sparse"), "start\n".repeat(2000));
    truncateSync(join(workspace, "sparse"), 2 ** 40);
    const answer = await read(rootsOf(workspace), "sparse");
    expect(answer).toMatchObject({ kind: "text", size: 2 ** 40, truncated: true });
    truncateSync(join(workspace, "a.txt"), 2 ** 40);
    expect(await read(rootsOf(workspace), "a.txt")).toEqual({
      kind: "binary",
      path: join(workspace, "a.txt"),
      size: 2 ** 40,
    });
  });

  test("a file that grows and shrinks while it is read gives what was there", {
    timeout: 30_000,
  }, async () => {
    const { workspace } = beside();
    const file = join(workspace, "busy");
    writeFileSync(file, "x\n".repeat(100_000));
    const child = spawn(
      process.execPath,
      [
        "-e",
        `const fs=require("fs");for(;;){fs.appendFileSync(${JSON.stringify(file)},"x\\n".repeat(50000));if(fs.statSync(${JSON.stringify(file)}).size>2e6)fs.truncateSync(${JSON.stringify(file)},1000)}`,
      ],
      { stdio: "ignore" },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    const sizes = new Set<number>();
    for (let n = 0; n < 200; n++) {
      const answer = await read(rootsOf(workspace), "busy");
      if (answer.kind !== "text") expect.fail(answer.kind);
      expect(answer.text).toMatch(/^(x\n)*x?$/);
      expect(answer.text.length).toBeLessThanOrEqual(512 * 1024);
      sizes.add(answer.size);
    }
    expect(sizes.size).toBeGreaterThan(1);
  });
});

describe("E4 what is outside is told apart by nothing", () => {
  test("there and not there answer the same, also behind links and files", async () => {
    const { workspace, outside } = beside();
    const roots = rootsOf(workspace);
    symlinkSync(join(outside, "secret.txt"), join(workspace, "to-there"));
    symlinkSync(join(outside, "nothing.txt"), join(workspace, "to-nothing"));
    symlinkSync(outside, join(workspace, "to-folder"));
    symlinkSync(`${outside}-none`, join(workspace, "to-no-folder"));
    const pairs: [there: string, not: string][] = [
      ["../secret.txt", "../nothing.txt"],
      ["/etc/passwd", "/etc/passwd-none"],
      [outside, `${outside}-none`],
      ["to-there", "to-nothing"],
      ["to-folder/secret.txt", "to-folder/nothing.txt"],
      ["to-folder", "to-no-folder"],
      ["to-folder/secret.txt/x", "to-no-folder/secret.txt/x"],
      [relative(workspace, homedir()), `${relative(workspace, homedir())}-none`],
    ];
    for (const [there, not] of pairs) {
      expect(await refusal(read(roots, there)), there).toBe(OUTSIDE);
      expect(await refusal(read(roots, not)), not).toBe(OUTSIDE);
      expect(await refusal(list(roots, there)), there).toBe(OUTSIDE);
      expect(await refusal(list(roots, not)), not).toBe(OUTSIDE);
    }
    expect(await refusal(read(roots, "nothing"))).toMatch(/^1001/);
    expect(await refusal(read(roots, "a.txt/nothing"))).toMatch(/^1001/);
  });
});

describe("E5 roots are what they are now", () => {
  test("a root that is gone covers nothing, and one that became a link covers where it leads only if that is given", async () => {
    const { workspace, outside } = beside();
    const given = join(workspace, "../given");
    mkdirSync(given);
    writeFileSync(join(given, "g.txt"), "given");
    let folders = [workspace, given];
    const roots: Roots = { folders: async () => folders, forbidden: [] };
    expect(await read(roots, `${given}/g.txt`)).toMatchObject({ text: "given" });
    renameSync(given, `${given}-old`);
    symlinkSync(outside, given);
    expect(await refusal(read(roots, `${given}/secret.txt`))).toBe(OUTSIDE);
    folders = [workspace];
    rmSync(given);
    renameSync(`${given}-old`, given);
    expect(await refusal(read(roots, `${given}/g.txt`))).toBe(OUTSIDE);
    folders = [];
    expect(await refusal(read(roots, "a.txt"))).toBe(OUTSIDE);
  });
});

describe("H1 the daemon's own folders", () => {
  test("are Forbidden by every spelling though a root lies above them", async () => {
    const home = tempFolder();
    const state = join(home, ".local/state/nexusd");
    write(home, { ".local/state/nexusd/identity.json": SECRET, ".local/state/nexusd-notes.txt": "mine" });
    symlinkSync(".local/state", join(home, "short"));
    symlinkSync(join(state, "identity.json"), join(home, "direct"));
    const roots = rootsOf(home, [state]);
    const spellings = [
      ".local/state/nexusd/identity.json",
      "./.local//state/./nexusd/identity.json",
      ".local/state/nexusd-notes.txt/../nexusd/identity.json",
      ".local/../.local/state/nexusd/identity.json",
      `${state}/identity.json`,
      `../${basename(home)}/.local/state/nexusd/identity.json`,
      "short/nexusd/identity.json",
      "direct",
      ".local/state/nexusd",
      ".local/state/nexusd/nothing.json",
    ];
    for (const path of spellings) {
      const answer = await refusal(read(roots, path));
      expect(answer, path).toMatch(/^(1001|1002) /);
      expect(await refusal(list(roots, path)), path).not.toContain("identity");
    }
    expect(await read(roots, ".local/state/nexusd-notes.txt")).toMatchObject({ text: "mine" });
  });

  test("a chat's folder inside them covers nothing", async () => {
    const { workspace } = beside();
    const state = join(workspace, "sub");
    expect(await refusal(read(rootsOf([workspace, state], [state]), "sub/b.txt"))).toBe(OUTSIDE);
  });

  test("kernel folders are closed even to a workspace at the root of the file system", async () => {
    const roots = rootsOf("/");
    for (const path of ["/proc/self/environ", "proc/self/status", "/sys/kernel", "/dev/null"]) {
      expect(await refusal(read(roots, path)), path).toBe(OUTSIDE);
    }
    expect(await read(roots, "/etc/hostname").catch(String)).not.toContain("Forbidden");
  });
});

describe("E8 paths that look like arguments", () => {
  test("are names to git: nothing is written, nothing left out", async () => {
    const names = [
      "--output=pwn",
      "-",
      "--",
      "-z",
      ":(exclude)a.txt",
      ":!x",
      "*",
      "?",
      "[a]",
      "HEAD",
      "HEAD:a.txt",
      "@{-1}",
      "a..b",
      "$(id)",
      ";id",
      "`id`",
      "%s",
      "\\",
      "'",
      '"',
      " ",
      "~",
      "^",
      "a\tb",
      "a\nb",
      " -> ",
    ];
    const repo = tempRepo({ "a.txt": "a\n", ...Object.fromEntries(names.map((name) => [name, "old\n"])) });
    const ours = ourGit();
    for (const name of names) {
      write(repo, { [name]: "new\n" });
      const diff = await ours.diff(workspaceOf(repo), diffAsk(repo, { path: name }));
      expect(diff.hunks[0]?.lines, name).toEqual(["-old", "+new"]);
      git(repo, "--literal-pathspecs", "checkout", "-q", "--", name);
    }
    expect(await ours.diff(workspaceOf(repo), diffAsk(repo, { path: "--output=out" }))).toEqual({
      path: "--output=out",
      hunks: [],
    });
    expect(git(repo, "status", "--porcelain")).toBe("");
    for (const path of ["../x", "/etc/passwd", "a\0b", "..", `${repo}/../x`]) {
      await expect(ours.diff(workspaceOf(repo), diffAsk(repo, { path }))).rejects.toMatchObject({
        code: RpcErrorCode.Forbidden,
      });
    }
    expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("a\n");
  });
});

test("E2 a second name of a file outside is that file: names are what the owner gave", async () => {
  const { workspace, outside } = beside();
  linkSync(join(outside, "secret.txt"), join(workspace, "hard"));
  // Whoever can make a hard link to a file can copy it as well: there is no boundary to keep.
  expect(await read(rootsOf(workspace), "hard")).toMatchObject({ text: SECRET });
});
