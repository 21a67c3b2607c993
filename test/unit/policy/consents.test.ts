import { describe, expect, it } from "vitest";
import { consentRequest } from "../../../src/policy/consent-card.js";
import { ConsentRules, type ConsentsFile, EMPTY_CONSENTS } from "../../../src/policy/consent-rules.js";
import { type ConsentQuestion, Consents } from "../../../src/policy/consents.js";
import { refusalOf } from "../../../src/protocol/refusal.js";
import { ManualClock } from "../../support/clock.js";
import { MemoryKept } from "../../support/kept.js";

const PHONE = { deviceId: "phone", name: "phone", mayConsent: true };
const question: ConsentQuestion = {
  deviceId: "laptop",
  deviceName: "laptop",
  from: { kind: "tab", workspaceId: "w", tabId: "x", name: "builder", hops: 1 },
  method: "chat.send",
  class: "message",
  workspaceId: "ws",
  tabId: "tab",
  target: "tab",
  title: "laptop asks to send a message",
  text: "hello",
};

function desk() {
  const clock = new ManualClock();
  const kept = new MemoryKept<ConsentsFile>(EMPTY_CONSENTS);
  const rules = new ConsentRules(kept, clock.now);
  const consents = new Consents(rules, clock);
  const asker = new AbortController();
  /** Asks, and tells the outcome in a word. */
  const ask = (change: Partial<ConsentQuestion> = {}): Promise<string> =>
    consents.ask({ ...question, ...change }, asker.signal).then(
      () => "allowed",
      (error: unknown) => refusalOf(error) ?? (error as Error).message,
    );
  const only = () => consents.list()[0]?.id ?? "none";
  return { clock, kept, rules, consents, asker, ask, only };
}

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => (error as Error).message,
  );

describe("F6: a question to the owner", () => {
  it("can be allowed after 89.9 seconds", async () => {
    const { clock, consents, ask, only } = desk();
    const outcome = ask();
    clock.advance(89_900);
    await consents.answer(only(), { decision: "allow" }, PHONE);
    expect(await outcome).toBe("allowed");
  });

  it("is a no after 90.1 seconds, and a late answer is told so", async () => {
    const { clock, consents, ask, only } = desk();
    const outcome = ask();
    const id = only();
    clock.advance(90_100);
    expect(await outcome).toBe("expired");
    expect(await failure(consents.answer(id, { decision: "allow" }, PHONE))).toContain("no longer pending");
  });

  it("is a no after 90.1 seconds on a machine that was too busy to ring", async () => {
    const { clock, consents, ask, only } = desk();
    const outcome = ask();
    clock.skip(90_100);
    expect(await failure(consents.answer(only(), { decision: "allow" }, PHONE))).toContain("in time");
    expect(await outcome).toBe("expired");
  });

  it("takes the first of two answers, and tells the second who gave it", async () => {
    const { consents, ask, only } = desk();
    const outcome = ask();
    const id = only();
    const [first, second] = await Promise.all([
      failure(consents.answer(id, { decision: "deny" }, PHONE)),
      failure(consents.answer(id, { decision: "allow" }, { ...PHONE, deviceId: "pad", name: "pad" })),
    ]);
    expect(first).toBe("done");
    expect(second).toContain("phone denied it");
    expect(await outcome).toBe("denied");
  });

  it("goes when its asker goes", async () => {
    const { consents, ask, only, asker } = desk();
    const outcome = ask();
    const id = only();
    asker.abort();
    expect(await outcome).toBe("withdrawn");
    expect(consents.list()).toEqual([]);
    expect(await failure(consents.answer(id, { decision: "allow" }, PHONE))).toContain("went away");
  });

  it("of an earlier life of the daemon is no longer pending", async () => {
    const { consents } = desk();
    expect(await failure(consents.answer("consent-abc", { decision: "allow" }, PHONE))).toContain(
      "restarted",
    );
  });
});

describe("H5: who answers", () => {
  it("is never the device that asks, another daemon, or an agent", async () => {
    const { consents, ask, only } = desk();
    void ask();
    const allow = { decision: "allow" } as const;
    expect(await failure(consents.answer(only(), allow, { ...PHONE, deviceId: "laptop" }))).toContain(
      "its own agents",
    );
    expect(await failure(consents.answer(only(), allow, { ...PHONE, mayConsent: false }))).toContain(
      "Only a person",
    );
    expect(() => consents.open(only(), { ...PHONE, mayConsent: false })).toThrow("Only a person");
    expect(consents.list()).toHaveLength(1);
  });
});

