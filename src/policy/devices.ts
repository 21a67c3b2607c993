/**
 * The paired devices and what each may do. A device is its key: the id is the
 * hash of the key that the handshake proved, never a claim. What is taken away
 * is gone at once, whether or not the disk takes it.
 */
import { EventEmitter } from "node:events";
import { z } from "zod";
import { type Capability, CapabilitySchema } from "../protocol/capabilities.js";
import { forbidden, notFound, unavailable } from "../protocol/errors.js";
import { checkKind, knownRights } from "../protocol/grants.js";
import { type DeviceKind, DeviceKindSchema } from "../protocol/link.js";
import { deviceIdOf, isUsablePublicKey } from "../protocol/seal/identity.js";
import type { Kept } from "./kept.js";
import { MAX_DEVICES, SEEN_SAVE_MS } from "./limits.js";
import { visibleName } from "./names.js";

const DeviceSchema = z.object({
  id: z.string().regex(/^[a-z2-7]{26}$/),
  /** Its X25519 public key, base64url. */
  key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  name: z.string().min(1),
  kind: DeviceKindSchema,
  capabilities: z.array(CapabilitySchema),
  /** Unix milliseconds, as `lastSeenAt`. */
  pairedAt: z.number(),
  lastSeenAt: z.number().optional(),
  /** Paired from a page that came over plain http. */
  overHttp: z.boolean().optional(),
});
export type Device = z.infer<typeof DeviceSchema>;

export const DevicesFileSchema = z.object({
  version: z.literal(1),
  devices: z.array(DeviceSchema).max(MAX_DEVICES),
});
export type DevicesFile = z.infer<typeof DevicesFileSchema>;
export const EMPTY_DEVICES: DevicesFile = { version: 1, devices: [] };

export interface NewDevice {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly name: string;
  readonly kind: DeviceKind;
  readonly capabilities: readonly Capability[];
  readonly overHttp?: boolean;
}

export interface DeviceChange {
  readonly type: "added" | "removed" | "granted" | "renamed";
  readonly device: Device;
  /** What it was, when it was there. */
  readonly before?: Device;
}

export class Devices {
  readonly #kept: Kept<DevicesFile>;
  readonly #now: () => number;
  readonly #changes = new EventEmitter<{ change: [DeviceChange] }>();
  /** Last seen and not yet on the disk. */
  readonly #seen = new Map<string, number>();
  /** Revoked while the disk refused it: off for as long as this process lives. */
  readonly #gone = new Set<string>();
  #seenSavedAt = Number.NEGATIVE_INFINITY;

  constructor(kept: Kept<DevicesFile>, now: () => number) {
    this.#kept = kept;
    this.#now = now;
  }

  list(): Device[] {
    return this.#kept.value.devices.filter(({ id }) => !this.#gone.has(id)).map((one) => this.#withSeen(one));
  }

  get(deviceId: string): Device | undefined {
    return this.list().find(({ id }) => id === deviceId);
  }

  /** The device of a key that a handshake proved. */
  byKey(key: Uint8Array): Device | undefined {
    const text = Buffer.from(key).toString("base64url");
    return this.list().find((device) => device.key === text);
  }

  /** Exactly one device by its id, its name, or a start of its id that no other shares. */
  find(text: string): Device | undefined {
    const all = this.list();
    const exact = all.find(({ id }) => id === text);
    if (exact !== undefined) return exact;
    const named = all.filter(({ name }) => name === text);
    const near = named.length > 0 ? named : all.filter(({ id }) => text.length >= 4 && id.startsWith(text));
    return near.length === 1 ? near[0] : undefined;
  }

