/** owner.*: the owner's own verbs, at the workstation and, where marked remote, from a device with that right. */
import type { Chats } from "../chat/chats.js";
import type { Audit } from "../policy/audit.js";
import type { Device, Devices } from "../policy/devices.js";
import type { AgentGate } from "../policy/gate.js";
import type { Offers } from "../policy/offers.js";
import type { Capability } from "../protocol/capabilities.js";
import { forbidden, notFound, unavailable } from "../protocol/errors.js";
import type { DaemonStatus, DoctorCheck, OwnedWorkspace } from "../protocol/owner.js";
import { MAX_WAIT_MS } from "../protocol/rpc.js";
import type { Tab, Tabs } from "../sessions/tabs.js";
import type { Workspace, Workspaces } from "../sessions/workspaces.js";
import type { Terminals } from "../terminal/client.js";
import type { WatchHub } from "../watches/hub.js";
import type { OwnerHandlers } from "./context.js";
import { createOwnerAgentsMethods } from "./owner-agents.js";
import { type Attachments, createAttachMethods } from "./owner-attach.js";
import { createOwnerPeersMethods, type PeerDesk } from "./owner-peers.js";

/** The daemon as a whole, as far as its owner asks. */
export interface DaemonControl {
  status(): DaemonStatus;
  doctor(): Promise<DoctorCheck[]>;
  /** The link of an offer, with its secret. */
  pairLink(offer: { offerId: string; secret: Uint8Array }): string;
  /** Live links of a device. */
  links(deviceId: string): number;
  /** Ends the daemon once the answer is out. */
  stop(options: { keepTerminals: boolean }): void;
}

export interface OwnerDeps {
  readonly daemon: DaemonControl;
  readonly devices: Devices;
  readonly offers: Offers;
  readonly workspaces: Workspaces;
  readonly tabs: Tabs;
  readonly terminals: Terminals;
  readonly hub: WatchHub;
  readonly audit: Audit;
  readonly chats: Pick<Chats, "close" | "busy">;
  readonly gate: AgentGate;
  readonly peers: PeerDesk;
}

const DEFAULT_AUDIT_LINES = 100;

export function createOwnerMethods(deps: OwnerDeps): OwnerHandlers {
  const { daemon, devices, offers, workspaces, audit } = deps;
  const attachments: Attachments = new Map();

  const findDevice = (text: string): Device => {
    const device = devices.find(text);
    if (device === undefined) throw notFound("device");
    return device;
  };

  return {
    "owner.pair": (_ctx, { yes }) => {
      const offer = offers.create(yes === undefined ? {} : { yes });
      return { offerId: offer.offerId, link: daemon.pairLink(offer), expiresAt: offer.expiresAt };
    },
    "owner.pairing": (ctx, { offerId, state }) => pairingChange(offers, ctx.signal, offerId, state),
    "owner.approve": async (_ctx, { code, capabilities, acceptHttp }) => {
      const device = await offers.approve(code, capabilities, acceptHttp === undefined ? {} : { acceptHttp });
      return { id: device.id, name: device.name, capabilities: device.capabilities };
    },
    "owner.deny": () => {
      offers.deny();
      return {};
    },
    "owner.devices": () => ({
      devices: devices
        .list()
        .map(({ key: _key, ...device }) => ({ ...device, links: daemon.links(device.id) })),
    }),
    "owner.grant": async (ctx, { deviceId, capabilities }) => {
      const device = findDevice(deviceId);
      if (ctx.caller.kind === "device") refuseWidening(device, capabilities);
      const granted = await devices.setCapabilities(device.id, capabilities);
      await audit.append({ ...whoOf(ctx.caller), method: "owner.grant", target: device.id, outcome: "ok" });
      return { capabilities: granted.capabilities };
    },
    "owner.revoke": async (ctx, { deviceId }) => {
      const device = findDevice(deviceId);
      const left = deps.tabs.list().filter((tab) => tab.openedBy === device.id);
      await devices.remove(device.id);
      await audit.append({ ...whoOf(ctx.caller), method: "owner.revoke", target: device.id, outcome: "ok" });
      return {
        left: left.map(({ kind, workspaceId, tabId, title }) => ({ kind, workspaceId, tabId, title })),
      };
    },

    "owner.workspaces": () => ({
      workspaces: workspaces.list().map((workspace) => owned(workspace, deps.tabs)),
    }),
    "owner.workspace.add": async (_ctx, { path }) => owned(await workspaces.add(path), deps.tabs),
    "owner.workspace.remove": async (_ctx, { workspace: text, force }) => {
      const workspace = workspaces.find(text);
      if (workspace === undefined) throw notFound("workspace");
      const open = deps.tabs.list().filter((tab) => tab.workspaceId === workspace.id);
      if (open.length > 0 && force !== true) {
        throw unavailable(
          `${workspace.name} has ${open.length} open tabs; close them, or remove it with --force`,
        );
      }
      for (const tab of open) await closeTab(deps, tab);
      const row = owned(workspace, deps.tabs);
      await workspaces.remove(workspace.id);
      return row;
    },

    "owner.status": () => daemon.status(),
    "owner.doctor": async () => ({ checks: await daemon.doctor() }),
    "owner.stop": (ctx, { keepTerminals, force }) => {
      const running = keepTerminals === true ? [] : runningTitles(deps);
      if (running.length > 0 && force !== true) return { running };
      void ctx.answered.then(() => daemon.stop({ keepTerminals: keepTerminals === true }));
      return { running: [] };
    },

    ...createAttachMethods(deps, attachments),
    ...createOwnerAgentsMethods(deps),
    ...createOwnerPeersMethods(deps),
    "owner.audit": async (ctx, { limit }) => ({
      entries: newestThatFit(await audit.tail(limit ?? DEFAULT_AUDIT_LINES), ctx.resultBudgetBytes),
    }),
    "owner.audit.verify": async () => {
      const check = await audit.verify();
      return check.ok ? check : { lines: check.line, ...check };
    },
  };
}

