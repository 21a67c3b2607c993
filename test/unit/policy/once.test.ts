import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Journal, openJournal } from "../../../src/policy/journal.js";
import { Once, type OnceRequest, type Reserved } from "../../../src/policy/once.js";
import { notFound, RpcErrorCode, unavailable } from "../../../src/protocol/errors.js";
import type { RpcMethod } from "../../../src/protocol/rpc.js";
import { ManualClock } from "../../support/clock.js";
import { tempFolder } from "../../support/temp-folder.js";

const HOUR_MS = 3_600_000;

async function setUp() {
  const path = join(await tempFolder(), "once.jsonl");
  const clock = new ManualClock();
  const journals: Journal[] = [];
  onTestFinished(async () => {
    for (const journal of journals) await journal.close();
  });
  /** Reads the file as a new start would, also while the one before has it open: kill -9 closes nothing. */
  const start = async (): Promise<Once> => {
    const journal = await openJournal(path);
    journals.push(journal);
    return await Once.open({ journal, clock });
  };
  return { path, clock, start, once: await start() };
}

function request(method: RpcMethod, more: Partial<OnceRequest> = {}): OnceRequest {
  return { deviceId: "phone", id: randomUUID(), method, params: { tabId: "t", text: "hi" }, ...more };
}

function counted(result: unknown = {}) {
  const act = async (reserved: Reserved): Promise<unknown> => {
    act.count++;
    act.reserved.push(reserved);
    await Promise.resolve();
    return result;
  };
  act.count = 0;
  act.reserved = [] as Reserved[];
  return act;
}

const never = (): Promise<never> => new Promise(() => undefined);

