/** Devices of a test daemon, paired in one step. */
import type { Capability } from "../../src/protocol/capabilities.js";
import { BareClient, type BareOptions } from "./bare-client.js";
import type { TestDaemon } from "./daemon.js";

export const ALL_BUT_OWNER: Capability[] = [
  "sessions",
  "chat.read",
  "chat.control",
  "terminal.read",
  "terminal.control",
  "files",
  "git",
];

/** Links of the daemon on its loopback address: the machine's own may be out of reach in a test. */
export function onLoopback(daemon: TestDaemon, link: string): string {
  return link.replace(/^http:\/\/[^/]+\//, `http://127.0.0.1:${daemon.port}/`);
}

export async function offerLink(daemon: TestDaemon, yes?: Capability[]): Promise<string> {
  const { link } = await daemon.owner("owner.pair", yes === undefined ? {} : { yes });
  return onLoopback(daemon, link);
}

/** A device with these rights, linked and ready. */
export async function pairDevice(
  daemon: TestDaemon,
  capabilities: Capability[] = ALL_BUT_OWNER,
  options: BareOptions = {},
): Promise<BareClient> {
  const client = await BareClient.pair(await offerLink(daemon, capabilities), options);
  await client.notified("link.ready");
  return client;
}

/** Links a paired device again and waits until it is ready. */
export async function linkAgain(client: BareClient): Promise<BareClient> {
  const again = await BareClient.link(client.device);
  await again.notified("link.ready");
  return again;
}

/** The workspace that the daemon serves. */
export async function workspaceOf(daemon: TestDaemon): Promise<string> {
  const { workspaces } = await daemon.call("sessions.list", {});
  const served = workspaces.find((workspace) => workspace.path === daemon.folder);
  if (served === undefined) throw new Error("the served folder is no workspace");
  return served.id;
}

/** Opens a terminal over a client and gives how to name it. */
export async function openTerminal(
  client: BareClient,
  workspaceId: string,
  params: object = {},
): Promise<{ workspaceId: string; tabId: string }> {
  const { tabId } = await client.call("terminal.open", { workspaceId, ...params });
  return { workspaceId, tabId };
}
