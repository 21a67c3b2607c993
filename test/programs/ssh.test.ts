/** A shell on another machine inside a terminal: a real sshd on loopback, as this user, with keys of its own. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Terminals } from "../../src/terminal/client.js";
import type { Shell } from "../../src/terminal/types.js";
import { atPrompt, BASH, plainTerminal, shows, terminalFolders } from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const never = new AbortController().signal;
const ZSH: Shell = { id: "zsh", name: "zsh", path: "/usr/bin/zsh", isDefault: false };
const FISH: Shell = { id: "fish", name: "fish", path: "/usr/bin/fish", isDefault: false };

const SSHD = "/usr/sbin/sshd";
/** What sshd wants to find when it runs as root; its package leaves it to the init system. */
const SSHD_ROOT_FOLDER = "/run/sshd";

const PLAIN_RC = "PS1='remote> '\n";
/** Marks of another integration than ours, as a remote shell may send them. */
const MARKED_RC = String.raw`PS1='\[\e]133;A\a\]remote> \[\e]133;B\a\]'
PS0='\e]133;C\a'
`;

interface Remote {
  readonly command: string;
  readonly sshd: ChildProcess;
}

/** Starts an sshd that lets this user in, into a bash that reads `rc` alone. */
async function remote(folder: string, rc: string): Promise<Remote> {
  const at = (name: string): string => path.join(folder, "ssh", name);
  mkdirSync(at(""), { mode: 0o700 });
  if (process.getuid?.() === 0) mkdirSync(SSHD_ROOT_FOLDER, { recursive: true, mode: 0o755 });
  for (const key of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(key)]);
  }
  copyFileSync(at("user.pub"), at("authorized"));
  writeFileSync(at("rc"), rc);
  const port = await freePort();
  const config = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${at("host")}`,
    `AuthorizedKeysFile ${at("authorized")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    `ForceCommand exec bash --rcfile ${at("rc")} -i`,
  ];
  writeFileSync(at("config"), `${config.join("\n")}\n`);
  const sshd = spawn(SSHD, ["-D", "-e", "-f", at("config")], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  sshd.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  onTestFinished(() => void sshd.kill("SIGKILL"));
  await waitFor("sshd", () => {
    if (sshd.exitCode !== null) throw new Error(`sshd ended: ${said}`);
    return said.includes("listening on");
  });
  const options = ["-F /dev/null", "-o StrictHostKeyChecking=no", "-o UserKnownHostsFile=/dev/null"];
  const client = ["-o LogLevel=ERROR", "-o IdentitiesOnly=yes", `-i ${at("user")}`, `-p ${port}`];
  const command = ["ssh -tt", ...options, ...client, `${userInfo().username}@127.0.0.1`].join(" ");
  return { command, sshd };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function loggedIn(shell: Shell, rc: string): Promise<{ terminals: Terminals; remote: Remote }> {
  const { folder, start } = await terminalFolders();
  writeFileSync(path.join(folder, ".zshrc"), "");
  mkdirSync(path.join(folder, ".local/share/fish/generated_completions"), { recursive: true });
  const there = await remote(folder, rc);
  const terminals = await start();
  await terminals.open(plainTerminal("a", folder, { shell }));
  await atPrompt(terminals, "a");
  await terminals.input("a", { text: there.command, enter: true });
  await shows(terminals, "a", /\nremote> *$/);
  await waitFor("ssh", () => terminals.get("a")?.foreground === "ssh");
  return { terminals, remote: there };
}

describe.each([BASH, ZSH, FISH])("ssh in $name", (shell) => {
  test("a remote prompt without marks is no prompt of ours: ssh runs until it ends", async () => {
    const { terminals } = await loggedIn(shell, PLAIN_RC);
    const { at } = await terminals.input("a", { text: "echo far-$((1+1))", enter: true });
    await shows(terminals, "a", /\nfar-2\nremote> *$/);
    const wait = { asker: "t", after: at, timeoutMs: 700 };
    expect(await terminals.wait("a", wait, never)).toMatchObject({ done: false, state: "waiting" });
    expect(terminals.get("a")).toMatchObject({ phase: "running", foreground: "ssh" });
    const quiet = { asker: "t", after: at, quietMs: 200 };
    expect(await terminals.wait("a", quiet, never)).toMatchObject({ done: true });
    await expect(terminals.close("a", {})).rejects.toThrow(/ssh still runs/);
    const exit = await terminals.input("a", { text: "exit 7", enter: true });
    const ended = await terminals.wait("a", { asker: "t", after: exit.at }, never);
    expect(ended).toMatchObject({ done: true, state: "idle" });
    expect((await atPrompt(terminals, "a"))?.lastCommand).toMatchObject({ exitCode: 7 });
  });

  test("a remote shell's own marks tell when its commands end, and close still names ssh", async () => {
    const { terminals } = await loggedIn(shell, MARKED_RC);
    const first = await terminals.input("a", { text: "sleep 2; echo slept-$((1+1))", enter: true });
    const short = { asker: "t", after: first.at, timeoutMs: 300 };
    expect(await terminals.wait("a", short, never)).toMatchObject({ done: false });
    const done = await terminals.wait("a", { asker: "t", after: first.at }, never);
    expect(done).toMatchObject({ done: true, state: "idle" });
    expect(await terminals.read("a", {})).toMatch(/\nslept-2\n/);
    await expect(terminals.close("a", {})).rejects.toThrow(/ssh still runs/);
    const loop = await terminals.input("a", { text: "while :; do :; done", enter: true });
    const busy = { asker: "t", after: loop.at, timeoutMs: 700 };
    expect(await terminals.wait("a", busy, never)).toMatchObject({ done: false, state: "waiting" });
    await terminals.input("a", { keys: ["ctrl-c"] });
    await waitFor("the remote prompt", () => terminals.get("a")?.phase === "prompt");
    await terminals.input("a", { text: "exit 4", enter: true });
    await waitFor("the end of ssh", () => terminals.get("a")?.foreground !== "ssh");
    expect((await atPrompt(terminals, "a"))?.lastCommand).toMatchObject({ exitCode: 4 });
    await terminals.close("a", {});
  });
});

test("a remote machine that goes away ends the command, and the terminal is at its own prompt", async () => {
  const { terminals, remote: there } = await loggedIn(BASH, MARKED_RC);
  const { at } = await terminals.input("a", { text: "sleep 1000", enter: true });
  await waitFor("the remote command", () => terminals.get("a")?.phase === "running");
  const children = execFileSync("pgrep", ["-P", String(there.sshd.pid)], { encoding: "utf8" });
  for (const pid of children.trim().split("\n")) process.kill(Number(pid), "SIGKILL");
  const lost = await terminals.wait("a", { asker: "t", after: at }, never);
  expect(lost).toMatchObject({ done: true, state: "idle" });
  expect((await atPrompt(terminals, "a"))?.lastCommand).toMatchObject({ exitCode: 255 });
  await terminals.input("a", { text: "sleep 1000", enter: true });
  await waitFor("sleep here", () => terminals.get("a")?.foreground === "sleep");
  expect(terminals.get("a")?.phase).toBe("running");
});