describe.each<RpcMethod>(["terminal.input", "chat.send"])("Once.run of %s", (method) => {
  it("acts once for one id, at the same time and later", async () => {
    const { once } = await setUp();
    const act = counted({ at: 7 });
    const same = request(method);
    const together = await Promise.all([1, 2, 3].map(() => once.run(same, act)));
    expect(together).toEqual([{ at: 7 }, { at: 7 }, { at: 7 }]);
    expect(await once.run({ ...same, id: String(same.id).toUpperCase() }, act)).toEqual({ at: 7 });
    expect(act.count).toBe(1);
  });

  it("keeps devices and ids apart", async () => {
    const { once } = await setUp();
    const act = counted();
    const one = request(method);
    await once.run(one, act);
    await once.run({ ...one, deviceId: "laptop" }, act);
    await once.run({ ...one, id: randomUUID() }, act);
    expect(act.count).toBe(3);
  });

  it("acts each time for an id that is no UUID", async () => {
    const { once } = await setUp();
    const act = counted();
    for (const id of [1, 1, "1", "1", "__proto__", "__proto__"]) await once.run(request(method, { id }), act);
    expect(act.count).toBe(6);
  });

  it("refuses an id that was used for something else, and keeps the first outcome", async () => {
    const { once } = await setUp();
    const act = counted("first");
    const first = request(method);
    await once.run(first, act);
    const refusal = { code: RpcErrorCode.InvalidRequest };
    await expect(once.run({ ...first, params: { text: "ho" } }, act)).rejects.toMatchObject(refusal);
    await expect(once.run({ ...first, method: "chat.close" }, act)).rejects.toMatchObject(refusal);
    expect(await once.run({ ...first, params: { text: "hi", tabId: "t" } }, act)).toBe("first");
    expect(act.count).toBe(1);
  });

  it("lets what failed be tried again, and those who joined fail with it", async () => {
    const { once } = await setUp();
    const failing = request(method);
    const fail = (): Promise<never> => Promise.reject(unavailable("not now"));
    const both = await Promise.allSettled([once.run(failing, fail), once.run(failing, counted())]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const act = counted("done");
    expect(await once.run(failing, act)).toBe("done");
  });

  it("does not try again what failed by a fault of ours: it may have taken effect", async () => {
    const { once } = await setUp();
    const broken = request(method);
    await expect(once.run(broken, () => Promise.reject(new TypeError("bug")))).rejects.toThrow("bug");
    const act = counted();
    await expect(once.run(broken, act)).rejects.toThrow("bug");
    expect(act.count).toBe(0);
  });

  it("forgets a device that was dropped", async () => {
    const { once } = await setUp();
    const act = counted();
    const one = request(method);
    await once.run(one, act);
    await once.drop(one.deviceId);
    await once.run(one, act);
    expect(act.count).toBe(2);
  });

  it("remembers 4,096 outcomes of a device and gives up the oldest first, never one that runs", async () => {
    const { once } = await setUp();
    const act = counted();
    const running = request(method);
    void once.run(running, never);
    const requests = Array.from({ length: 4097 }, () => request(method));
    for (let from = 0; from < requests.length; from += 64) {
      await Promise.all(requests.slice(from, from + 64).map((one) => once.run(one, act)));
    }
    expect(act.count).toBe(4097);
    const [oldest, newest] = [requests[0], requests[4096]];
    if (oldest === undefined || newest === undefined) throw new Error("no requests");
    await once.run(newest, act);
    expect(act.count).toBe(4097);
    await once.run(oldest, act);
    expect(act.count).toBe(4098);
    const joined = once.run(running, act);
    expect(await Promise.race([joined, Promise.resolve("still runs")])).toBe("still runs");
  });
});

describe("how long an outcome is remembered", () => {
  it("is ten minutes in memory, whatever the wall clock does", async () => {
    const { clock, once } = await setUp();
    const act = counted();
    const one = request("terminal.input");
    await once.run(one, act);
    clock.epoch += 48 * HOUR_MS;
    clock.advance(10 * 60_000);
    await once.run(one, act);
    expect(act.count).toBe(1);
    clock.advance(1);
    await once.run(one, act);
    expect(act.count).toBe(2);
  });

  it("is a day for what is written down, over a start", async () => {
    const { clock, once, start } = await setUp();
    const act = counted("sent");
    const one = request("chat.send");
    await once.run(one, act);
    clock.advance(23 * HOUR_MS);
    expect(await (await start()).run(one, act)).toBe("sent");
    expect(act.count).toBe(1);
    clock.advance(2 * HOUR_MS);
    expect(await (await start()).run(one, act)).toBe("sent");
    expect(act.count).toBe(2);
  });
});

describe("over a crash", () => {
  it("a request is on the disk before it acts", async () => {
    const { path, once } = await setUp();
    const one = request("chat.send");
    let before = "";
    await once.run(one, async () => {
      before = await readFile(path, "utf8");
      return {};
    });
    expect(before).toContain(String(one.id));
    expect(before).not.toContain("hi");
    expect(before.trim().split("\n")).toHaveLength(1);
  });

  it.each<RpcMethod>(["chat.send", "chat.new", "chat.answer", "terminal.open"])(
    "a finished %s answers with its outcome",
    async (method) => {
      const { once, start } = await setUp();
      const one = request(method);
      await once.run(one, counted({ tabId: "x" }));
      const act = counted();
      expect(await (await start()).run(one, act)).toEqual({ tabId: "x" });
      expect(act.count).toBe(0);
    },
  );

  it.each<RpcMethod>(["chat.send", "chat.new", "chat.answer"])(
    "an unfinished %s is Unavailable and not carried out again",
    async (method) => {
      const { path, once, start } = await setUp();
      const one = request(method);
      void once.run(one, never);
      await expect.poll(() => readFile(path, "utf8")).toContain(String(one.id));
      const next = await start();
      const act = counted();
      for (let n = 0; n < 2; n++) {
        await expect(next.run(one, act)).rejects.toMatchObject({
          code: RpcErrorCode.Unavailable,
          message: expect.stringContaining("may already have been done"),
        });
      }
      expect(act.count).toBe(0);
    },
  );

  it("an unfinished terminal.open is carried out again under the id that was written down", async () => {
    const { path, once, start } = await setUp();
    const one = request("terminal.open");
    let chosen: string | undefined;
    void once.run(one, ({ tabId }) => {
      chosen = tabId;
      return never();
    });
    await expect.poll(() => chosen).toBeDefined();
    expect(await readFile(path, "utf8")).toContain(chosen);
    const act = counted({ tabId: chosen });
    const next = await start();
    expect(await Promise.all([next.run(one, act), next.run(one, act)])).toEqual([
      { tabId: chosen },
      { tabId: chosen },
    ]);
    expect(act.reserved).toEqual([{ tabId: chosen, again: true }]);
    expect(await (await start()).run(one, act)).toEqual({ tabId: chosen });
    expect(act.count).toBe(1);
  });

  it("one that failed before the crash may be sent again", async () => {
    const { once, start } = await setUp();
    const one = request("chat.send");
    await expect(once.run(one, () => Promise.reject(notFound("tab")))).rejects.toThrow("tab");
    expect(await (await start()).run(one, counted("sent"))).toBe("sent");
  });

  it("a dropped device is forgotten", async () => {
    const { once, start } = await setUp();
    const one = request("chat.send");
    await once.run(one, counted());
    await once.drop(one.deviceId);
    const act = counted();
    await (await start()).run(one, act);
    expect(act.count).toBe(1);
  });

  it("a damaged journal stops the start and names the line", async () => {
    const { path, once, start } = await setUp();
    await once.run(request("chat.send"), counted());
    await writeFile(path, `${await readFile(path, "utf8")}{"is":"what"}\n`);
    await expect(start()).rejects.toThrow(/once\.jsonl is damaged at line 3/);
  });
});

describe("the journal", () => {
  it("that cannot be written keeps a request from acting", async () => {
    const { clock } = await setUp();
    const full: Journal = {
      path: "journal",
      lines: [],
      append: () => Promise.reject(new Error("No space left on device")),
      replace: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const once = await Once.open({ journal: full, clock });
    const act = counted();
    const one = request("chat.send");
    await expect(once.run(one, act)).rejects.toMatchObject({ code: RpcErrorCode.Unavailable });
    await expect(once.run(one, act)).rejects.toMatchObject({ code: RpcErrorCode.Unavailable });
    expect(act.count).toBe(0);
    expect(await once.run(request("terminal.input"), counted("typed"))).toBe("typed");
  });

  it("stays short: old lines go at a start and when there are many", async () => {
    const { path, clock, once, start } = await setUp();
    const lines = async (): Promise<number> => (await readFile(path, "utf8")).split("\n").length - 1;
    for (let round = 0; round < 7; round++) {
      await Promise.all(Array.from({ length: 1000 }, () => once.run(request("chat.send"), counted())));
    }
    expect(await lines()).toBeLessThan(13_000);
    clock.advance(25 * HOUR_MS);
    await start();
    expect(await lines()).toBe(0);
  });

  it("has one effect for each request, however requests, repeats and crashes follow each other", async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ is: fc.constant("send" as const), which: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ is: fc.constant("crash" as const), which: fc.nat(5) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { once: first, start } = await setUp();
        let once = first;
        const requests = Array.from({ length: 6 }, () => request("chat.send"));
        const effects = new Map<unknown, number>();
        for (const { is, which } of steps) {
          const one = requests[which];
          if (one === undefined) continue;
          const act = (): Promise<unknown> => {
            effects.set(one.id, (effects.get(one.id) ?? 0) + 1);
            return is === "crash" ? never() : Promise.resolve({});
          };
          if (is === "send") await once.run(one, act).catch(() => undefined);
          else {
            const before = effects.get(one.id) ?? 0;
            const cut = once.run(one, act).catch(() => undefined);
            await Promise.race([cut, expect.poll(() => effects.get(one.id) ?? 0).toBeGreaterThan(before)]);
            once = await start();
          }
        }
        for (const count of effects.values()) expect(count).toBe(1);
      }),
      { numRuns: 15 },
    );
  });
});
