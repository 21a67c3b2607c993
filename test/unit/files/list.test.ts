import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { fitFilesList } from "../../../src/files/fit.js";
import { listFolder } from "../../../src/files/list.js";
import { readFile } from "../../../src/files/read.js";
import { unavailable } from "../../../src/protocol/errors.js";
import { bytesToName } from "../../../src/protocol/name-bytes.js";
import { BUDGET_BYTES, rootsOf, tempFolder, write } from "../../support/repo.js";

/** One folder for the property's many. */
const shared = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-names-")));
afterAll(() => rmSync(shared, { recursive: true, force: true }));

const images = {
  shrink: async (): Promise<never> => {
    throw unavailable("no images in this test");
  },
};

const list = (folder: string, path = "") => listFolder(rootsOf(folder), path, { budgetBytes: BUDGET_BYTES });

describe("files.list", () => {
  test("gives folders first, in natural order, links as links, files with their sizes", async () => {
    const folder = tempFolder();
    write(folder, {
      "file10.txt": "ten",
      "file9.txt": "",
      "A.txt": "a",
      ".hidden": "",
      "zdir/x": "",
      "Dir2/x": "",
      "dir10/x": "",
    });
    symlinkSync("zdir", join(folder, "alink"));
    symlinkSync("nothing", join(folder, "broken"));
    expect(await list(folder)).toEqual({
      path: folder,
      entries: [
        { name: "Dir2", kind: "dir" },
        { name: "dir10", kind: "dir" },
        { name: "zdir", kind: "dir" },
        { name: ".hidden", kind: "file", size: 0 },
        { name: "A.txt", kind: "file", size: 1 },
        { name: "alink", kind: "link" },
        { name: "broken", kind: "link" },
        { name: "file9.txt", kind: "file", size: 0 },
        { name: "file10.txt", kind: "file", size: 3 },
      ],
    });
    expect((await list(folder, "zdir")).path).toBe(join(folder, "zdir"));
  });

  test("gives the first 2,000 of more, and says that there are more", async () => {
    const folder = tempFolder();
    for (let n = 0; n < 2100; n++) writeFileSync(join(folder, `f${n}`), "");
    mkdirSync(join(folder, "z"));
    const cut = await list(folder);
    expect(cut.truncated).toBe(true);
    expect(cut.entries.map(({ name }) => name)).toEqual([
      "z",
      ...Array.from({ length: 1999 }, (_, n) => `f${n}`),
    ]);
    const whole = tempFolder();
    for (let n = 0; n < 2000; n++) writeFileSync(join(whole, `f${n}`), "");
    expect((await list(whole)).truncated).toBeUndefined();
    expect((await list(whole)).entries).toHaveLength(2000);
  });

  test("fits its budget with the worst of names", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5000, max: BUDGET_BYTES }),
        fc.constantFrom("\u0001", '"', "漢", "\udc80", "x"),
        (budget, unit) => {
          const entries = Array.from({ length: 2000 }, () => ({
            name: unit.repeat(255),
            kind: "file" as const,
            size: 2 ** 52,
          }));
          const fitted = fitFilesList({ path: "/p", entries }, budget);
          expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(budget);
          expect(fitted.truncated === true).toBe(fitted.entries.length < 2000);
        },
      ),
      { numRuns: 50 },
    );
  });
});

/** Names of any bytes but a slash and NUL; what a file system takes. */
const odd = fc
  .uint8Array({ min: 1, minLength: 1, maxLength: 12 })
  .map((bytes) => bytes.map((byte) => (byte === 0x2f ? 0x2e : byte)))
  .filter((bytes) => !/^\.\.?$/.test(Buffer.from(bytes).toString("latin1")));

const telling = fc
  .constantFrom(
    "a\nb",
    "\u001b[2J",
    "\u202egnp.exe",
    "café",
    "cafe\u0301",
    "日本語-변경-🧪.txt",
    " ",
    "-rf",
    "\ufeff",
    "\u0007",
    "nul\u0001",
    "C:\\x",
  )
  .map((text) => new Uint8Array(Buffer.from(text)));

test("any name that is listed can be opened again by that name, and none is missing", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.oneof(odd, telling), {
        maxLength: 12,
        selector: (b) => Buffer.from(b).toString("hex"),
      }),
      async (names) => {
        const root = mkdtempSync(join(shared, "t-"));
        for (const [n, bytes] of names.entries()) {
          writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(bytes)]), `content ${n}`);
        }
        const { entries } = await list(root);
        expect(new Set(entries.map(({ name }) => name))).toEqual(
          new Set(names.map((bytes) => bytesToName(bytes))),
        );
        expect(readdirSync(root)).toHaveLength(entries.length);
        for (const [n, bytes] of names.entries()) {
          const wire = JSON.parse(JSON.stringify(bytesToName(bytes))) as string;
          const answer = await readFile(rootsOf(root), wire, { images, budgetBytes: BUDGET_BYTES });
          expect(answer).toEqual({
            kind: "text",
            path: `${root}/${wire}`,
            text: `content ${n}`,
            size: statSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(bytes)])).size,
            truncated: false,
          });
        }
      },
    ),
    { numRuns: 40 },
  );
});
