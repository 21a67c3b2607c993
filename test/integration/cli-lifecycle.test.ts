/** serve, stop and restart: a daemon's beginning and end as its owner sees them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { resolvePaths } from "../../src/server/paths.js";
import { onTerminal, type Ran, run } from "../support/command.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { waitFor } from "../support/wait-for.js";

async function daemonOfItsOwn(): Promise<TestDaemon> {
  const daemon = await startDaemon();
  onTestFinished(() => daemon.dispose());
  return daemon;
}

const cli = (daemon: TestDaemon, program: "nexusd" | "nexus", ...args: string[]): Promise<Ran> =>
  run(program, args, { env: daemon.env, cwd: daemon.folder });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // gone
  }
};

/** Resolves when the daemon says that something runs in a terminal. */
async function sleeping(daemon: TestDaemon): Promise<string> {
  const opened = await cli(daemon, "nexus", "terminal", "open", "--title", "sleeper", "sleep", "600");
  await waitFor("sleep to run", async () => {
    const { sessions } = await daemon.call("sessions.list", {});
    return sessions.some(({ title, state }) => title === "sleeper" && state === "running");
  });
  return opened.stdout.trim();
}

test("stop says what runs and ends nothing, until it is told to", async () => {
  const daemon = await daemonOfItsOwn();
  await sleeping(daemon);
  const refused = await cli(daemon, "nexusd", "stop");
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain("sleeper");
  expect(isAlive(daemon.pid)).toBe(true);
  const { pid } = daemon;
  const stopped = await cli(daemon, "nexusd", "stop", "--force");
  expect(stopped, stopped.stderr).toMatchObject({ code: 0 });
  await waitFor("the process to end", () => !isAlive(pid));
  expect((await cli(daemon, "nexusd", "status")).code).toBe(5);
});

test("stop --keep-terminals leaves them to the next start", async () => {
  const daemon = await daemonOfItsOwn();
  const tabId = await sleeping(daemon);
  expect((await cli(daemon, "nexusd", "stop", "--keep-terminals")).code).toBe(0);
  await daemon.restart();
  const { sessions } = await daemon.call("sessions.list", {});
  expect(sessions).toEqual([expect.objectContaining({ tabId, state: "running" })]);
});

test("restart goes on in the background, at the same port, with the same terminals", async () => {
  const daemon = await daemonOfItsOwn();
  const { pid, port } = daemon;
  const tabId = await sleeping(daemon);
  const restarted = await cli(daemon, "nexusd", "restart", "--when-idle", "--json");
  expect(restarted.code, restarted.stderr).toBe(0);
  const now = restarted.values[0] as { pid: number; port: number };
  expect(now.port).toBe(port);
  expect(now.pid).not.toBe(pid);
  const listed = await cli(daemon, "nexus", "ls");
  expect(listed.stdout).toContain(tabId);
  expect((await cli(daemon, "nexusd", "workspaces")).stdout).toContain(daemon.folder);
  const log = readFileSync(join(resolvePaths(daemon.env).stateDir, "nexusd.log"), "utf8");
  expect(log).toContain("started");
  expect((await cli(daemon, "nexusd", "stop", "--force")).code).toBe(0);
  await waitFor("the process to end", () => !isAlive(now.pid));
});

test("serve on a terminal says which folder, offers to pair, and Ctrl-C ends it but no terminal", async () => {
  const daemon = await daemonOfItsOwn();
  const tabId = await sleeping(daemon);
  await cli(daemon, "nexusd", "stop", "--keep-terminals");
  const served = onTerminal("nexusd", ["serve", "--port", "0"], { env: daemon.env, cwd: daemon.folder });
  onTestFinished(() => served.kill());
  await served.shows(`Serving ${daemon.folder} at http`);
  await served.shows(/#pair=1\.\S+/);
  await served.shows("▀");
  expect((await cli(daemon, "nexus", "ls")).stdout).toContain(tabId);
  served.type("\x03");
  expect(await served.ended).toBe(0);
  expect(existsSync(join(resolvePaths(daemon.env).stateDir, "lock"))).toBe(false);
});

test("a port that is taken is told in one sentence", async () => {
  const daemon = await daemonOfItsOwn();
  const env = {
    ...daemon.env,
    HOME: join(daemon.home, "second"),
    XDG_RUNTIME_DIR: join(daemon.home, "run2"),
  };
  const args = ["serve", daemon.folder, "--port", String(daemon.port)];
  const ran = await run("nexusd", args, { env, cwd: daemon.folder });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`Port ${daemon.port} is taken`);
});
