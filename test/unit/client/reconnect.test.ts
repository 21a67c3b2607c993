import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RETRY_FIRST_MS, RETRY_MAX_MS, RETRY_REFUSED_FIRST_MS } from "../../../src/client/limits.js";
import { retryDelayMs } from "../../../src/client/reconnect.js";
import { mayResend } from "../../../src/client/resend.js";

const lost = { reason: "lost" };

describe("the wait before another attempt", () => {
  it("doubles with each failure up to its bound", () => {
    const waits = [1, 2, 3, 4, 50, 5000].map((failures) => retryDelayMs(lost, failures, 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, RETRY_MAX_MS, RETRY_MAX_MS]);
  });

  it("is spread by chance, and never less than half", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(chance, fc.integer({ min: 1, max: 100 }), (drawn, failures) => {
        const whole = retryDelayMs(lost, failures, 0);
        const wait = retryDelayMs(lost, failures, drawn);
        expect(wait).toBeLessThanOrEqual(whole);
        expect(wait).toBeGreaterThanOrEqual(whole / 2);
      }),
    );
  });

  it.each([4401, 4403, 4429])("is long at once after a refusal with %i, and ends at some time", (code) => {
    expect(retryDelayMs({ code, reason: "" }, 1, 0.99)).toBeGreaterThan(RETRY_REFUSED_FIRST_MS / 2 - 1);
    expect(Number.isFinite(retryDelayMs({ code, reason: "" }, 1e6, 0))).toBe(true);
  });

  it.each([1001, 1006, 4400, 4408, 4508])("is short after %i", (code) => {
    expect(retryDelayMs({ code, reason: "" }, 1, 0)).toBe(RETRY_FIRST_MS);
  });
});

describe("a request on a new link", () => {
  const sent = (method: string, boot: string | undefined = "b") => ({ method, boot, sentAt: 0 });
  const MINUTE = 60_000;

  it.each(["sessions.list", "chat.read", "terminal.wait", "terminal.shells", "git.diff", "owner.devices"])(
    "is sent again whatever happened when it only reads: %s",
    (method) => {
      expect(mayResend(sent(method), 60 * MINUTE, "other")).toBe(true);
    },
  );

  it.each(["terminal.input", "chat.interrupt", "chat.attach", "terminal.close", "chat.rename"])(
    "is sent again only to the daemon that remembers it when it acts: %s",
    (method) => {
      expect(mayResend(sent(method), MINUTE, "b")).toBe(true);
      expect(mayResend(sent(method), MINUTE, "other")).toBe(false);
      expect(mayResend(sent(method), 10 * MINUTE, "b")).toBe(false);
      expect(mayResend({ method, sentAt: 0, boot: undefined }, MINUTE, undefined)).toBe(false);
    },
  );

  it.each(["chat.send", "chat.new", "chat.answer", "terminal.open"])(
    "is sent again over a restart when the daemon writes it down: %s",
    (method) => {
      expect(mayResend(sent(method), MINUTE, "other")).toBe(true);
      expect(mayResend(sent(method), 10 * MINUTE, "other")).toBe(false);
    },
  );

  it.each(["owner.pair", "owner.revoke", "owner.stop"])(
    "is not sent again when nobody remembers it: %s",
    (method) => {
      expect(mayResend(sent(method), 1, "b")).toBe(false);
    },
  );
});
