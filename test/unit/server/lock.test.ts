import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AlreadyRunningError, lockHolder, takeLock } from "../../../src/server/lock.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nexusd-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the second taker is told who holds the lock, until it is released", async () => {
  const lock = await takeLock(folder);
  expect(await lockHolder(folder)).toBe(process.pid);
  await expect(takeLock(folder)).rejects.toThrow(AlreadyRunningError);
  await lock.release();
  expect(await lockHolder(folder)).toBeUndefined();
  await (await takeLock(folder)).release();
});

test("of ten takers at once one gets it", async () => {
  const takers = await Promise.allSettled(Array.from({ length: 10 }, () => takeLock(folder)));
  expect(takers.filter((taker) => taker.status === "fulfilled")).toHaveLength(1);
});

test("a lock of a process that is gone is taken over", async () => {
  const child = spawn("true");
  await new Promise((resolve) => child.once("exit", resolve));
  writeFileSync(join(folder, "lock"), `${child.pid} 1\n`);
  await (await takeLock(folder)).release();
});

test("a lock whose pid now belongs to another process is taken over", async () => {
  writeFileSync(join(folder, "lock"), `${process.pid} 1\n`); // this process did not start then
  await (await takeLock(folder)).release();
});

test("of ten takers at once of a lock that a crash left one gets it, each time", async () => {
  for (let round = 0; round < 50; round++) {
    writeFileSync(join(folder, "lock"), `${process.pid} 1\n`);
    const takers = await Promise.allSettled(Array.from({ length: 10 }, () => takeLock(folder)));
    const taken = takers.flatMap((taker) => (taker.status === "fulfilled" ? [taker.value] : []));
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
    expect(readdirSync(folder)).toEqual([]);
  }
});
