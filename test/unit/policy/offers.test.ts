import { describe, expect, it } from "vitest";
import { Devices, EMPTY_DEVICES } from "../../../src/policy/devices.js";
import { type Asking, Offers } from "../../../src/policy/offers.js";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import { generateKeyPair } from "../../../src/protocol/seal/identity.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";

const MINUTE_MS = 60_000;

function setUp() {
  const kept = new MemoryKept(EMPTY_DEVICES);
  const clock = new ManualClock();
  const devices = new Devices(kept, clock.now);
  const offers = new Offers(devices, clock);
  const changed: string[] = [];
  offers.onChange((id) => changed.push(id));
  return { kept, clock, devices, offers, changed };
}

function asking(more: Partial<Asking> = {}): Asking {
  return {
    key: generateKeyPair().publicKey,
    name: "Phone",
    kind: "phone",
    wants: ["sessions", "owner"],
    overHttp: false,
    code: "042137",
    ...more,
  };
}

const forbidden = expect.objectContaining({ code: RpcErrorCode.Forbidden });
const unavailable = expect.objectContaining({ code: RpcErrorCode.Unavailable });

describe("an offer", () => {
  it("gives its secret by text or bytes of its id, for five minutes", () => {
    const { clock, offers } = setUp();
    const { offerId, secret, expiresAt } = offers.create();
    expect(secret).toHaveLength(16);
    expect(Buffer.from(offerId, "base64url")).toHaveLength(16);
    expect(expiresAt).toBe(clock.now() + 5 * MINUTE_MS);
    expect(offers.secretFor(offerId)).toBe(secret);
    expect(offers.secretFor(Buffer.from(offerId, "base64url"))).toBe(secret);
    expect(offers.secretFor("other")).toBeUndefined();
    clock.advance(5 * MINUTE_MS - 1);
    expect(offers.secretFor(offerId)).toBe(secret);
    clock.advance(1);
    expect(offers.secretFor(offerId)).toBeUndefined();
    expect(offers.claim(offerId, asking())).toBeUndefined();
    expect(offers.state(offerId)).toMatchObject({ state: "over", leftMs: 0 });
    expect(clock.pending).toBe(0);
  });

  it("is over in time though its timer is late, and though the wall clock jumps back", () => {
    const { clock, offers } = setUp();
    const { offerId } = offers.create();
    clock.epoch -= 60 * MINUTE_MS;
    clock.skip(5 * MINUTE_MS);
    expect(offers.secretFor(offerId)).toBeUndefined();
    expect(offers.claim(offerId, asking())).toBeUndefined();
  });

  it("is burned by five failed handshakes that name it, and not by four", () => {
    const { offers } = setUp();
    const { offerId, secret } = offers.create();
    for (let n = 0; n < 4; n++) offers.failed(offerId);
    offers.failed("some other offer");
    expect(offers.secretFor(offerId)).toBe(secret);
    offers.failed(offerId);
    expect(offers.secretFor(offerId)).toBeUndefined();
    expect(offers.claim(offerId, asking())).toBeUndefined();
    expect(offers.state(offerId).state).toBe("over");
  });

  it("is spent by the first of two devices, and the owner hears of the second", async () => {
    const { offers } = setUp();
    const { offerId } = offers.create();
    const [first, second] = [offers.claim(offerId, asking()), offers.claim(offerId, asking())];
    expect(first).toBeDefined();
    expect(second).toBeUndefined();
    expect(offers.secretFor(offerId)).toBeUndefined();
    expect(offers.state(offerId)).toMatchObject({
      state: "approve",
      message: expect.stringContaining("Someone else"),
    });
  });

  it("tells the owner of a handshake that names a link which another device has used", async () => {
    const { offers, changed } = setUp();
    const { offerId } = offers.create();
    offers.claim(offerId, asking());
    changed.length = 0;
    offers.failed(offerId);
    offers.failed(offerId);
    expect(changed).toEqual([offerId]);
    expect(offers.state(offerId).message).toContain("Someone else");
    await offers.approve("042137", ["sessions"]);
    offers.failed(offerId);
    expect(offers.state(offerId)).toMatchObject({
      state: "paired",
      message: expect.stringContaining("after it was used"),
    });
  });

  it("ends the one before it, and that one's waiting approval", async () => {
    const { offers } = setUp();
    const first = offers.create();
    const claim = offers.claim(first.offerId, asking());
    const second = offers.create();
    await expect(claim?.decision).resolves.toMatchObject({ approved: false });
    expect(offers.waiting()).toBeUndefined();
    expect(offers.secretFor(first.offerId)).toBeUndefined();
    expect(offers.secretFor(second.offerId)).toBe(second.secret);
    expect(offers.state(first.offerId)).toMatchObject({ state: "over" });
  });

  it("is remembered for a while after its end, and not for ever", () => {
    const { offers } = setUp();
    const first = offers.create();
    for (let n = 0; n < 7; n++) offers.create();
    expect(offers.state(first.offerId).message).toContain("newer");
    offers.create();
    expect(offers.state(first.offerId).message).toContain("No such link");
  });
});