/** The last entries whose JSON an answer takes; at most 500 of 4 KiB come. */
function newestThatFit<T>(entries: readonly T[], budgetBytes: number): T[] {
  let left = budgetBytes - '{"entries":[]}'.length;
  const older = entries.findLastIndex((entry) => {
    left -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    return left < 0;
  });
  return entries.slice(older + 1);
}

/** From a device, rights can only be taken away: a stolen phone must not raise itself or another. */
function refuseWidening(device: Device, capabilities: readonly Capability[]): void {
  const wider = capabilities.filter((capability) => !device.capabilities.includes(capability));
  if (wider.length > 0) {
    throw forbidden(`Rights are widened at the workstation: nexusd grant ${device.name} …`);
  }
}

function whoOf(caller: { kind: string; deviceId: string }): { device: string } {
  return { device: caller.kind === "owner" ? "owner" : caller.deviceId };
}

function owned(workspace: Workspace, tabs: Tabs): OwnedWorkspace {
  const { id, name, path, parentId, manager, closed } = workspace;
  return {
    id,
    name,
    path,
    tabs: tabs.list().filter((tab) => tab.workspaceId === id).length,
    ...(parentId === undefined ? {} : { parentId }),
    ...(manager === true ? { manager } : {}),
    ...(closed === true ? { closed } : {}),
  };
}

async function closeTab(deps: OwnerDeps, tab: Tab): Promise<void> {
  if (tab.kind === "terminal") await deps.terminals.close(tab.tabId, { force: true });
  else await deps.chats.close(tab.tabId);
  deps.hub.closeTab(tab.tabId);
  await deps.tabs.close(tab.tabId);
}

function runningTitles(deps: OwnerDeps): string[] {
  const running = deps.terminals.list().filter((terminal) => terminal.phase === "running");
  return [
    ...running.map((terminal) => `${deps.tabs.get(terminal.id)?.title ?? terminal.id}: ${terminal.title}`),
    ...deps.chats.busy().map((chat) => `${chat.title}: an agent's turn`),
  ];
}

/** The offer's state as soon as it is not `known`, or after MAX_WAIT_MS as it is. */
async function pairingChange(
  offers: Offers,
  signal: AbortSignal,
  offerId: string,
  known: string | undefined,
): Promise<ReturnType<Offers["state"]>> {
  const first = offers.state(offerId);
  if (known === undefined || first.state !== known) return first;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const stop = offers.onChange((changed) => {
      if (changed === offerId) over();
    });
    const timer = setTimeout(over, MAX_WAIT_MS);
    signal.addEventListener("abort", over);
  });
  return offers.state(offerId);
}
