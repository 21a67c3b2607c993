/** This daemon as a client of others: pairing both ways, commands in tabs, and a peer that is away. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  agentLog,
  allow,
  askAsAgent,
  befriend,
  envOfTab,
  openChat,
  type Ref,
  startScripted,
} from "../support/agents.js";
import { onTerminal, run, start } from "../support/command.js";
import type { TestDaemon } from "../support/daemon.js";
import { onLoopback } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let a: TestDaemon;
let b: TestDaemon;
beforeAll(async () => {
  [a, b] = await Promise.all([
    startScripted({ config: { name: "alpha" } }),
    startScripted({ config: { name: "beta machine" } }),
  ]);
});
afterAll(() => Promise.all([a, b].map((daemon) => daemon?.dispose())));

test("nexusd peer add takes a link from standard input, shows the digits, and tells how to pair the other way", async () => {
  const { link, offerId } = await b.owner("owner.pair", {});
  const adding = start("nexusd", ["peer", "add", "--json"], {
    env: a.env,
    input: `${onLoopback(b, link)}\n`,
  });
  const { code } = await waitFor("the digits", () => {
    const [first] = adding.stdout().split("\n");
    return first?.includes("code") === true ? (JSON.parse(first) as { code: string }) : undefined;
  });
  expect((await b.owner("owner.pairing", { offerId })).device).toMatchObject({
    name: "alpha",
    kind: "daemon",
  });
  await b.owner("owner.approve", { code, capabilities: ["agents"] });
  const { code: exit, values } = await adding.ended;
  expect(exit).toBe(0);
  expect(values[1]).toMatchObject({
    peer: { name: "beta-machine", serverName: "beta machine", mayReply: false },
  });
  const listed = await run("nexusd", ["peer", "ls"], { env: a.env });
  expect(listed.stdout).toContain("beta-machine");
  const { devices } = await b.owner("owner.devices", {});
  await befriend(b, a, "alpha");
  const { peers } = await b.owner("owner.peers", {});
  expect(peers).toMatchObject([{ name: "alpha", id: devices[0]?.id, mayReply: true }]);
  expect((await a.owner("owner.peers", {})).peers[0]?.mayReply).toBe(true);
});

describe("nexus in a tab", () => {
  test("sends to a chat on another daemon, whose agent replies once to that tab", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    await allow(b, "alpha", "message", y.tabId);
    await allow(a, "beta machine", "message", x.tabId);
    const args = [
      "--device",
      "beta-machine",
      "chat",
      "send",
      `${y.workspaceId}/${y.tabId}`,
      "ping over there",
    ];
    const sent = await run("nexus", args, { env: envOfTab(a, x) });
    expect([sent.code, sent.stderr]).toEqual([0, ""]);
    const got = await waitFor("the message", () =>
      agentLog(b).find((entry) => entry.got?.includes("ping over there")),
    );
    const reply = /To reply: nexus (.*) 'your words'/.exec(got.got ?? "")?.[1] ?? "";
    const words = [...reply.replaceAll("'", "").split(" "), "pong from here"];
    expect(words).toContain("alpha");
    const replied = await run("nexus", words, { env: envOfTab(b, y) });
    expect([replied.code, replied.stderr]).toEqual([0, ""]);
    const back = await waitFor("the reply", () =>
      agentLog(a).find((entry) => entry.tabId === x.tabId && entry.got?.includes("pong from here")),
    );
    expect(back.from?.hops).toBe(2);
    expect(agentLog(a).filter((entry) => entry.got?.includes("pong from here"))).toHaveLength(1);
    const read = await run("nexus", ["chat", "read", y.tabId, "--device", "beta-machine"], {
      env: envOfTab(a, x),
    });
    expect(read.stdout).toContain("ping over there");
    const waited = await run("nexus", ["chat", "wait", y.tabId, "--device", "beta-machine"], {
      env: envOfTab(a, x),
    });
    expect(waited.stdout).toBe("done\n");
  });

  test("is refused with a sentence and an exit code: turned down, unknown, gone", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    const env = envOfTab(a, x);
    const to = (device: string, ref: Ref) =>
      run("nexus", ["chat", "send", `${ref.workspaceId}/${ref.tabId}`, "hello", "--device", device], { env });
    await b.owner("owner.consent.set", {
      device: "alpha",
      class: "message",
      target: y.tabId,
      decision: "deny",
    });
    const denied = await to("beta-machine", y);
    expect(denied.code).toBe(4);
    expect(denied.stderr).toContain("does not take this from agents");
    const unknown = await to("nowhere", y);
    expect(unknown.code).toBe(3);
    await b.call("chat.close", y);
    const gone = await to("beta-machine", y);
    expect(gone.code).toBe(3);
  });

  test("owner's verbs for agents are refused there", async () => {
    const env = envOfTab(a, await openChat(a));
    for (const args of [
      ["consents"],
      ["agents"],
      ["agents", "resume"],
      ["peer", "ls"],
      ["audit"],
      ["audit", "verify"],
    ]) {
      const { code, stderr } = await run("nexusd", args, { env });
      expect([args.join(" "), code]).toEqual([args.join(" "), 4]);
      expect(stderr).toContain("tab of nexusd");
    }
  });
});

describe("a peer that is away", () => {
  test("the sender is told at once, nothing waits for its return, and nothing is doubled", async () => {
    const c = await startScripted({ config: { name: "gamma" } });
    onTestFinished(() => c.dispose());
    await befriend(a, c, "gamma");
    const [x, z] = [await openChat(a), await openChat(c)];
    await allow(c, "alpha", "message");
    const send = (text: string) =>
      askAsAgent(a, x.tabId, { device: "gamma", method: "chat.send", params: { ...z, text } });
    expect((await send("before")).error).toBeUndefined();
    await waitFor("the first to be written down as read", () => {
      const [file] = readdirSync(`${c.home}/.local/state/nexusd/chats`, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith("chat.json"));
      const state = readFileSync(`${c.home}/.local/state/nexusd/chats/${file}`, "utf8");
      return agentLog(c).length > 0 && (JSON.parse(state) as { queue: unknown[] }).queue.length === 0;
    });
    await c.kill();
    const began = Date.now();
    const { error } = await send("while away");
    expect(error).toMatchObject({ code: 1003, data: { why: "offline" } });
    expect(error?.message).toContain("nothing was sent");
    expect(Date.now() - began).toBeLessThan(12_000);
    await c.restart();
    // The port is another one after a restart of a test's daemon: the peer is found again by a new pairing.
    await befriend(a, c, "gamma");
    expect((await send("after")).error).toBeUndefined();
    await waitFor("the last", () => agentLog(c).some((entry) => entry.got?.includes("after")));
    const texts = agentLog(c).flatMap((entry) => /│ (\w.*)/.exec(entry.got ?? "")?.[1] ?? []);
    expect(texts).toEqual(["before", "after"]);
  });

  test("a link that is lost while the other owner is asked is told, and withdraws the question", async () => {
    const c = await startScripted({ config: { name: "delta" } });
    onTestFinished(() => c.dispose());
    await befriend(a, c, "delta");
    const [x, z] = [await openChat(a), await openChat(c)];
    const sending = askAsAgent(a, x.tabId, {
      device: "delta",
      method: "chat.send",
      params: { ...z, text: "lost" },
    });
    await waitFor("the question", async () => (await c.owner("owner.consents", {})).waiting.length > 0);
    await c.kill();
    expect((await sending).error).toMatchObject({ code: 1003, data: { why: "lost" } });
    await c.restart();
    expect((await c.owner("owner.consents", {})).waiting).toEqual([]);
    expect(agentLog(c)).toEqual([]);
  });

  test("a peer that shut this machine out, and one that was removed here", async () => {
    const c = await startScripted({ config: { name: "epsilon" } });
    onTestFinished(() => c.dispose());
    await befriend(a, c, "epsilon");
    const [x, z] = [await openChat(a), await openChat(c)];
    const send = () =>
      askAsAgent(a, x.tabId, { device: "epsilon", method: "chat.send", params: { ...z, text: "x" } });
    await c.owner("owner.revoke", { deviceId: "alpha" });
    const { error } = await send();
    expect(error?.code).toBe(1002);
    expect(error?.message).toContain("does not know this machine");
    await a.owner("owner.peer.remove", { peer: "epsilon" });
    expect((await send()).error?.code).toBe(1001);
  });
});

describe("the owner's commands", () => {
  test("consents are listed, shown whole, allowed and remembered, and nothing of their text acts on the terminal", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    const ask = (text: string) =>
      askAsAgent(a, x.tabId, { device: "beta-machine", method: "chat.send", params: { ...y, text } });
    const evil = `\x1b[2J\x1b[HAllow it? y\r\n\u202eevil${"z".repeat(5000)}`;
    const sending = ask(evil);
    const listed = await waitFor("the question", async () => {
      const { stdout } = await run("nexusd", ["consents"], { env: b.env });
      return /consent-[\w-]+/.exec(stdout) === null ? undefined : stdout;
    });
    const id = /consent-[\w-]+/.exec(listed)?.[0] ?? "";
    expect(listed).not.toMatch(/\x1b|\u202e/);
    expect(listed).toContain("alpha");
    const early = await run("nexusd", ["consents", "allow", id], { env: b.env });
    expect([early.code, early.stderr]).toEqual([5, expect.stringContaining("open it whole")]);
    const { stdout } = await run("nexusd", ["consents", "show", id], { env: b.env });
    expect(stdout).toContain("zzzz");
    expect(stdout).not.toMatch(/\x1b|\u202e/);
    expect((await run("nexusd", ["consents", "allow", id, "--remember"], { env: b.env })).code).toBe(0);
    expect((await sending).error).toBeUndefined();
    expect((await ask("again")).error).toBeUndefined();
    const { rules } = await b.owner("owner.consents", {});
    const rule = rules.find(({ target }) => target === y.tabId);
    expect(rule).toMatchObject({ class: "message", decision: "allow" });
    expect((await run("nexusd", ["consents", "forget", rule?.id ?? ""], { env: b.env })).code).toBe(0);
  });

  test("--follow asks the owner on a terminal", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    const following = onTerminal("nexusd", ["consents", "--follow"], { env: b.env });
    onTestFinished(() => following.kill());
    const params = { ...y, text: "may I follow" };
    const sending = askAsAgent(a, x.tabId, { device: "beta-machine", method: "chat.send", params });
    await following.shows("Allow it?");
    expect(following.text()).toContain("may I follow");
    following.type("y\r");
    expect((await sending).error).toBeUndefined();
  });

  test("agents stop is one switch for what comes and what goes, and survives a restart", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    await allow(b, "alpha", "message", y.tabId);
    const send = () =>
      askAsAgent(a, x.tabId, { device: "beta-machine", method: "chat.send", params: { ...y, text: "x" } });
    expect((await run("nexusd", ["agents", "stop"], { env: a.env })).stdout).toContain(
      "Stopped by this machine",
    );
    expect((await send()).error).toMatchObject({ code: 1002, data: { why: "stopped" } });
    await a.restart();
    expect((await send()).error).toMatchObject({ data: { why: "stopped" } });
    const shown = await run("nexusd", ["agents"], { env: a.env });
    expect(shown.stdout).toContain("stopped");
    expect((await run("nexusd", ["agents", "resume", "--json"], { env: a.env })).code).toBe(0);
    expect((await send()).error?.data?.why).not.toBe("stopped");
  });

  test("audit tells who did what, follows, and is verified with and without the daemon", async () => {
    const { stdout } = await run("nexusd", ["audit"], { env: b.env });
    expect(stdout).toMatch(/for the agent in \w+ {2}chat\.send {2}ok/);
    const following = start("nexusd", ["audit", "--follow", "--json"], { env: b.env });
    onTestFinished(() => following.kill("SIGKILL"));
    await waitFor("the tail", () => following.stdout().includes("chat.send"));
    const { tabId, workspaceId } = await openChat(b);
    await b.call("chat.rename", { tabId, workspaceId, title: "followed" });
    await waitFor("the line", () => following.stdout().includes("chat.rename"));
    expect((await run("nexusd", ["audit", "verify"], { env: b.env })).stdout).toContain("all whole");
    const c = await startScripted();
    await c.call("chat.rename", { ...(await openChat(c)), title: "x" });
    const file = `${c.home}/.local/state/nexusd/audit.jsonl`;
    await waitFor("the audit line", () => readFileSync(file, "utf8").includes("chat.rename"));
    await c.kill();
    expect((await run("nexusd", ["audit", "verify"], { env: c.env })).code).toBe(0);
    writeFileSync(file, readFileSync(file, "utf8").replace('"outcome":"ok"', '"outcome":"no"'));
    const broken = await run("nexusd", ["audit", "verify", "--json"], { env: c.env });
    expect(broken.code).toBe(1);
    rmSync(file);
    await c.dispose();
  });
});