describe("the approval", () => {
  it("lets the device in by its code, with what the owner picked and not what the device wants", async () => {
    const { kept, devices, offers } = setUp();
    const { offerId } = offers.create();
    const claim = offers.claim(offerId, asking({ name: "\u001b[1mPhone", wants: ["owner", "root"] }));
    expect(offers.waiting()).toMatchObject({ name: "[1mPhone", kind: "phone", wants: ["owner"] });
    expect(offers.state(offerId)).not.toHaveProperty("device.code");
    const device = await offers.approve(" 042-137 ", ["sessions", "git", "root"]);
    expect(device.capabilities).toEqual(["sessions", "git"]);
    expect(kept.saved.devices).toEqual([device]);
    await expect(claim?.decision).resolves.toEqual({ approved: true, device });
    expect(devices.list()).toEqual([device]);
    expect(offers.state(offerId)).toMatchObject({ state: "paired", paired: { id: device.id } });
  });

  it("ends after three wrong codes, of which the last is told so, and writes nothing", async () => {
    const { devices, offers } = setUp();
    const { offerId } = offers.create();
    const claim = offers.claim(offerId, asking());
    for (const wrong of ["42137", "0421370", ""]) {
      await expect(offers.approve(wrong, ["sessions"])).rejects.toEqual(forbidden);
    }
    await expect(claim?.decision).resolves.toMatchObject({ approved: false });
    await expect(offers.approve("042137", ["sessions"])).rejects.toEqual(unavailable);
    expect(devices.list()).toEqual([]);
  });

  it("takes the right code after two wrong ones", async () => {
    const { offers } = setUp();
    offers.claim(offers.create().offerId, asking());
    for (const wrong of ["111111", "222222"]) {
      await expect(offers.approve(wrong, ["sessions"])).rejects.toEqual(forbidden);
    }
    await expect(offers.approve("042137", ["sessions"])).resolves.toMatchObject({ name: "Phone" });
  });

  it("waits two minutes and then writes nothing", async () => {
    const { clock, devices, offers } = setUp();
    const { offerId } = offers.create();
    clock.advance(4 * MINUTE_MS);
    const claim = offers.claim(offerId, asking());
    clock.advance(2 * MINUTE_MS - 1);
    expect(offers.state(offerId)).toMatchObject({ state: "approve", leftMs: 1 });
    clock.advance(1);
    await expect(claim?.decision).resolves.toMatchObject({ approved: false });
    await expect(offers.approve("042137", ["sessions"])).rejects.toEqual(unavailable);
    expect(devices.list()).toEqual([]);
  });

  it("is over when the device goes away or the owner denies", async () => {
    const { devices, offers } = setUp();
    const gone = offers.claim(offers.create().offerId, asking());
    gone?.withdraw();
    await expect(gone?.decision).resolves.toMatchObject({ approved: false });
    const denied = offers.claim(offers.create().offerId, asking());
    offers.deny();
    await expect(denied?.decision).resolves.toMatchObject({ approved: false });
    await expect(offers.approve("042137", ["sessions"])).rejects.toEqual(unavailable);
    expect(devices.list()).toEqual([]);
  });

  it("needs the yes for risky rights of a page from plain http, and lets the owner think again", async () => {
    const { offers } = setUp();
    offers.claim(offers.create().offerId, asking({ overHttp: true }));
    for (const right of ["terminal.control", "agents", "owner"]) {
      await expect(offers.approve("042137", ["sessions", right])).rejects.toEqual(forbidden);
    }
    const device = await offers.approve("042137", ["terminal.control"], { acceptHttp: true });
    expect(device).toMatchObject({ capabilities: ["terminal.control"], overHttp: true });
  });

  it("gives a daemon nothing but agents", async () => {
    const { offers } = setUp();
    offers.claim(offers.create().offerId, asking({ kind: "daemon" }));
    await expect(offers.approve("042137", ["agents", "files"])).rejects.toEqual(forbidden);
    await expect(offers.approve("042137", ["agents"])).resolves.toMatchObject({ capabilities: ["agents"] });
  });

  it("is not decided twice while the device is written down", async () => {
    const { kept, clock, devices, offers } = setUp();
    const { offerId } = offers.create();
    const claim = offers.claim(offerId, asking());
    let release = (): void => undefined;
    kept.hold = new Promise((resolve) => {
      release = resolve;
    });
    const approved = offers.approve("042137", ["sessions"]);
    expect(offers.state(offerId).state).toBe("approve");
    offers.deny();
    claim?.withdraw();
    clock.advance(3 * MINUTE_MS);
    await expect(offers.approve("042137", ["owner"])).rejects.toEqual(unavailable);
    release();
    const device = await approved;
    await expect(claim?.decision).resolves.toEqual({ approved: true, device });
    expect(devices.list()).toEqual([device]);
  });

  it("goes on waiting when the device could not be written down", async () => {
    const { kept, devices, offers } = setUp();
    offers.claim(offers.create().offerId, asking());
    kept.failing = true;
    await expect(offers.approve("042137", ["sessions"])).rejects.toThrow("No space");
    expect(devices.list()).toEqual([]);
    kept.failing = false;
    await expect(offers.approve("042137", ["sessions"])).resolves.toBeDefined();
  });
});

