/** Agents that always send on, on one daemon and between several: every chain ends by its hops. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type AgentEntry,
  agentLog,
  allow,
  askAsAgent,
  befriend,
  openChat,
  type Ref,
  setRoutes,
  startScripted,
} from "../support/agents.js";
import type { TestDaemon } from "../support/daemon.js";
import { waitFor } from "../support/wait-for.js";

let a: TestDaemon;
let b: TestDaemon;
let c: TestDaemon;
beforeAll(async () => {
  [a, b, c] = await Promise.all([
    startScripted({ config: { name: "alpha" } }),
    startScripted({ config: { name: "beta" } }),
    startScripted({ config: { name: "gamma" } }),
  ]);
  for (const [from, to, name] of [
    [a, b, "beta"],
    [b, a, "alpha"],
    [b, c, "gamma"],
    [c, a, "alpha"],
  ] as const) {
    await befriend(from, to, name);
  }
  for (const [daemon, device] of [
    [a, "beta"],
    [a, "gamma"],
    [b, "alpha"],
    [c, "beta"],
  ] as const) {
    for (const kind of ["message", "open", "type"] as const) await allow(daemon, device, kind);
  }
}, 60_000);
afterAll(() => Promise.all([a, b, c].map((daemon) => daemon?.dispose())));
afterEach(() => {
  for (const daemon of [a, b, c]) setRoutes(daemon, {});
});

const to = (ref: Ref, text = "over to you") => ({ params: { ...ref, text } });

/** All that agents got and how the last was refused, in these tabs. */
function seen(daemons: TestDaemon[], tabs: Ref[]): { hops: number[]; refusals: AgentEntry[] } {
  const ids = new Set(tabs.map(({ tabId }) => tabId));
  const entries = daemons.flatMap(agentLog).filter(({ tabId }) => ids.has(tabId));
  const hops = entries.flatMap((entry) => (entry.from ? [entry.from.hops] : [])).sort((x, y) => x - y);
  return { hops, refusals: entries.filter((entry) => entry.refused !== undefined) };
}

async function endOf(daemons: TestDaemon[], tabs: Ref[]): Promise<ReturnType<typeof seen>> {
  await waitFor("the chain to end", () => seen(daemons, tabs).refusals.length > 0);
  return seen(daemons, tabs);
}

const ALL_HOPS = [1, 2, 3, 4, 5, 6, 7, 8];

describe("F8: a chain of messages between agents ends after eight", () => {
  test("between two tabs of one daemon, as a person's message began it", async () => {
    const [x, y] = [await openChat(a), await openChat(a)];
    setRoutes(a, { [x.tabId]: to(y), [y.tabId]: to(x) });
    await a.call("chat.send", { ...x, text: "go" });
    const { hops, refusals } = await endOf([a], [x, y]);
    expect(hops).toEqual(ALL_HOPS);
    expect(refusals).toMatchObject([{ code: 1002, why: "hops" }]);
    expect(refusals[0]?.refused).toContain("number 9 of a chain");
  });

  test("of a tab with itself", async () => {
    const x = await openChat(a);
    setRoutes(a, { [x.tabId]: to(x) });
    await a.call("chat.send", { ...x, text: "go" });
    const { hops } = await endOf([a], [x]);
    expect(hops).toEqual(ALL_HOPS);
  });

  test("in a ring of seventeen tabs", async () => {
    const ring = await Promise.all(Array.from({ length: 17 }, () => openChat(a)));
    setRoutes(
      a,
      Object.fromEntries(ring.map(({ tabId }, at) => [tabId, to(ring[(at + 1) % ring.length] as Ref)])),
    );
    await a.call("chat.send", { ...(ring[0] as Ref), text: "go" });
    const { hops, refusals } = await endOf([a], ring);
    expect(hops).toEqual(ALL_HOPS);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]?.tabId).toBe(ring[8]?.tabId);
  });

  test("between two daemons", async () => {
    const [x, y] = [await openChat(a), await openChat(b)];
    setRoutes(a, { [x.tabId]: { device: "beta", ...to(y) } });
    setRoutes(b, { [y.tabId]: { device: "alpha", ...to(x) } });
    await a.call("chat.send", { ...x, text: "go" });
    const { hops, refusals } = await endOf([a, b], [x, y]);
    expect(hops).toEqual(ALL_HOPS);
    expect(refusals).toMatchObject([{ code: 1002, why: "hops" }]);
  });

  test("around three daemons", async () => {
    const [x, y, z] = [await openChat(a), await openChat(b), await openChat(c)];
    setRoutes(a, { [x.tabId]: { device: "beta", ...to(y) } });
    setRoutes(b, { [y.tabId]: { device: "gamma", ...to(z) } });
    setRoutes(c, { [z.tabId]: { device: "alpha", ...to(x) } });
    await a.call("chat.send", { ...x, text: "go" });
    const { hops } = await endOf([a, b, c], [x, y, z]);
    expect(hops).toEqual(ALL_HOPS);
    const told = await c.owner("owner.agents", {});
    const all = [told, await a.owner("owner.agents", {}), await b.owner("owner.agents", {})];
    expect(all.flatMap(({ refusals }) => refusals.map(({ why }) => why))).toContain("hops");
  });

  test("through chats that each agent opens for the next", async () => {
    const x = await openChat(a);
    const { workspaceId } = x;
    setRoutes(a, { "*": { method: "chat.new", params: { workspaceId, agent: "claude", prompt: "go on" } } });
    await a.call("chat.send", { ...x, text: "go" });
    const got = await waitFor("the chain to end", () => {
      const opened = agentLog(a).filter((entry) => entry.got?.includes("go on"));
      const last = opened.at(-1)?.tabId;
      return agentLog(a).some((entry) => entry.tabId === last && entry.why === "hops") ? opened : undefined;
    });
    expect(got.map((entry) => entry.from?.hops)).toEqual(ALL_HOPS);
  });

  test("through a terminal: what runs there counts on from what was typed", async () => {
    const x = await openChat(a);
    const { tabId } = await a.call("terminal.open", { workspaceId: x.workspaceId });
    const terminal = { workspaceId: x.workspaceId, tabId };
    const input = { method: "terminal.input", params: { ...terminal, text: "true", enter: true } };
    expect(await askAsAgent(a, x.tabId, input)).toMatchObject({ result: {} });
    await askAsAgent(a, tabId, { method: "chat.send", params: { ...x, text: "from the terminal" } });
    const got = await waitFor("the message", () =>
      agentLog(a).find((entry) => entry.tabId === x.tabId && entry.got?.includes("from the terminal")),
    );
    expect(got.from?.hops).toBe(2);
    await a.call("terminal.input", { ...terminal, text: "true", enter: true });
    await askAsAgent(a, tabId, { method: "chat.send", params: { ...x, text: "a person's" } });
    const next = await waitFor("the next", () =>
      agentLog(a).find((entry) => entry.tabId === x.tabId && entry.got?.includes("a person's")),
    );
    expect(next.from?.hops).toBe(1);
  });
});