  /**
   * Writes a device down; resolves once it is on the disk. A key that is paired
   * already keeps its id and gets the new name and rights. Throws Unavailable
   * past 64 devices, Forbidden for rights that its kind cannot hold and for a
   * key that gives everyone the same secret.
   */
  async add(given: NewDevice): Promise<Device> {
    if (!isUsablePublicKey(given.key)) throw forbidden("This key is no key that a device can have");
    const capabilities = knownRights(given.capabilities);
    checkKind(given.kind, capabilities);
    const device: Device = {
      id: deviceIdOf(given.key),
      key: Buffer.from(given.key).toString("base64url"),
      name: visibleName(given.name, `unnamed ${given.kind}`),
      kind: given.kind,
      capabilities,
      pairedAt: this.#now(),
      ...(given.overHttp === true ? { overHttp: true } : {}),
    };
    const before = this.get(device.id);
    const others = this.list().filter(({ id }) => id !== device.id);
    if (others.length >= MAX_DEVICES) {
      throw unavailable(`${MAX_DEVICES} devices are paired; revoke one that is no longer used`);
    }
    await this.#save([...others, device]);
    this.#gone.delete(device.id);
    this.#seen.delete(device.id);
    if (before === undefined) this.#changes.emit("change", { type: "added", device });
    else this.#changes.emit("change", { type: "granted", device, before });
    return device;
  }

  /** Takes effect at once; rejects, and holds the old rights again, when it could not be written down. */
  async setCapabilities(deviceId: string, rights: readonly Capability[]): Promise<Device> {
    const before = this.#need(deviceId);
    const capabilities = knownRights(rights);
    checkKind(before.kind, capabilities);
    const device = { ...before, capabilities };
    const saved = this.#save(this.list().map((one) => (one.id === deviceId ? device : one)));
    try {
      this.#changes.emit("change", { type: "granted", device, before });
      await saved;
    } catch (error) {
      await saved.catch(() => undefined); // a listener may have failed before the disk did
      const now = this.get(deviceId);
      if (now !== undefined && now.capabilities !== capabilities)
        this.#changes.emit("change", { type: "granted", device: now, before: device });
      throw error;
    }
    return device;
  }

  async rename(deviceId: string, name: string): Promise<Device> {
    const before = this.#need(deviceId);
    const device = { ...before, name: visibleName(name, before.name) };
    await this.#save(this.list().map((one) => (one.id === deviceId ? device : one)));
    this.#changes.emit("change", { type: "renamed", device, before });
    return device;
  }

  /**
   * Revokes: the device is unknown and its links are told before anything is
   * written. Rejects when it could not be written down; the device then stays
   * off until the daemon starts anew.
   */
  async remove(deviceId: string): Promise<Device> {
    const device = this.#need(deviceId);
    this.#gone.add(deviceId);
    this.#seen.delete(deviceId);
    const saved = this.#save(this.list());
    try {
      this.#changes.emit("change", { type: "removed", device, before: device });
    } finally {
      await saved;
    }
    this.#gone.delete(deviceId);
    return device;
  }

  /** Notes that a device was there; on the disk at most once a minute. */
  async seen(deviceId: string, at: number): Promise<void> {
    if (this.get(deviceId) === undefined) return;
    this.#seen.set(deviceId, at);
    if (at - this.#seenSavedAt < SEEN_SAVE_MS) return;
    this.#seenSavedAt = at;
    await this.#save(this.list());
  }

  /** Writes what {@link seen} held back; for the end of the daemon. */
  async flush(): Promise<void> {
    if (this.#seen.size > 0) await this.#save(this.list());
  }

  /** Called after each change, and for what is taken away before it is on the disk; the answer ends it. */
  onChange(listener: (change: DeviceChange) => void): () => void {
    this.#changes.on("change", listener);
    return () => void this.#changes.off("change", listener);
  }

  #need(deviceId: string): Device {
    const device = this.get(deviceId);
    if (device === undefined) throw notFound("device");
    return device;
  }

  #withSeen(device: Device): Device {
    const lastSeenAt = this.#seen.get(device.id);
    return lastSeenAt === undefined ? device : { ...device, lastSeenAt };
  }

  #save(devices: Device[]): Promise<void> {
    return this.#kept.save({ version: 1, devices });
  }
}
