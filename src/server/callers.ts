/** Who may ask what: a device by its record as it stands now, the owner, an agent in a tab. */
import type { Caller } from "../methods/context.js";
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
};

/** Asks the record anew at each question, so a narrowed grant counts at once. */
export function deviceCaller(device: Device, devices: Devices, tabs: Tabs): Caller {
  return {
    kind: "device",
    deviceId: device.id,
    name: device.name,
    sender: undefined,
    can: (capability) => devices.get(device.id)?.capabilities.includes(capability) ?? false,
    // Another daemon knows only of the tabs that it opened here.
    sees: (tabId) => device.kind !== "daemon" || tabs.get(tabId)?.openedBy === device.id,
  };
}

/** What an agent in a tab may do by itself: look. What it sends goes through the agents' gate. */
const AGENT_RIGHTS: ReadonlySet<Capability> = new Set(["sessions", "chat.read", "terminal.read", "agents"]);

export function agentCaller(tab: Tab, tabs: Tabs): Caller {
  const open = (): boolean => tabs.get(tab.tabId) !== undefined;
  return {
    kind: "agent",
    deviceId: `tab:${tab.tabId}`,
    name: tab.title,
    sender: {
      kind: tab.kind === "terminal" ? "terminal" : "tab",
      workspaceId: tab.workspaceId,
      tabId: tab.tabId,
      name: tab.title.slice(0, 200),
      hops: 1,
    },
    can: (capability) => AGENT_RIGHTS.has(capability) && open(),
    sees: () => open(),
  };
}
