import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type DeviceChange,
  Devices,
  DevicesFileSchema,
  EMPTY_DEVICES,
  type NewDevice,
} from "../../../src/policy/devices.js";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import { deviceIdOf, generateKeyPair } from "../../../src/protocol/seal/identity.js";
import { CorruptStateError, openKept } from "../../../src/server/state.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";

const newKey = (): Uint8Array => generateKeyPair().publicKey;

function setUp() {
  const kept = new MemoryKept(EMPTY_DEVICES);
  const clock = new ManualClock();
  const devices = new Devices(kept, clock.now);
  const changes: DeviceChange[] = [];
  devices.onChange((change) => changes.push(change));
  return { kept, clock, devices, changes };
}

function phone(more: Partial<NewDevice> = {}): NewDevice {
  return { key: newKey(), name: "Phone", kind: "phone", capabilities: ["sessions"], ...more };
}

describe("Devices", () => {
  it("knows a device by the key that it proved, and by the hash of it", async () => {
    const { devices } = setUp();
    const key = newKey();
    const device = await devices.add(phone({ key }));
    expect(devices.byKey(key)).toEqual(device);
    expect(devices.byKey(newKey())).toBeUndefined();
    expect(devices.get(device.id)).toEqual(device);
    expect(device.id).toBe(deviceIdOf(key));
  });

  it("stores no key that would give everyone the same secret", async () => {
    const { devices } = setUp();
    for (const key of [new Uint8Array(32), Uint8Array.of(1, ...new Uint8Array(31)), new Uint8Array(31)]) {
      await expect(devices.add(phone({ key }))).rejects.toMatchObject({ code: RpcErrorCode.Forbidden });
    }
  });

  it("tells of a new device only once it is written down", async () => {
    const { kept, devices, changes } = setUp();
    let release = (): void => undefined;
    kept.hold = new Promise((resolve) => {
      release = resolve;
    });
    const added = devices.add(phone());
    await Promise.resolve();
    expect(changes).toEqual([]);
    release();
    const device = await added;
    expect(changes).toEqual([{ type: "added", device }]);
    expect(kept.saved.devices).toEqual([device]);
  });

  it("adds nothing when the disk is full", async () => {
    const { kept, devices, changes } = setUp();
    kept.failing = true;
    await expect(devices.add(phone())).rejects.toThrow("No space");
    expect(devices.list()).toEqual([]);
    expect(changes).toEqual([]);
  });

  it("pairs a known key again under its id, with the new rights alone", async () => {
    const { devices, changes } = setUp();
    const key = newKey();
    const before = await devices.add(phone({ key, capabilities: ["sessions", "owner"] }));
    const device = await devices.add(phone({ key, name: "Again", capabilities: ["git"] }));
    expect(device.id).toBe(before.id);
    expect(devices.list()).toEqual([device]);
    expect(device.capabilities).toEqual(["git"]);
    expect(changes.at(-1)).toEqual({ type: "granted", device, before });
  });

  it("takes 64 devices and refuses the next, but still renews one of them", async () => {
    const { devices } = setUp();
    const key = newKey();
    await devices.add(phone({ key }));
    for (let n = 1; n < 64; n++) await devices.add(phone());
    await expect(devices.add(phone())).rejects.toMatchObject({ code: RpcErrorCode.Unavailable });
    await devices.add(phone({ key, name: "Renewed" }));
    expect(devices.list()).toHaveLength(64);
  });

  it("makes a name printable and drops rights that nobody knows", async () => {
    const { devices } = setUp();
    const device = await devices.add(
      phone({ name: "\u001b]0;x\u0007Bad\u202e", capabilities: ["git", "root" as "git"] }),
    );
    expect(device.name).toBe("]0;x Bad");
    expect(device.capabilities).toEqual(["git"]);
    expect((await devices.rename(device.id, "\u0007")).name).toBe("]0;x Bad");
  });

  it("gives a daemon nothing but agents", async () => {
    const { devices } = setUp();
    const peer = phone({ kind: "daemon", capabilities: ["agents", "files"] });
    await expect(devices.add(peer)).rejects.toMatchObject({ code: RpcErrorCode.Forbidden });
    const device = await devices.add({ ...peer, capabilities: ["agents"] });
    await expect(devices.setCapabilities(device.id, ["terminal.control"])).rejects.toMatchObject({
      code: RpcErrorCode.Forbidden,
    });
  });

  it("tells of narrowed rights before the disk has them", async () => {
    const { kept, devices, changes } = setUp();
    const before = await devices.add(phone({ capabilities: ["sessions", "git"] }));
    kept.hold = new Promise(() => undefined);
    void devices.setCapabilities(before.id, ["sessions"]);
    expect(devices.get(before.id)?.capabilities).toEqual(["sessions"]);
    expect(changes.at(-1)).toMatchObject({ type: "granted", device: { capabilities: ["sessions"] }, before });
  });

  it("tells of the old rights again when the new ones could not be written down", async () => {
    const { kept, devices, changes } = setUp();
    const before = await devices.add(phone({ capabilities: ["sessions"] }));
    kept.failing = true;
    await expect(devices.setCapabilities(before.id, ["sessions", "owner"])).rejects.toThrow("No space");
    expect(devices.get(before.id)?.capabilities).toEqual(["sessions"]);
    expect(changes.at(-1)).toMatchObject({ type: "granted", device: { capabilities: ["sessions"] } });
  });

  it("revokes at once, before the disk has it, and for good in this process though the disk be full", async () => {
    const { kept, devices, changes } = setUp();
    const key = newKey();
    const device = await devices.add(phone({ key }));
    kept.failing = true;
    const removed = devices.remove(device.id);
    expect(devices.byKey(key)).toBeUndefined();
    expect(changes.at(-1)).toMatchObject({ type: "removed", device: { id: device.id } });
    await expect(removed).rejects.toThrow("No space");
    expect(devices.byKey(key)).toBeUndefined();
    kept.failing = false;
    await devices.add(phone());
    expect(kept.saved.devices.map(({ id }) => id)).not.toContain(device.id);
    expect((await devices.add(phone({ key }))).id).toBe(device.id);
    expect(devices.byKey(key)).toBeDefined();
  });

  it("answers NotFound for a device that is not there", async () => {
    const { devices } = setUp();
    for (const id of ["x", "__proto__", "toString"]) {
      await expect(devices.remove(id)).rejects.toMatchObject({ code: RpcErrorCode.NotFound });
      await expect(devices.setCapabilities(id, [])).rejects.toMatchObject({ code: RpcErrorCode.NotFound });
      await expect(devices.rename(id, "n")).rejects.toMatchObject({ code: RpcErrorCode.NotFound });
    }
  });

  it("writes down when a device was there at most once a minute, and at the end", async () => {
    const { kept, clock, devices } = setUp();
    const { id } = await devices.add(phone());
    const saves = kept.saves;
    await devices.seen(id, clock.now());
    clock.advance(30_000);
    await devices.seen(id, clock.now());
    await devices.seen("unknown", clock.now());
    expect(kept.saves).toBe(saves + 1);
    expect(devices.get(id)?.lastSeenAt).toBe(clock.now());
    clock.advance(30_000);
    await devices.seen(id, clock.now());
    expect(kept.saves).toBe(saves + 2);
    clock.advance(1_000);
    await devices.seen(id, clock.now());
    await devices.flush();
    expect(kept.saved.devices[0]?.lastSeenAt).toBe(clock.now());
  });

  it("finds a device by id, by name, or by the start of its id, and never one of two", async () => {
    const { devices } = setUp();
    const one = await devices.add(phone({ name: "One" }));
    await devices.add(phone({ name: "Twin" }));
    await devices.add(phone({ name: "Twin" }));
    expect(devices.find(one.id)?.id).toBe(one.id);
    expect(devices.find("One")?.id).toBe(one.id);
    expect(devices.find(one.id.slice(0, 12))?.id).toBe(one.id);
    expect(devices.find("Twin")).toBeUndefined();
    expect(devices.find("")).toBeUndefined();
  });

  it("is there again after a start, in a file that only its owner reads, and refuses a damaged one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "nexusd-devices-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "devices.json");
    const open = () => openKept(path, DevicesFileSchema, EMPTY_DEVICES);
    const first = new Devices(await open(), Date.now);
    const device = await first.add(phone({ overHttp: true }));
    const second = new Devices(await open(), Date.now);
    expect(second.list()).toEqual([device]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"phone"', '"toaster"'));
    await expect(open()).rejects.toThrow(CorruptStateError);
    await writeFile(path, text.slice(0, 20));
    await expect(open()).rejects.toThrow(CorruptStateError);
  });
});