describe("F5: a flood of questions", () => {
  it("stops at four that wait for one device", async () => {
    const { ask, consents } = desk();
    for (let at = 0; at < 4; at++) void ask();
    expect(await ask()).toBe("busy");
    expect(consents.list()).toHaveLength(4);
    void ask({ deviceId: "other" });
    expect(consents.list()).toHaveLength(5);
  });

  it("mutes a sender for ten minutes after three denials in ten", async () => {
    const { ask, consents, only, clock } = desk();
    for (let at = 0; at < 3; at++) {
      const outcome = ask();
      await consents.answer(only(), { decision: "deny" }, PHONE);
      expect(await outcome).toBe("denied");
      clock.advance(60_000);
    }
    expect(await ask()).toBe("muted");
    expect(consents.muted()).toMatchObject([{ deviceId: "laptop" }]);
    clock.advance(10 * 60_000);
    void ask();
    expect(consents.list()).toHaveLength(1);
  });

  it("does not mute after three denials that are far apart", async () => {
    const { ask, consents, only, clock } = desk();
    for (let at = 0; at < 4; at++) {
      const outcome = ask();
      await consents.answer(only(), { decision: "deny" }, PHONE);
      expect(await outcome).toBe("denied");
      clock.advance(6 * 60_000);
    }
  });

  it("mutes at once when the owner says so", async () => {
    const { ask, consents, only } = desk();
    void ask();
    await consents.answer(only(), { decision: "deny", mute: true }, PHONE);
    expect(await ask()).toBe("muted");
  });
});

describe("H6: what is remembered", () => {
  it("is the device, the target and the class, and nothing else", async () => {
    const { ask, consents, rules, only } = desk();
    void ask();
    await consents.answer(only(), { decision: "allow", remember: true }, PHONE);
    const decide = (change: object) =>
      rules.decision({ deviceId: "laptop", target: "tab", class: "message", ...change });
    expect(decide({})).toBe("allow");
    expect(decide({ target: "other" })).toBe("ask");
    expect(decide({ deviceId: "other" })).toBe("ask");
    for (const kind of ["steer", "type", "open"]) expect(decide({ class: kind })).toBe("ask");
    expect(decide({ class: "answer" })).toBe("deny");
  });

  it("is nothing after a plain yes", async () => {
    const { ask, consents, rules, only } = desk();
    void ask();
    await consents.answer(only(), { decision: "allow" }, PHONE);
    expect(rules.list()).toEqual([]);
  });

  it("offers to remember messages alone on a card", async () => {
    const { ask, consents } = desk();
    for (const kind of ["message", "steer", "type", "open"] as const) {
      void ask({ class: kind, tabId: kind });
      const [consent] = consents.on(kind);
      expect(consent && consentRequest(consent).suggestions).toHaveLength(kind === "message" ? 1 : 0);
    }
  });

  it("lets the tabs of this machine do all but answer, until the owner decides otherwise", async () => {
    const { rules } = desk();
    const local = { deviceId: "local", target: "tab" };
    expect(rules.decision({ ...local, class: "message" })).toBe("allow");
    expect(rules.decision({ ...local, class: "answer" })).toBe("deny");
    await rules.set({ ...local, target: null, class: "message" }, "deny", "me");
    expect(rules.decision({ ...local, class: "message" })).toBe("deny");
    await rules.set({ ...local, class: "message" }, "allow", "me");
    expect(rules.decision({ ...local, class: "message" })).toBe("allow");
    expect(rules.decision({ ...local, target: "other", class: "message" })).toBe("deny");
  });

  it("goes with a device that is revoked and a target that is closed", async () => {
    const { rules } = desk();
    await rules.set({ deviceId: "a", target: "t", class: "message" }, "allow", "me");
    await rules.set({ deviceId: "b", target: "t", class: "message" }, "allow", "me");
    await rules.drop({ deviceId: "a" });
    expect(rules.list().map(({ deviceId }) => deviceId)).toEqual(["b"]);
    await rules.drop({ target: "t" });
    expect(rules.list()).toEqual([]);
  });
});

describe("H9: what the owner reads", () => {
  it("shows hidden characters of the text", async () => {
    const { ask, consents } = desk();
    void ask({ text: "a\u202eb\x1b[2Jc" });
    const [consent] = consents.list();
    expect(consent && consentRequest(consent).detail).toBe("a<U+202E>b␛[2Jc");
  });

  it("cannot allow a text over 4 KiB before it was opened whole, by that device", async () => {
    const { ask, consents, only } = desk();
    const outcome = ask({ text: `${"x".repeat(5000)} and then rm -rf` });
    const allow = { decision: "allow" } as const;
    expect(await failure(consents.answer(only(), allow, PHONE))).toContain("open it whole");
    consents.open(only(), { ...PHONE, deviceId: "pad" });
    expect(await failure(consents.answer(only(), allow, PHONE))).toContain("open it whole");
    expect(consents.open(only(), PHONE).text).toContain("rm -rf");
    expect(await failure(consents.answer(only(), allow, PHONE))).toBe("done");
    expect(await outcome).toBe("allowed");
  });
});
