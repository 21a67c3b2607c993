import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exitCodeOf } from "../../../src/cli/exit.js";
import { findRecord, listRecords, recordNameFor, saveRecord } from "../../../src/cli/records.js";
import type { DeviceRecord } from "../../../src/client/device-record.js";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "nexus-records-")), "deep", "devices");
});
afterEach(() => rmSync(join(folder, "..", ".."), { recursive: true }));

const record = (serverName: string): DeviceRecord => ({
  urls: ["http://desk:8137/"],
  serverKey: "k",
  serverName,
  secretKey: "s",
  deviceId: "d",
  name: "laptop",
});

const codeOf = (act: Promise<unknown>): Promise<number> =>
  act.then(
    () => 0,
    (error: unknown) => exitCodeOf(error),
  );

test("a record is kept in a folder and a file for this user alone, and read back", async () => {
  const path = await saveRecord(folder, "desk", record("desk.local"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await listRecords(folder)).toEqual([{ name: "desk", record: record("desk.local") }]);
  await saveRecord(folder, "desk", record("moved"));
  expect((await findRecord(folder, "desk")).record.serverName).toBe("moved");
});

test("a record is found by its name, or by the one daemon that is called so", async () => {
  await saveRecord(folder, "a", record("tower"));
  await saveRecord(folder, "b", record("mini"));
  await saveRecord(folder, "c", record("mini"));
  expect((await findRecord(folder, "a")).name).toBe("a");
  expect((await findRecord(folder, "tower")).name).toBe("a");
  expect(await codeOf(findRecord(folder, "mini"))).toBe(2);
  expect(await codeOf(findRecord(folder, "other"))).toBe(3);
});

test("without a folder there is no record, and one that is asked for is not found", async () => {
  expect(await listRecords(folder)).toEqual([]);
  expect(await codeOf(findRecord(folder, "desk"))).toBe(3);
});

test("a damaged record is named, not skipped", async () => {
  await saveRecord(folder, "desk", record("desk"));
  writeFileSync(join(folder, "desk.json"), "{}");
  await expect(listRecords(folder)).rejects.toThrow(/desk\.json is damaged/);
});

test.each(["../evil", "a/b", ".hidden", "-flag", "", "x".repeat(101), "a\x1bb"])(
  "%j is no name",
  async (name) => {
    await expect(saveRecord(folder, name, record("x"))).rejects.toThrow(/A name has/);
  },
);

test.each([
  ["desk.local", "desk.local"],
  ["My Mac (home)", "My-Mac-home-"],
  ["../../etc", "etc"],
  ["🦀", "daemon"],
  ["\x1b[2J", "2J"],
])("a daemon called %j is kept as %j", (serverName, name) => {
  expect(recordNameFor(serverName)).toBe(name);
});
