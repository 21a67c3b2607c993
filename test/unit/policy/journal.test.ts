import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/policy/journal.js";
import { tempFolder } from "../../support/temp-folder.js";

describe("openJournal", () => {
  it("keeps lines in the order of the calls, over openings, in a file of its owner", async () => {
    const path = join(await tempFolder(), "journal");
    const first = await openJournal(path);
    expect(first.lines).toEqual([]);
    await Promise.all(Array.from({ length: 50 }, (_, n) => first.append(`line ${n}`)));
    await first.close();
    const second = await openJournal(path);
    expect(second.lines).toEqual(Array.from({ length: 50 }, (_, n) => `line ${n}`));
    await second.append("more");
    await second.close();
    expect((await readFile(path, "utf8")).endsWith("line 49\nmore\n")).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("drops the half line that a crash left, and goes on after the whole ones", async () => {
    const path = join(await tempFolder(), "journal");
    await writeFile(path, "one\ntwo\nthr");
    const journal = await openJournal(path);
    expect(journal.lines).toEqual(["one", "two"]);
    await journal.append("three");
    await journal.close();
    expect(await readFile(path, "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("is what it was cut to, wherever a crash cuts it", async () => {
    const path = join(await tempFolder(), "journal");
    const whole = Buffer.from("début\n日本語\n\nend\n");
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (length) => {
        await writeFile(path, whole.subarray(0, length));
        const journal = await openJournal(path);
        await journal.close();
        expect(["début", "日本語", "", "end"].slice(0, journal.lines.length)).toEqual(journal.lines);
      }),
      { numRuns: 40 },
    );
  });

  it("replaces what was there and then takes the lines that were asked for after it", async () => {
    const path = join(await tempFolder(), "journal");
    const journal = await openJournal(path);
    await Promise.all([
      journal.append("old"),
      journal.append("older"),
      journal.replace(["kept"]),
      journal.append("new"),
    ]);
    expect(await readFile(path, "utf8")).toBe("kept\nnew\n");
    await journal.close();
    await journal.close();
    await expect(journal.append("late")).rejects.toThrow("closed");
  });
});
