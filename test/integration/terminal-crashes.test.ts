import { copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  atPrompt,
  isRunning,
  names,
  plainTerminal,
  shows,
  terminalFolders,
} from "../support/terminal-host.js";
import { killGroup, nexusdWith } from "../support/terminal-nexusd.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;

describe("a crash", () => {
  test("kill -9 of nexusd leaves its terminals, their screens and programs to the next one", async () => {
    const folders = await terminalFolders();
    const home = folders.folder;
    const nexusd = await nexusdWith(folders, [
      plainTerminal("counter", home, { command: "i=0; while :; do i=$((i+1)); echo n$i; sleep 0.02; done" }),
      plainTerminal("shell", home, { command: "seq 1 300" }),
      plainTerminal("editor", home, { command: "read -p 'name? ' name; echo hello $name" }),
    ]);
    const [host] = await waitFor("a host", () => (folders.hosts().length > 0 ? folders.hosts() : undefined));
    await killGroup(nexusd);
    const terminals = await folders.start();
    expect(folders.hosts()).toEqual([host]);
    expect(
      terminals
        .list()
        .map((status) => status.id)
        .sort(),
    ).toEqual(["counter", "editor", "shell"]);
    const counted = async (): Promise<number> =>
      Number(/n(\d+)\n*$/.exec(await terminals.read("counter", { lines: 2 }))?.[1] ?? 0);
    const before = await waitFor("a count", counted);
    await waitFor("the count to go on", async () => (await counted()) > before);
    expect(await shows(terminals, "shell", "\n300\n", 400)).toContain("\n1\n2\n3\n");
    await shows(terminals, "editor", "name?");
    await terminals.input("editor", { text: "nexus", enter: true });
    await shows(terminals, "editor", "hello nexus");
  });

  test("kill -9 of the host shows its terminals as ended and why; new ones open in a fresh host", async () => {
    const folders = await terminalFolders();
    const terminals = await folders.start();
    await terminals.open(plainTerminal("a", folders.folder));
    await atPrompt(terminals, "a");
    let watchEnded = "";
    await terminals.watch(
      "a",
      {},
      () => undefined,
      (why) => {
        watchEnded = why;
      },
    );
    const waiting = terminals.wait("a", { asker: "t", exit: true }, never);
    const [host = 0] = folders.hosts();
    process.kill(host, "SIGKILL");
    const ended = await waitFor("the end", () =>
      terminals.get("a")?.phase === "ended" ? terminals.get("a") : undefined,
    );
    expect(ended).toMatchObject({ exit: { code: null }, endedReason: expect.stringMatching(/gone/) });
    expect(watchEnded).toMatch(/gone/);
    expect(await waiting).toMatchObject({ done: true, state: "exited" });
    await expect(terminals.read("a", {})).rejects.toThrow(/gone/);
    await expect(terminals.input("a", { text: "x" })).rejects.toThrow(/gone/);
    await terminals.open(plainTerminal("b", folders.folder, { command: "echo again" }));
    await shows(terminals, "b", /\nagain\n/);
    await terminals.close("a", {});
    expect(terminals.list().map((status) => status.id)).toEqual(["b"]);
    await waitFor("one socket", async () => (await names(folders.options.runtimeDir)).length === 1);
  });

  test("a host goes on when the files that it was started from are gone", async () => {
    const folders = await terminalFolders();
    const built = path.join(folders.folder, "build");
    await mkdir(built);
    const files = { hostFile: path.join(built, "host.mjs"), bindingFile: path.join(built, "pty.node") };
    await copyFile(folders.options.hostFile, files.hostFile);
    await copyFile(folders.options.bindingFile, files.bindingFile);
    const terminals = await folders.start(files);
    await terminals.open(plainTerminal("a", folders.folder));
    await rm(built, { recursive: true });
    await terminals.open(plainTerminal("b", folders.folder, { command: "echo still-$((1+1))" }));
    await shows(terminals, "b", "still-2");
  });

  test("an older build's host serves a newer nexusd, and new terminals get a host of the new build", async () => {
    const folders = await terminalFolders();
    const old = path.join(folders.folder, "old.mjs");
    await copyFile(folders.options.hostFile, old);
    await writeFile(old, "\n// of another build\n", { flag: "a" });
    const before = await folders.start({ hostFile: old });
    await before.open(plainTerminal("a", folders.folder, { command: "echo from-old; sleep 1000" }));
    await shows(before, "a", "from-old");
    before.dispose();
    const after = await folders.start();
    await shows(after, "a", "from-old");
    await after.open(plainTerminal("b", folders.folder, { command: "echo from-new" }));
    await shows(after, "b", /\nfrom-new\n/);
    expect(folders.hosts()).toHaveLength(2);
    await after.close("a", { force: true });
    await waitFor("the old host's end", () => folders.hosts().length === 1);
    await shows(after, "b", /\nfrom-new\n/);
    const builds = await readdir(path.join(folders.options.stateDir, "hosts"));
    expect(builds.filter((name) => /^[0-9a-f]{12}$/.test(name))).toHaveLength(2);
  });

  test("a host without terminals and without nexusd ends by itself", async () => {
    const folders = await terminalFolders();
    const terminals = await folders.start({ idleMs: 300 });
    await terminals.open(plainTerminal("a", folders.folder));
    await terminals.close("a", { force: true });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(folders.hosts()).toHaveLength(1);
    terminals.dispose();
    await waitFor("its end", () => folders.hosts().length === 0);
    expect(await names(folders.options.runtimeDir)).toEqual([]);
  });

  test("stopAll ends the host and every program in it", async () => {
    const folders = await terminalFolders();
    const terminals = await folders.start();
    const program = "sh -c 'echo pid $$; exec sleep 1000'";
    await terminals.open(plainTerminal("a", folders.folder, { command: program }));
    const pid = Number(/pid (\d+)/.exec(await shows(terminals, "a", /\npid \d+/))?.[1]);
    await terminals.stopAll();
    await waitFor("its end", () => folders.hosts().length === 0);
    await waitFor("the program's end", () => !isRunning(pid));
  });
});
