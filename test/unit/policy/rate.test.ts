import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKey, ByteRate, HandshakeRate, TokenBucket } from "../../../src/policy/rate.js";
import { ManualClock } from "../../support/clock.js";

describe("TokenBucket", () => {
  it("never gives more than its capacity and what time brought", () => {
    const step = fc.record({ ms: fc.nat(2000), take: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const clock = new ManualClock();
        const bucket = new TokenBucket({ capacity: 20, perSecond: 5 }, clock.monotonic);
        let taken = 0;
        for (const { ms, take } of steps) {
          clock.advance(ms);
          if (bucket.take(take)) taken += take;
          expect(taken).toBeLessThanOrEqual(20 + (clock.monotonic() / 1000) * 5 + 1e-6);
        }
      }),
    );
  });
});

describe("HandshakeRate", () => {
  const fail = (rate: HandshakeRate, address: string): boolean => {
    const pass = rate.begin(address);
    pass?.failed();
    return pass !== undefined;
  };

  it("lets an address fail ten times, then once in six seconds, and no other one suffers", () => {
    const clock = new ManualClock();
    const rate = new HandshakeRate(clock.monotonic);
    for (let n = 0; n < 10; n++) expect(fail(rate, "192.0.2.1")).toBe(true);
    expect(fail(rate, "192.0.2.1")).toBe(false);
    expect(fail(rate, "192.0.2.2")).toBe(true);
    clock.advance(5_999);
    expect(fail(rate, "192.0.2.1")).toBe(false);
    clock.advance(2);
    expect(fail(rate, "192.0.2.1")).toBe(true);
    expect(fail(rate, "192.0.2.1")).toBe(false);
  });

  it("gives back what succeeds, once", () => {
    const rate = new HandshakeRate(() => 0);
    for (let n = 0; n < 100; n++) {
      const pass = rate.begin("192.0.2.1");
      expect(pass).toBeDefined();
      pass?.succeeded();
      pass?.succeeded();
      pass?.failed();
    }
    for (let n = 0; n < 10; n++) expect(fail(rate, "192.0.2.1")).toBe(true);
    expect(fail(rate, "192.0.2.1")).toBe(false);
  });

  it("lets four of one address run at a time", () => {
    const rate = new HandshakeRate(() => 0);
    const passes = [1, 2, 3, 4].map(() => rate.begin("192.0.2.1"));
    expect(rate.begin("192.0.2.1")).toBeUndefined();
    expect(rate.begin("192.0.2.2")).toBeDefined();
    passes[0]?.succeeded();
    expect(rate.begin("192.0.2.1")).toBeDefined();
  });

  it("stays bounded under many addresses and still holds those that run", () => {
    const rate = new HandshakeRate(() => 0);
    for (let n = 0; n < 4; n++) rate.begin("198.51.100.1");
    for (let n = 0; n < 10_000; n++) rate.begin(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)?.failed();
    expect(rate.begin("198.51.100.1")).toBeUndefined();
  });
});

describe("ByteRate", () => {
  it("takes a burst of 8 MiB and then 4 MiB a second, by device", () => {
    const clock = new ManualClock();
    const rate = new ByteRate(clock.monotonic);
    expect(rate.spend("a", 8 * 1024 * 1024)).toBe(0);
    expect(rate.spend("a", 4 * 1024 * 1024)).toBeCloseTo(1000);
    expect(rate.spend("b", 1)).toBe(0);
    clock.advance(1000);
    expect(rate.spend("a", 0)).toBe(0);
    expect(rate.spend("a", 1)).toBeGreaterThan(0);
  });
});

describe("addressKey", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff::2", "2001:db8:0:0::/64"],
    ["2001:0db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["", ""],
  ])("counts %j as %j", (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
