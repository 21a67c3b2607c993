/** The two programs as people and scripts use them, against a real daemon. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { pairDevice } from "../../src/client/pairing.js";
import type { RpcResult } from "../../src/protocol/rpc.js";
import { resolvePaths } from "../../src/server/paths.js";
import { type OnTerminal, onTerminal, type Program, type Ran, run, start } from "../support/command.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { onLoopback } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

const cli = (program: Program, ...args: string[]): Promise<Ran> =>
  run(program, args, { env: daemon.env, cwd: daemon.folder });

const tty = (program: Program, ...args: string[]): OnTerminal => {
  const shown = onTerminal(program, args, { env: daemon.env, cwd: daemon.folder });
  onTestFinished(() => shown.kill());
  return shown;
};

/** A terminal of its own for one test. */
async function openTerminal(title: string, ...command: string[]): Promise<string> {
  const opened = await cli("nexus", "terminal", "open", "--title", title, ...command);
  expect(opened.code, opened.stderr).toBe(0);
  const tabId = opened.stdout.trim();
  onTestFinished(async () => void (await cli("nexus", "terminal", "close", tabId, "--force")));
  return tabId;
}

/** Pairs this HOME as a device of the daemon under a name of its own. */
async function pairCli(name: string, caps: string): Promise<void> {
  const pairing = start("nexusd", ["pair", "--yes", "--caps", caps, "--print-link"], { env: daemon.env });
  const link = onLoopback(
    daemon,
    await waitFor("the link", () => /^(http\S+)\n/.exec(pairing.stdout())?.[1]),
  );
  const paired = await run("nexus", ["pair", "--name", name, "--as", name], {
    env: daemon.env,
    input: `${link}\n`,
  });
  expect(paired.code, paired.stderr).toBe(0);
  expect((await pairing.ended).code).toBe(0);
  onTestFinished(async () => void (await cli("nexusd", "revoke", name)));
}

describe("a command", () => {
  test.each<[Program, string[], number]>([
    ["nexusd", ["status"], 0],
    ["nexus", ["ls"], 0],
    ["nexus", ["--version"], 0],
    ["nexus", ["terminal", "--help"], 0],
    ["nexus", [], 2],
    ["nexus", ["nonsense"], 2],
    ["nexus", ["ls", "--nonsense"], 2],
    ["nexus", ["terminal", "read"], 2],
    ["nexus", ["terminal", "key", "x", "ctrl-9"], 2],
    ["nexus", ["terminal", "open", "--cols", "3"], 2],
    ["nexus", ["watch"], 2],
    ["nexusd", ["pair", "--yes"], 2],
    ["nexusd", ["serve", "--tls-cert", "x"], 2],
    ["nexusd", ["serve", "/nowhere/at/all"], 2],
    ["nexusd", ["grant", "x", "everythin"], 2],
    ["nexus", ["terminal", "read", "nosuchtab"], 3],
    ["nexus", ["ls", "--device", "nosuchdevice"], 3],
    ["nexusd", ["revoke", "nosuchdevice"], 3],
    ["nexusd", ["remove", "nosuchworkspace"], 3],
    ["nexusd", ["approve", "123456", "--caps", "watch"], 5],
  ])("%s %j ends with %i", async (program, args, code) => {
    expect((await cli(program, ...args)).code).toBe(code);
  });

  test("without a daemon says how to start one, and ends with 5", async () => {
    const env = {
      ...daemon.env,
      HOME: join(daemon.home, "empty"),
      XDG_RUNTIME_DIR: join(daemon.home, "no-run"),
    };
    for (const program of ["nexus", "nexusd"] as const) {
      const ran = await run(program, [program === "nexus" ? "ls" : "status"], { env, cwd: daemon.folder });
      expect(ran).toMatchObject({ code: 5, stdout: "" });
      expect(ran.stderr).toContain("nexusd serve");
    }
  });

  test("writes one JSON value a line with --json", async () => {
    await openTerminal("json");
    for (const args of [["ls"], ["terminal", "ls"], ["events"]]) {
      const { stdout, values } = await cli("nexus", ...args, "--json");
      expect(values).toHaveLength(stdout.trimEnd().split("\n").length);
    }
    const [status] = (await cli("nexusd", "status", "--json")).values;
    expect(status).toMatchObject({ pid: daemon.pid, port: daemon.port });
  });
});

