import { describe, expect, test } from "vitest";
import { ParseQueue } from "../../../src/terminal/parse-queue.js";

function collecting(slow = 0): { queue: ParseQueue; slices: Buffer[]; turns: () => number } {
  const slices: Buffer[] = [];
  let turns = 0;
  const queue = new ParseQueue(
    (bytes) => {
      slices.push(Buffer.from(bytes));
      const end = performance.now() + slow;
      while (performance.now() < end) {
        // A parser that takes its time.
      }
    },
    () => turns++,
  );
  return { queue, slices, turns: () => turns };
}

describe("bytes on their way to the emulator", () => {
  test("are parsed at once after quiet, and in the next turn while busy", async () => {
    const { queue, slices } = collecting();
    queue.write(Buffer.from("first"));
    expect(Buffer.concat(slices).toString()).toBe("first");
    queue.write(Buffer.from("second"));
    expect(queue.pendingBytes).toBe(6);
    await queue.settled();
    expect(Buffer.concat(slices).toString()).toBe("firstsecond");
    expect(queue.pendingBytes).toBe(0);
  });

  test("all come, in order, however they are cut", async () => {
    const { queue, slices } = collecting();
    const all = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    for (let at = 0, size = 1; at < all.length; at += size, size = (size * 7 + 1) % 30_011 || 1) {
      queue.write(all.subarray(at, Math.min(all.length, at + size)));
    }
    await queue.settled();
    expect(Buffer.concat(slices).equals(all)).toBe(true);
  });

  test("let the event loop in between while they are slow to parse", async () => {
    const { queue, slices, turns } = collecting(5);
    queue.write(Buffer.alloc(100_000));
    let others = 0;
    const other = setInterval(() => others++, 1);
    await queue.settled();
    clearInterval(other);
    expect(others).toBeGreaterThan(3);
    expect(turns()).toBeGreaterThan(3);
    expect(slices.at(-1)?.length).toBeLessThan(4096);
  });

  test("of twenty floods leave one terminal's key its turn", async () => {
    const floods = Array.from({ length: 20 }, () => collecting(1));
    for (const { queue } of floods) {
      queue.write(Buffer.alloc(400_000));
    }
    const key = collecting();
    const parsedByFloods = () => floods.reduce((sum, { slices }) => sum + slices.length, 0);
    const before: number[] = [];
    while (floods.every(({ queue }) => queue.pendingBytes > 0) && before.length < 20) {
      const start = parsedByFloods();
      key.queue.write(Buffer.from("k"));
      await key.queue.settled();
      before.push(parsedByFloods() - start);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const { queue } of floods) {
      queue.close();
    }
    // A turn is 8 slices of these; behind all the floods it would be 80.
    expect(before.length).toBeGreaterThan(5);
    expect(Math.max(...before)).toBeLessThan(20);
  });

  test("settle in the order in which they were waited for", async () => {
    const { queue } = collecting(1);
    const order: number[] = [];
    queue.write(Buffer.alloc(40_000));
    const first = queue.settled().then(() => order.push(1));
    queue.write(Buffer.alloc(40_000));
    const second = queue.settled().then(() => order.push(2));
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
  });

  test("are dropped by a close, which ends every wait", async () => {
    const { queue, slices } = collecting(2);
    queue.write(Buffer.alloc(200_000));
    const waiting = queue.settled();
    queue.close();
    await waiting;
    const parsed = slices.length;
    queue.write(Buffer.from("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(slices.length).toBe(parsed);
    expect(queue.pendingBytes).toBe(0);
  });
});
