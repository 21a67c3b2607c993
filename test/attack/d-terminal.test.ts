/** Rows D: hostile text, output and patterns against a real shell in a real host. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Terminals } from "../../src/terminal/client.js";
import { terminalEnv } from "../../src/terminal/env.js";
import {
  atPrompt,
  interrupt,
  isRunning,
  plainTerminal,
  SH,
  shows,
  terminalFolders,
} from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;

async function bash(command?: string): Promise<{ terminals: Terminals; home: string; host: number }> {
  const { folder, start, hosts } = await terminalFolders();
  const terminals = await start();
  await terminals.open(plainTerminal("a", folder, command === undefined ? {} : { command }));
  if (command === undefined) await atPrompt(terminals, "a");
  return { terminals, home: folder, host: hosts()[0] ?? 0 };
}

async function run(terminals: Terminals, text: string): Promise<void> {
  const { at } = await terminals.input("a", { text, enter: true });
  await waitFor(text, async () => (await terminals.wait("a", { asker: "t", after: at }, never)).done);
}

const BREAK_OUTS: [string, (file: string) => string][] = [
  ["a marker and an Enter", (file) => `x\x1b[201~\rtouch ${file}\r`],
  ["a marker inside a marker", (file) => `x\x1b[20\x1b[201~1~\rtouch ${file}\r`],
  ["the marker's 8-bit form", (file) => `x\u009b201~\rtouch ${file}\r`],
  ["an interrupt", (file) => `x\x03touch ${file}\n\x1b[201~\n`],
  ["an end of file and line feeds", (file) => `\x04\x0d\x0atouch ${file}\x0d\x0a`],
];

describe("D1", () => {
  test.each(BREAK_OUTS)("a paste does not break out of its frame in bash: %s", async (_name, payload) => {
    const { terminals, home } = await bash();
    const file = path.join(home, "broken-out");
    await terminals.input("a", { text: payload(file) });
    await waitFor("its echo", async () => unwrapped(await terminals.read("a", {})).includes("broken-out"));
    await interrupt(terminals, "a");
    await run(terminals, "echo after");
    await shows(terminals, "a", /\nafter\n/);
    expect(existsSync(file)).toBe(false);
  });
});

describe("D2", () => {
  test("a program without bracketed paste gets each line as typed, and the tab says so beforehand", async () => {
    const { terminals } = await bash("cat");
    await waitFor("cat", () => terminals.get("a")?.foreground === "cat");
    await waitFor("the mode", async () => !(await terminals.inputModes("a")).bracketedPaste);
    await terminals.input("a", { text: "one\ntwo\n" });
    await shows(terminals, "a", /one\none\ntwo\ntwo|one\ntwo\none\ntwo/);
  });

  test("a shell that frames pastes is told apart", async () => {
    const { terminals } = await bash();
    await waitFor("the mode", async () => (await terminals.inputModes("a")).bracketedPaste);
  });
});

describe("D3", () => {
  test("a password prompt is told apart from a prompt, a program that reads lines and a full-screen one", async () => {
    const { terminals } = await bash();
    expect((await terminals.inputModes("a")).secret).toBe(false);
    await terminals.input("a", { text: "read -s secret", enter: true });
    // readline's own read -s leaves canonical mode on and the echo off.
    await waitFor("the secret prompt", async () => (await terminals.inputModes("a")).secret);
    await terminals.input("a", { enter: true });
    await atPrompt(terminals, "a");
    await terminals.input("a", { text: "cat", enter: true });
    await waitFor("cat", () => terminals.get("a")?.foreground === "cat");
    expect((await terminals.inputModes("a")).secret).toBe(false);
    await terminals.input("a", { keys: ["ctrl-c"] });
    await atPrompt(terminals, "a");
    await terminals.input("a", { text: "stty raw -echo; sleep 1000", enter: true });
    await waitFor("sleep", () => terminals.get("a")?.foreground === "sleep");
    expect((await terminals.inputModes("a")).secret).toBe(false);
  });
});

describe("D5", () => {
  test("questions are answered with fixed text once, and nothing else that a program prints is typed", async () => {
    const { terminals, home } = await bash();
    const file = path.join(home, "typed");
    const asks = [
      String.raw`\033[c\033[6n\033[?2004$p\033P$qm\033\\`,
      String.raw`\033P$qtouch pwned\033\\\033[21t\033]52;c;?\007\033]10;?\007\033P+q544e\033\\\033]0;rm -rf\007\033[21t\005`,
    ].join("");
    await run(terminals, `stty raw -echo; printf '${asks}'; timeout 1 cat > ${file}; stty sane`);
    const typed = readFileSync(file, "latin1");
    expect(typed.match(/\x1b\[\?1;2c/g)).toHaveLength(1);
    expect(typed.match(/\x1b\[\d+;\d+R/g)).toHaveLength(1);
    expect(typed.match(/\x1b\[\?2004;\d\$y/g)).toHaveLength(1);
    expect(typed).not.toMatch(/touch|rm -rf|544e|rgb:|\x1b\]/);
  });
});

describe("D7", () => {
  test("a flood leaves the host small, other terminals quick, and Ctrl-C ends it", {
    timeout: 60_000,
  }, async () => {
    const { terminals, home, host } = await bash();
    await terminals.open(plainTerminal("b", home));
    await atPrompt(terminals, "b");
    const before = rssMegabytes(host);
    await terminals.input("a", { text: "cat /dev/urandom", enter: true });
    const echoes: number[] = [];
    for (const end = Date.now() + 6000; Date.now() < end; ) {
      const began = performance.now();
      const word = `w${echoes.length}z`;
      await terminals.input("b", { text: word });
      await waitFor("the echo", async () =>
        unwrapped(await terminals.read("b", { lines: 40 })).includes(word),
      );
      echoes.push(performance.now() - began);
    }
    echoes.sort((a, b) => a - b);
    // Half of them: on a loaded machine single ones wait for the processor.
    expect(echoes[Math.floor(echoes.length / 2)]).toBeLessThan(200);
    expect(rssMegabytes(host) - before).toBeLessThan(100);
    await terminals.input("a", { keys: ["ctrl-c"] });
    await waitFor("its end", () => terminals.get("a")?.phase === "prompt", 15_000);
  });
});

describe("D8", () => {
  test("a pattern that takes for ever is refused, and neither the host nor the next wait is held", async () => {
    const { terminals } = await bash();
    await run(terminals, `echo ${"a".repeat(40)}b`);
    const evil = terminals.wait("a", { asker: "t", match: "^(a+)+$" }, never);
    const caught = evil.catch((error: Error) => error);
    const began = performance.now();
    await terminals.read("a", {});
    expect(performance.now() - began).toBeLessThan(1000);
    expect(await caught).toMatchObject({ code: -32602, message: expect.stringMatching(/too long/) });
    const next = await terminals.wait("a", { asker: "t", match: "a{40}b" }, never);
    expect(next).toMatchObject({ done: true, state: "matched" });
  });

  test("a pattern that is none is refused", async () => {
    const { terminals } = await bash();
    const wait = terminals.wait("a", { asker: "t", match: "(" }, never);
    await expect(wait).rejects.toMatchObject({ code: -32602 });
  });
});

describe("D10", () => {
  test("programs get the user's own variables and none of nexusd's, npm's, the service manager's or Node's", async () => {
    const planted = {
      NEXUS_TOKEN: "x",
      NEXUSD_SECRET: "x",
      NODE_OPTIONS: "x",
      NODE_EXTRA_CA_CERTS: "x",
      npm_config_token: "x",
      npm_lifecycle_event: "x",
      VSCODE_IPC: "x",
      INIT_CWD: "x",
      ELECTRON_RUN_AS_NODE: "1",
      INVOCATION_ID: "x",
      NOTIFY_SOCKET: "x",
      LISTEN_FDS: "1",
      LD_PRELOAD: "",
      TMUX: "x",
      CLAUDECODE: "1",
      OPENAI_API_KEY: "the user's own",
    };
    const before = { ...process.env };
    Object.assign(process.env, planted);
    process.env.PATH = "/p/node_modules/.bin:/x/node-gyp-bin:./node_modules/.bin:/usr/bin:/bin";
    const env = terminalEnv({ NEXUS_TAB: "tab", binFolder: "/opt/nexus/bin" });
    process.env = before;
    const { folder, start } = await terminalFolders();
    const terminals = await start();
    const given = { ...env, HOME: folder };
    await terminals.open({
      id: "a",
      cwd: folder,
      shell: SH,
      env: given,
      command: "env -0 > all; echo wrote",
    });
    await shows(terminals, "a", /\nwrote\n/);
    const all = readFileSync(path.join(folder, "all"), "utf8").split("\0").filter(Boolean);
    const names = all.map((line) => line.slice(0, line.indexOf("=")));
    const own = Object.keys(planted).filter((name) => name !== "OPENAI_API_KEY");
    expect(names.filter((name) => own.includes(name))).toEqual([]);
    expect(all).toContain("OPENAI_API_KEY=the user's own");
    expect(all).toContain("NEXUS_TAB=tab");
    expect(names.filter((name) => name.startsWith("NEXUS"))).toEqual(["NEXUS_TAB"]);
    expect(all.find((line) => line.startsWith("PATH="))).toBe(
      "PATH=/opt/nexus/bin:./node_modules/.bin:/usr/bin:/bin",
    );
  });
});

describe("D11", () => {
  test("programs have 0, 1 and 2 alone, also in the third terminal and after a nexusd with files open", async () => {
    const { terminals, home } = await bash();
    for (const id of ["b", "c"]) {
      await terminals.open(plainTerminal(id, home));
      await atPrompt(terminals, id);
    }
    await terminals.input("c", { text: "ls /proc/self/fd | tr '\\n' ' '; echo listed", enter: true });
    // 3 is ls's own, of the folder that it lists; bash keeps 255 to itself.
    expect(await shows(terminals, "c", /\n.*listed\n/)).toMatch(/\n0 1 2 3 listed/);
  });

  test("the host itself holds nothing that nexusd had open", async () => {
    const { host } = await bash();
    const shared = openOf(String(host)).filter((target) => target.startsWith("pipe:"));
    expect(shared.filter((pipe) => openOf("self").includes(pipe))).toEqual([]);
  });
});

describe("D14", () => {
  test("a close by force ends the whole tree, one that ignores hang-ups too", {
    timeout: 40_000,
  }, async () => {
    const { terminals, home } = await bash();
    const script = "trap '' HUP TERM; sleep 1001 & echo $! > deep; sleep 1002 & echo $! > wide; wait";
    await terminals.input("a", { text: `bash -c '${script.replaceAll("'", `'\\''`)}'`, enter: true });
    const pidOf = (name: string) =>
      waitFor(name, () => {
        const file = path.join(home, name);
        return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
      });
    const pids = [await pidOf("deep"), await pidOf("wide")];
    expect(pids.every(isRunning)).toBe(true);
    await terminals.close("a", { force: true });
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test("the programs of a host that was killed end with it", async () => {
    const { terminals, host } = await bash();
    await terminals.input("a", { text: "echo shell $$; sleep 1003", enter: true });
    const shell = Number(/shell (\d+)/.exec(await shows(terminals, "a", /\nshell \d+/))?.[1]);
    process.kill(host, "SIGKILL");
    await waitFor("the shell's end", () => !isRunning(shell));
  });
});

/** What was typed on one line, whose rows a narrow terminal cut. */
function unwrapped(text: string): string {
  return text.replaceAll("\n", "");
}

/** What the descriptors of a process point to. */
function openOf(pid: string): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ""; // closed meanwhile
    }
  });
}

function rssMegabytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}