describe("an offer that says yes beforehand", () => {
  it("approves the first device at once, with the rights that were named", async () => {
    const { offers } = setUp();
    const { offerId } = offers.create({ yes: ["sessions", "terminal.control"] });
    const claim = offers.claim(offerId, asking({ overHttp: true }));
    const decision = await claim?.decision;
    expect(decision).toMatchObject({
      approved: true,
      device: { capabilities: ["sessions", "terminal.control"] },
    });
    expect(offers.state(offerId)).toMatchObject({ state: "paired", paired: { name: "Phone" } });
    expect(offers.claim(offerId, asking())).toBeUndefined();
  });

  it("lives a minute", () => {
    const { clock, offers } = setUp();
    const { offerId, expiresAt } = offers.create({ yes: ["sessions"] });
    expect(expiresAt).toBe(clock.now() + MINUTE_MS);
    clock.advance(MINUTE_MS);
    expect(offers.claim(offerId, asking())).toBeUndefined();
  });

  it("gives a daemon what it can hold, and denies it when that is nothing", async () => {
    const { devices, offers } = setUp();
    const some = offers.claim(
      offers.create({ yes: ["agents", "files"] }).offerId,
      asking({ kind: "daemon" }),
    );
    await expect(some?.decision).resolves.toMatchObject({ device: { capabilities: ["agents"] } });
    const none = offers.claim(offers.create({ yes: ["files"] }).offerId, asking({ kind: "daemon" }));
    await expect(none?.decision).resolves.toMatchObject({ approved: false });
    expect(devices.list()).toHaveLength(1);
  });

  it("denies when the disk is full", async () => {
    const { kept, offers } = setUp();
    kept.failing = true;
    const { offerId } = offers.create({ yes: ["sessions"] });
    await expect(offers.claim(offerId, asking())?.decision).resolves.toMatchObject({ approved: false });
    expect(offers.state(offerId).state).toBe("over");
  });
});

describe("the end of the daemon", () => {
  it("ends what waits and leaves no timer", async () => {
    const { clock, offers } = setUp();
    const claim = offers.claim(offers.create().offerId, asking());
    offers.dispose();
    offers.dispose();
    await expect(claim?.decision).resolves.toMatchObject({ approved: false });
    expect(clock.pending).toBe(0);
  });
});
