/** Who may ask what: a device by its record as it stands now, the owner, an agent in a tab. */
import type { Caller } from "../methods/context.js";
import type { Chains } from "../policy/chains.js";
import type { ConsentRules } from "../policy/consent-rules.js";
import type { Device, Devices } from "../policy/devices.js";
import type { Capability } from "../protocol/capabilities.js";
import type { Tab, Tabs } from "../sessions/tabs.js";

/** At the workstation, over owner.sock. */
export const OWNER: Caller = {
  kind: "owner",
  deviceId: "local",
  name: "this machine",
  sender: undefined,
  can: () => true,
  sees: () => true,
  onlyItsTabs: false,
  mayConsent: true,
};

/** What another daemon reads of the tabs that it sees, beside the one right that it can hold. */
const DAEMON_READS: ReadonlySet<Capability> = new Set(["sessions", "chat.read", "terminal.read"]);

export interface CallerDeps {
  readonly tabs: Tabs;
  readonly rules: Pick<ConsentRules, "allowsMessages">;
  readonly chains: Pick<Chains, "of">;
  /** Whether a workspace is the manager's. */
  isManager(workspaceId: string): boolean;
}

/** Asks the record anew at each question, so a narrowed grant counts at once. */
export function deviceCaller(device: Device, devices: Devices, { tabs, rules }: CallerDeps): Caller {
  const isDaemon = device.kind === "daemon";
  const holds = (capability: Capability): boolean =>
    devices.get(device.id)?.capabilities.includes(capability) ?? false;
  return {
    kind: "device",
    deviceId: device.id,
    name: device.name,
    sender: undefined,
    can: (capability) => holds(isDaemon && DAEMON_READS.has(capability) ? "agents" : capability),
    // Another daemon knows of the tabs that it opened here, and of those that take its messages for good.
    sees: (tabId) =>
      !isDaemon || tabs.get(tabId)?.openedBy === device.id || rules.allowsMessages(device.id, tabId),
    onlyItsTabs: isDaemon,
    mayConsent: !isDaemon,
  };
}

/** What an agent in a tab may do by itself: look. What it sends goes through the agents' gate. */
const AGENT_RIGHTS: ReadonlySet<Capability> = new Set(["sessions", "chat.read", "terminal.read", "agents"]);

export function agentCaller(tab: Tab, { tabs, chains, isManager }: CallerDeps): Caller {
  const { tabId, workspaceId, kind } = tab;
  const chatKind = isManager(workspaceId) ? ("manager" as const) : ("tab" as const);
  const open = (): boolean => tabs.get(tabId) !== undefined;
  return {
    kind: "agent",
    deviceId: `tab:${tabId}`,
    name: tab.title,
    get sender() {
      return {
        kind: kind === "terminal" ? ("terminal" as const) : chatKind,
        ...(kind === "terminal" ? {} : { agent: kind }),
        workspaceId,
        tabId,
        name: (tabs.get(tabId)?.title ?? tab.title).slice(0, 200),
        hops: chains.of(tabId) + 1,
      };
    },
    can: (capability) => AGENT_RIGHTS.has(capability) && open(),
    sees: () => open(),
    onlyItsTabs: false,
    mayConsent: false,
  };
}
