import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openKept } from "../../../src/server/state.js";

const Schema = z.object({ version: z.literal(1), names: z.array(z.string()) });
const EMPTY = { version: 1 as const, names: [] as string[] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nexusd-state-"));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

describe("a state file", () => {
  test("is read back as it was saved, and nobody else may read it", async () => {
    const path = join(folder, "names.json");
    const kept = await openKept(path, Schema, EMPTY);
    await kept.save({ version: 1, names: ["a"] });
    expect((await openKept(path, Schema, EMPTY)).value).toEqual({ version: 1, names: ["a"] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("keeps the last of many saves at once, and leaves no temporary file", async () => {
    const path = join(folder, "names.json");
    const kept = await openKept(path, Schema, EMPTY);
    await Promise.all(Array.from({ length: 20 }, (_, i) => kept.save({ version: 1, names: [`${i}`] })));
    expect(kept.value.names).toEqual(["19"]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ version: 1, names: ["19"] });
    expect(readdirSync(folder)).toEqual(["names.json"]);
  });

  test.each([
    ["half a file", '{"version":1,"na'],
    ["another shape", '{"version":1,"names":"all"}'],
    ["a newer version", '{"version":2,"names":[]}'],
    ["nothing", ""],
  ])("that is %s stops the start by its name, and stays as it is", async (_what, text) => {
    const path = join(folder, "names.json");
    writeFileSync(path, text);
    await expect(openKept(path, Schema, EMPTY)).rejects.toThrow(/names\.json is damaged .*move it away/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("that cannot be written says so and keeps the old value", async () => {
    const path = join(folder, "names.json");
    const kept = await openKept(path, Schema, EMPTY);
    await kept.save({ version: 1, names: ["old"] });
    mkdirSync(join(folder, `.names.json.${process.pid}.new`)); // takes the place of the temporary file
    await expect(kept.save({ version: 1, names: ["new"] })).rejects.toThrow(/Could not write .*names\.json/);
    expect(kept.value.names).toEqual(["old"]);
    expect(JSON.parse(readFileSync(path, "utf8")).names).toEqual(["old"]);
  });
});