describe("workspaces", () => {
  test("are added by folder and removed by name, and a second serve adds its folder", async () => {
    const other = join(daemon.home, "other");
    mkdirSync(other);
    const added = await cli("nexusd", "serve", other, "--json");
    expect(added.code).toBe(0);
    expect(added.values[0]).toMatchObject({ pid: daemon.pid, port: daemon.port, added: { path: other } });
    expect((await cli("nexusd", "workspaces")).stdout).toContain(other);
    expect((await cli("nexusd", "remove", other)).code).toBe(0);
    expect((await cli("nexusd", "add", other)).code).toBe(0);
    expect((await cli("nexusd", "remove", "other")).code).toBe(0);
    expect((await cli("nexusd", "workspaces")).stdout).not.toContain(other);
  });
});

describe("terminals", () => {
  test("are opened, typed into, waited on, read, renamed and closed", async () => {
    const tabId = await openTerminal("first");
    const typed = await cli("nexus", "terminal", "input", "first", "echo sum-$((20+3))", "--enter", "--json");
    const { at } = typed.values[0] as { at: number };
    const waited = await cli("nexus", "terminal", "wait", "first", "--match", "^sum-23", "--timeout", "20s");
    expect(waited, waited.stderr).toMatchObject({ code: 0, stdout: "matched: sum-23\n" });
    const idle = await cli(
      "nexus",
      "terminal",
      "wait",
      tabId.slice(0, 8),
      "--after",
      String(at),
      "--timeout",
      "20s",
    );
    expect(idle.code, idle.stderr).toBe(0);
    expect((await cli("nexus", "terminal", "read", tabId)).stdout).toMatch(/\nsum-23\n/);
    expect((await cli("nexus", "terminal", "rename", tabId, "renamed")).code).toBe(0);
    expect((await cli("nexus", "terminal", "ls")).stdout).toContain("renamed");
    expect((await cli("nexus", "terminal", "close", "renamed")).code).toBe(0);
    expect((await cli("nexus", "terminal", "read", tabId)).code).toBe(3);
  });

  test("take their command from the arguments and their text from standard input", async () => {
    const tabId = await openTerminal("typed", "--", "echo", "started-$((1+1))", "--enter");
    const options = { env: daemon.env, input: "echo from-input-$((2+2))\n" };
    expect((await run("nexus", ["terminal", "input", tabId, "-", "--enter"], options)).code).toBe(0);
    for (const line of ["started-2 --enter", "from-input-4"]) {
      const waited = await cli("nexus", "terminal", "wait", tabId, "--match", line, "--timeout", "20s");
      expect(waited.code, waited.stderr).toBe(0);
    }
  });

  test("a wait that is over ends with 6 and says how the terminal stands", async () => {
    const tabId = await openTerminal("busy", "sleep", "60");
    const waited = await cli(
      "nexus",
      "terminal",
      "wait",
      tabId,
      "--match",
      "never",
      "--timeout",
      "300ms",
      "--json",
    );
    expect(waited).toMatchObject({ code: 6, values: [{ done: false }] });
    const refused = await waitFor("sleep to run", async () => {
      const closed = await cli("nexus", "terminal", "close", tabId);
      return closed.code === 0 ? undefined : closed;
    });
    expect(refused.code).toBe(5);
  });

  test("their changes follow as events, until Ctrl-C", async () => {
    const following = start("nexus", ["events", "--follow", "--json"], { env: daemon.env });
    onTestFinished(() => following.kill("SIGKILL"));
    const tabId = await openTerminal("followed");
    const seen = (): boolean => following.stdout().includes(tabId);
    await waitFor("the event", seen);
    following.kill("SIGINT");
    const { code, values } = await following.ended;
    expect(code).toBe(0);
    const numbers = values.map((value) => (value as { seq: number }).seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  test("are watched as JSON with each change", async () => {
    const tabId = await openTerminal("watched");
    const watching = start("nexus", ["terminal", "watch", tabId, "--json"], { env: daemon.env });
    onTestFinished(() => watching.kill("SIGKILL"));
    await waitFor("the first state", () => watching.stdout().includes('{"text"'));
    await cli("nexus", "terminal", "input", tabId, "echo seen-$((3*3))", "--enter");
    await waitFor("the change", () => watching.stdout().includes("seen-9"));
    watching.kill("SIGTERM");
    expect((await watching.ended).code).toBe(0);
  });
});

describe("attach", () => {
  const colsOf = (tabId: string): Promise<number> => readNumber(tabId, "tput cols", "cols");

  async function readNumber(tabId: string, command: string, word: string): Promise<number> {
    await daemon.call("terminal.input", {
      ...(await refOf(tabId)),
      text: `echo ${word}=$(${command})`,
      enter: true,
    });
    const { text } = await waitFor("the number", async () => {
      const read = await daemon.call("terminal.read", await refOf(tabId));
      return new RegExp(`^${word}=\\d+`, "m").test(read.text) ? read : undefined;
    });
    return Number([...text.matchAll(new RegExp(`^${word}=(\\d+)`, "gm"))].at(-1)?.[1]);
  }

  async function refOf(tabId: string): Promise<{ workspaceId: string; tabId: string }> {
    const { sessions } = await daemon.call("sessions.list", {});
    const workspaceId = sessions.find((session) => session.tabId === tabId)?.workspaceId ?? "";
    return { workspaceId, tabId };
  }

  test("works in a terminal of this machine, follows the window's size, and leaves it running", async () => {
    const tabId = await openTerminal("desk");
    const desk = tty("nexus", "terminal", "attach", "desk");
    await desk.shows(/ctrl-\] leaves it/);
    await desk.shows(/[$#] /);
    desk.type("echo typed-$((4*4))\r");
    await desk.shows("typed-16");
    desk.resize(73, 20);
    await waitFor("the size of the window", async () => (await colsOf(tabId)) === 73);
    desk.type("\x1d");
    await desk.shows("it goes on");
    expect(await desk.ended).toBe(0);
    expect((await cli("nexus", "terminal", "read", tabId)).stdout).toContain("typed-16");
  });

  test("says so when the terminal ends under it", async () => {
    await openTerminal("short");
    const desk = tty("nexus", "terminal", "attach", "short");
    await desk.shows(/[$#] /);
    desk.type("exit\r");
    await desk.shows("It ended");
    expect(await desk.ended).toBe(0);
  });

  test("over the sealed link draws the watch and sends keys", async () => {
    await pairCli("far", "everything");
    const tabId = await openTerminal("remote");
    const far = tty("nexus", "terminal", "attach", "remote", "--device", "far");
    await far.shows(/[$#] /);
    far.type("echo far-$((5*5))\r");
    await far.shows("far-25");
    far.type("echo gone\x15\x1b[A\r");
    await waitFor("the second line", async () => {
      const { stdout } = await cli("nexus", "terminal", "read", tabId);
      return (stdout.match(/^far-25$/gm) ?? []).length === 2;
    });
    far.type("\x1d");
    expect(await far.ended).toBe(0);
  });

  test("needs a terminal to draw on", async () => {
    await openTerminal("piped");
    expect((await cli("nexus", "terminal", "attach", "piped")).code).toBe(2);
  });
});

describe("pairing", () => {
  test("by the link from standard input: then --device works, as far as the grant goes, until it is revoked", async () => {
    await pairCli("laptop", "sessions,terminal.read");
    expect((await cli("nexus", "devices")).stdout).toContain("laptop");
    const listed = (await cli("nexus", "ls", "--device", "laptop", "--json"))
      .values[0] as RpcResult<"sessions.list">;
    expect(listed.workspaces.map(({ path }) => path)).toContain(daemon.folder);
    expect((await cli("nexus", "terminal", "shells", "--device", "laptop")).code).toBe(4);
    expect((await cli("nexusd", "grant", "laptop", "everything")).code).toBe(0);
    const shells = await cli(
      "nexus",
      "terminal",
      "shells",
      "--workspace",
      daemon.folder,
      "--device",
      "laptop",
    );
    expect(shells.code, shells.stderr).toBe(0);
    expect((await cli("nexusd", "revoke", "laptop")).code).toBe(0);
    expect((await cli("nexus", "ls", "--device", "laptop")).code).toBe(4);
  });

  test("keeps its record for this user alone", async () => {
    await pairCli("kept", "watch");
    const folder = join(daemon.home, ".local", "share", "nexus", "devices");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "kept.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("on a terminal shows link and QR code, asks for the digits until they are right, and for the rights", async () => {
    const owner = tty("nexusd", "pair");
    await owner.shows(/#pair=1\.\S+/);
    await owner.shows("▀");
    const link = onLoopback(daemon, /http\S+#pair=\S+/.exec(owner.text())?.[0] ?? "");
    const device = start("nexus", ["pair", "--name", "typed", "--as", "typed-device"], {
      env: daemon.env,
      input: `${link}\n`,
    });
    onTestFinished(() => device.kill("SIGKILL"));
    await owner.shows("typed-device (cli)");
    await owner.shows("six digits");
    const shown = await waitFor("the code", () => /workstation: (\d{3} \d{3})/.exec(device.stdout())?.[1]);
    const wrong = shown.startsWith("0") ? "111111" : "000000";
    owner.type(`${wrong}\r`);
    await owner.shows("Rights [");
    owner.type("1\r");
    await owner.shows("2 tries left");
    owner.type(`${shown}\r`);
    await owner.shows("is paired and may: watch");
    expect(await owner.ended).toBe(0);
    expect((await device.ended).code).toBe(0);
    expect((await cli("nexus", "ls", "--device", "typed")).code).toBe(0);
    await cli("nexusd", "revoke", "typed-device");
  });

  test.each([
    ["yes", "may: everything"],
    ["y", "may: steer"],
  ])(
    "of a page over plain http gives risky rights only for a typed yes, not for %j",
    async (typed, granted) => {
      const owner = tty("nexusd", "pair");
      await owner.shows(/#pair=1\.\S+/);
      const link = onLoopback(daemon, /http\S+#pair=\S+/.exec(owner.text())?.[0] ?? "");
      const origin = `http://127.0.0.1:${daemon.port}`;
      /** A browser says which page a socket belongs to. */
      class PageSocket extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { origin });
        }
      }
      const pairing = await pairDevice({
        link,
        name: "page",
        kind: "phone",
        wants: [],
        WebSocket: PageSocket,
      });
      onTestFinished(() => pairing.cancel());
      await owner.shows("in a page over plain http");
      await owner.shows("six digits");
      owner.type(`${pairing.code}\r`);
      await owner.shows("Rights [");
      owner.type("3\r");
      await owner.shows("Type yes");
      owner.type(`${typed}\r`);
      await owner.shows(granted);
      expect(await owner.ended).toBe(0);
      await pairing.approved;
      await cli("nexusd", "revoke", "page");
    },
  );

  test("that the owner leaves by Ctrl-C leaves no link behind", async () => {
    const owner = tty("nexusd", "pair");
    await owner.shows(/#pair=1\.\S+/);
    const link = onLoopback(daemon, /http\S+#pair=\S+/.exec(owner.text())?.[0] ?? "");
    owner.type("\x03");
    expect(await owner.ended).toBe(130);
    const device = await run("nexus", ["pair", "--name", "late"], { env: daemon.env, input: `${link}\n` });
    expect(device.code).toBe(4);
  });

  test("refuses a text that is no link", async () => {
    const device = await run("nexus", ["pair"], { env: daemon.env, input: "http://127.0.0.1/\n" });
    expect(device.code).toBe(2);
  });

  test("approves from another place with nexusd approve", async () => {
    const pairing = start("nexusd", ["pair", "--print-link"], { env: daemon.env });
    const link = onLoopback(
      daemon,
      await waitFor("the link", () => /^(http\S+)\n/.exec(pairing.stdout())?.[1]),
    );
    const device = start("nexus", ["pair", "--name", "approved", "--as", "approved", "--json"], {
      env: daemon.env,
      input: link,
    });
    const code = await waitFor("the code", () => /"code":"(\d{6})"/.exec(device.stdout())?.[1]);
    const approved = await cli("nexusd", "approve", code, "--caps", "watch,files", "--json");
    expect(approved.values[0]).toMatchObject({ name: "approved" });
    expect((await device.ended).code).toBe(0);
    expect((await pairing.ended).stdout).toContain("approved is paired");
    await cli("nexusd", "revoke", "approved");
  });
});

describe("doctor", () => {
  const checksOf = ({ values }: Ran): { name: string; ok: boolean; repair?: string }[] =>
    (values[0] as { checks: { name: string; ok: boolean; repair?: string }[] }).checks;

  test("really opens a terminal in the daemon, and leaves no tab of it", async () => {
    const ran = await cli("nexusd", "doctor", "--json");
    expect(ran.code, ran.stdout).toBe(0);
    expect(checksOf(ran).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["terminal", "native binding", "sockets", "file modes", "port", "clock"]),
    );
    const { sessions } = await daemon.call("sessions.list", {});
    expect(sessions.filter(({ tabId }) => tabId.startsWith("doctor"))).toEqual([]);
  });

  test("finds a file that others can read, ends with 1, and says the repair", async () => {
    const file = join(resolvePaths(daemon.env).stateDir, "devices.json");
    const before = readFileSync(file);
    chmodSync(file, 0o644);
    onTestFinished(() => chmodSync(file, 0o600));
    const ran = await cli("nexusd", "doctor");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/BAD {2}file modes: .*devices\.json/);
    expect(ran.stdout).toContain("chmod");
    expect(readFileSync(file)).toEqual(before);
  });

  test("checks by itself where no daemon runs", async () => {
    const home = join(daemon.home, "alone");
    mkdirSync(home);
    const config = join(home, ".config", "nexusd");
    mkdirSync(config, { recursive: true });
    const env = { ...daemon.env, HOME: home, XDG_RUNTIME_DIR: join(home, "run") };
    const ran = await run("nexusd", ["doctor", "--json"], { env });
    const bad = checksOf(ran).filter(({ ok, name }) => !ok && name !== "port"); // another program may have the default one
    expect(bad).toEqual([]);
  });
});
