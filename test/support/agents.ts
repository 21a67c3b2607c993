/** Daemons with scripted agents, their tabs, and daemons that know each other. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { resolvePaths } from "../../src/server/paths.js";
import { TabTokens } from "../../src/server/tab-token.js";
import { type StartOptions, startDaemon, type TestDaemon } from "./daemon.js";
import { onLoopback, workspaceOf } from "./devices.js";
import { waitFor } from "./wait-for.js";

const PROGRAM = fileURLToPath(new URL("./bin/scripted-nexusd.mjs", import.meta.url));

export interface Ref {
  readonly workspaceId: string;
  readonly tabId: string;
}

/** What an agent did: a message it got, one it sent, or how it was refused. */
export interface AgentEntry {
  readonly tabId: string;
  readonly got?: string;
  readonly from?: { hops: number; tabId: string } | null;
  readonly sent?: string;
  readonly to?: string;
  readonly refused?: string;
  readonly code?: number;
  readonly why?: string;
}

export async function startScripted(options: StartOptions = {}): Promise<TestDaemon> {
  return await startDaemon({ ...options, program: PROGRAM });
}

export async function openChat(daemon: TestDaemon): Promise<Ref> {
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await daemon.call("chat.new", { workspaceId, agent: "claude" });
  return { workspaceId, tabId };
}

export type Route =
  | "hold"
  | { readonly device?: string; readonly method?: string; readonly params: Record<string, unknown> };

/** Where the agent of each tab sends on what it gets. */
export function setRoutes(daemon: TestDaemon, routes: Record<string, Route>): void {
  writeFileSync(join(daemon.home, "routes.json"), JSON.stringify(routes));
}

export function agentLog(daemon: TestDaemon): AgentEntry[] {
  const file = join(daemon.home, "agents.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AgentEntry);
}

/** Makes `from` a peer of `to`, as both owners do it; `back`: the other way too. */
export async function befriend(from: TestDaemon, to: TestDaemon, name: string): Promise<void> {
  const { link } = await to.owner("owner.pair", { yes: ["agents"] });
  const { pairingId } = await from.owner("owner.peer.add", { link: onLoopback(to, link), name });
  await waitFor(`${name} to be a peer`, async () => {
    const { state } = await from.owner("owner.peer.added", { pairingId });
    return state === "paired";
  });
}

/** Lets a device's agents do this here without a question. */
export async function allow(
  daemon: TestDaemon,
  device: string,
  kind: "message" | "steer" | "type" | "open",
  target?: string,
): Promise<void> {
  await daemon.owner("owner.consent.set", {
    device,
    class: kind,
    decision: "allow",
    ...(target === undefined ? {} : { target }),
  });
}

export interface AgentAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what came as it likes
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { why?: string } };
}

/** The token of a tab, made from the daemon's own key as its programs have it. */
export function tokenOf(daemon: TestDaemon, tabId: string): string {
  const file = join(daemon.home, ".local/state/nexusd/identity.json");
  const { tabKey } = JSON.parse(readFileSync(file, "utf8")) as { tabKey: string };
  return new TabTokens(Buffer.from(tabKey, "base64url")).of(tabId);
}

/** Asks one thing as the agent of a tab; with `device` of another daemon. */
export function askAsAgent(
  daemon: TestDaemon,
  tabId: string,
  ask: { device?: string; method: string; params: unknown; id?: string | number },
): Promise<AgentAnswer> {
  const path = agentSocketOf(daemon);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const { device, method, params, id = 1 } = ask;
    socket.on("error", () => undefined); // "close" follows
    socket.on("close", () => reject(new Error("the agents' socket closed")));
    socket.write(`${JSON.stringify({ token: tokenOf(daemon, tabId), ...(device && { device }) })}\n`);
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const lines = createInterface({ input: socket });
    lines.on("error", () => undefined); // it tells the socket's again
    lines.on("line", (line) => {
      const answer = JSON.parse(line) as AgentAnswer & { id?: unknown };
      if (answer.id !== id) return;
      resolve(answer);
      socket.destroy();
    });
  });
}

function agentSocketOf(daemon: TestDaemon): string {
  return resolvePaths(daemon.env).agentSocket;
}

/** The environment of a tab's programs. */
export function envOfTab(daemon: TestDaemon, ref: Ref): Record<string, string> {
  return {
    ...daemon.env,
    NEXUS_SOCKET: agentSocketOf(daemon),
    NEXUS_TAB: ref.tabId,
    NEXUS_WORKSPACE: ref.workspaceId,
    NEXUS_TOKEN: tokenOf(daemon, ref.tabId),
  };
}
