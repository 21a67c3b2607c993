/** What follows when a device is paired, granted other rights, or revoked: at once, on all that it has open. */
import type { Device } from "../policy/devices.js";
import type { ByteRate } from "../policy/rate.js";
import type { WatchHub } from "../watches/hub.js";
import type { Links } from "./links.js";
import type { Log } from "./log.js";
import type { Records } from "./records.js";

export interface DeviceChangesDeps extends Pick<Records, "devices" | "once" | "audit"> {
  readonly links: Links;
  readonly hub: WatchHub;
  readonly bytes: ByteRate;
  /** Forgets its consents and what waits for one. */
  readonly agents: { dropDevice(deviceId: string): Promise<void> };
  readonly log: Log;
}

export function followDevices(deps: DeviceChangesDeps): void {
  deps.devices.onChange(({ type, device }) => {
    if (type === "removed") revoked(deps, device);
    if (type === "added" || type === "granted") note(deps, type === "added" ? "pair" : "grant", device);
    if (type === "granted") narrowed(deps, device);
  });
}

function revoked({ links, bytes, agents, once, log }: DeviceChangesDeps, { id }: Device): void {
  links.revoke(id);
  bytes.drop(id);
  const failed = (what: string) => (error: unknown) => {
    log.error({ device: id, reason: (error as Error).message }, `could not forget a device's ${what}`);
  };
  agents.dropDevice(id).catch(failed("consents"));
  once.drop(id).catch(failed("requests"));
}

function narrowed({ links, hub }: DeviceChangesDeps, { id, capabilities }: Device): void {
  for (const connection of links.of(id)) {
    connection.narrow();
    hub.narrow(connection, (capability) => connection.caller.can(capability));
    connection.notifyNow("link.capabilities", { capabilities });
  }
}

function note({ audit, log }: DeviceChangesDeps, method: string, { id, capabilities }: Device): void {
  audit.append({ device: id, method, outcome: "ok", capabilities }).catch((error: unknown) => {
    log.error({ method, reason: (error as Error).message }, "could not write the audit log");
  });
}
