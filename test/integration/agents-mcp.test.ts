/** nexus mcp: an agent without a shell asks the same things over the Model Context Protocol. */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentLog, allow, befriend, envOfTab, openChat, type Ref, startScripted } from "../support/agents.js";
import { run } from "../support/command.js";
import type { TestDaemon } from "../support/daemon.js";
import { waitFor } from "../support/wait-for.js";

const NEXUS = fileURLToPath(new URL("../../dist/cli/nexus.js", import.meta.url));

let a: TestDaemon;
let b: TestDaemon;
let mine: Ref;
let client: Client;
beforeAll(async () => {
  [a, b] = await Promise.all([startScripted({ config: { name: "alpha" } }), startScripted()]);
  mine = await openChat(a);
  await befriend(a, b, "beta");
  client = new Client({ name: "test", version: "1" });
  const env = envOfTab(a, mine);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [NEXUS, "mcp"], env }));
});
afterAll(async () => {
  await client?.close();
  await Promise.all([a, b].map((daemon) => daemon?.dispose()));
});

async function call(
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? "", isError: isError === true };
}

test("it offers what the command line does for chats", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_sessions",
    "send_message",
    "new_chat",
    "read_chat",
    "wait_chat",
  ]);
});

test("a message goes out as the tab's, and its answer can be waited for and read", async () => {
  const other = await openChat(a);
  expect((await call("list_sessions", {})).text).toContain(other.tabId);
  const sent = await call("send_message", { tab: other.tabId, text: "by another protocol" });
  const after = Number(/after (\d+)/.exec(sent.text)?.[1]);
  const entry = await waitFor("the message", () =>
    agentLog(a).find(({ got }) => got?.includes("by another protocol")),
  );
  expect(entry.from).toMatchObject({ tabId: mine.tabId, hops: 1 });
  expect((await call("wait_chat", { tab: other.tabId, after, seconds: 10 })).text).toBe("idle: done");
  expect((await call("read_chat", { tab: other.tabId })).text).toContain("by another protocol");
  const opened = await call("new_chat", { agent: "claude", prompt: "start here" });
  expect(opened.text).toMatch(/^Opened \w+\/\w+$/);
});

test("a refusal is an answer in words, with the reason for programs", async () => {
  const there = await openChat(b);
  const tab = `${there.workspaceId}/${there.tabId}`;
  await b.owner("owner.consent.set", { device: "alpha", class: "message", decision: "deny" });
  const denied = await call("send_message", { device: "beta", tab, text: "hello" });
  expect(denied).toMatchObject({ isError: true, text: expect.stringContaining("(denied)") });
  await allow(b, "alpha", "message");
  expect((await call("send_message", { device: "beta", tab, text: "hello" })).isError).toBe(false);
  expect((await call("send_message", { device: "nowhere", tab, text: "hello" })).isError).toBe(true);
});

test("outside a tab there is nobody that it could speak for", async () => {
  const { code, stderr } = await run("nexus", ["mcp"], { env: a.env });
  expect(code).toBe(4);
  expect(stderr).toContain("in a tab of nexusd");
});
