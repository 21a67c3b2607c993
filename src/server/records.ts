/** Who may do what, opened from its files: devices, offers to pair, peers, repeated requests, the audit log. */
import { join } from "node:path";
import { Audit } from "../policy/audit.js";
import { systemClock } from "../policy/clock.js";
import { Devices, DevicesFileSchema, EMPTY_DEVICES } from "../policy/devices.js";
import { openJournal } from "../policy/journal.js";
import { Offers } from "../policy/offers.js";
import { Once } from "../policy/once.js";
import { AUDIT_FILE } from "./audit-log.js";
import type { Closers } from "./closers.js";
import type { Config } from "./config.js";
import type { Identity } from "./identity.js";
import { EMPTY_PEERS, Peers, PeersFileSchema } from "./peers.js";
import { openKept } from "./state.js";

export interface Records {
  readonly devices: Devices;
  readonly offers: Offers;
  readonly peers: Peers;
  readonly once: Once;
  readonly audit: Audit;
}

export async function openRecords(config: Config, identity: Identity, closers: Closers): Promise<Records> {
  const at = (name: string): string => join(config.paths.stateDir, name);
  const devices = new Devices(await openKept(at("devices.json"), DevicesFileSchema, EMPTY_DEVICES), Date.now);
  closers.add(() => devices.flush());
  const offers = new Offers(devices, systemClock);
  closers.add(() => offers.dispose());
  const journal = await openJournal(at("once.jsonl"));
  closers.add(() => journal.close());
  const once = await Once.open({ journal, clock: systemClock });
  const audit = await Audit.open({ path: at(AUDIT_FILE), now: Date.now });
  closers.add(() => audit.close());
  const peers = new Peers({
    kept: await openKept(at("peers.json"), PeersFileSchema, EMPTY_PEERS),
    keyPair: identity.keyPair,
    name: config.name,
    devices,
    now: Date.now,
  });
  closers.add(() => peers.dispose());
  return { devices, offers, peers, once, audit };
}
