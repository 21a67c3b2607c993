import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Audit, type AuditEntry, verifyAudit } from "../../../src/policy/audit.js";
import { tempFolder } from "../../support/temp-folder.js";

async function setUp(fileBytes?: number) {
  const folder = await tempFolder();
  const path = join(folder, "audit.jsonl");
  const opened: Audit[] = [];
  onTestFinished(async () => {
    for (const audit of opened) await audit.close();
  });
  const open = async (): Promise<Audit> => {
    const audit = await Audit.open({
      path,
      now: () => 1_800_000_000_000,
      ...(fileBytes === undefined ? {} : { fileBytes }),
    });
    opened.push(audit);
    return audit;
  };
  return { folder, path, open, audit: await open() };
}

const entry = (n: number): AuditEntry => ({
  device: "phone",
  method: "terminal.input",
  outcome: n % 2 === 0 ? "ok" : 1002,
  workspaceId: "w",
  tabId: `t${n}`,
  bytes: n,
});

describe("Audit", () => {
  it("writes lines in the order of the calls, each with the hash of the one before", async () => {
    const { path, audit } = await setUp();
    await Promise.all([1, 2, 3].map((n) => audit.append(entry(n))));
    expect(await audit.tail(10)).toMatchObject([
      { seq: 1, tabId: "t1", outcome: 1002, bytes: 1 },
      { seq: 2, tabId: "t2", outcome: "ok" },
      { seq: 3, tabId: "t3" },
    ]);
    expect((await audit.tail(1)).map(({ seq }) => seq)).toEqual([3]);
    expect(await audit.verify()).toEqual({ ok: true, lines: 3 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is empty and whole at first", async () => {
    const { audit } = await setUp();
    expect(await audit.tail(5)).toEqual([]);
    expect(await audit.verify()).toEqual({ ok: true, lines: 0 });
  });

  it("takes no field that it does not know and no line above 4 KiB", async () => {
    const { path, audit } = await setUp();
    const more = { ...entry(1), text: "SECRET", params: { text: "SECRET" } };
    await audit.append(more);
    await audit.append({ ...entry(2), target: "x".repeat(100_000) });
    await audit.append({ ...entry(3), capabilities: Array<string>(500).fill("files") });
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(lines.join()).not.toContain("SECRET");
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
    expect(await audit.verify()).toMatchObject({ ok: true, lines: 3 });
  });

  it("goes on with the chain after a start, and drops half a line that a crash left", async () => {
    const { path, open, audit } = await setUp();
    await audit.append(entry(1));
    await audit.close();
    await writeFile(path, `${await readFile(path, "utf8")}{"seq":2,"at":18000`);
    const next = await open();
    await next.append(entry(2));
    expect(await next.verify()).toEqual({ ok: true, lines: 2 });
  });

  it("keeps five files of bounded size, and the chain runs through them", async () => {
    const { folder, path, open, audit } = await setUp(2000);
    for (let n = 0; n < 200; n++) await audit.append(entry(n));
    const files = (await readdir(folder)).sort();
    expect(files).toEqual([0, 1, 2, 3, 4].map((n) => `audit.jsonl${n === 0 ? "" : `.${n}`}`));
    for (const file of files) expect((await stat(join(folder, file))).size).toBeLessThanOrEqual(2000);
    expect(await audit.verify()).toMatchObject({ ok: true });
    expect((await audit.tail(12)).map(({ seq }) => seq)).toEqual([...Array(12).keys()].map((n) => n + 189));
    await audit.close();
    const next = await open();
    await next.append(entry(200));
    expect(await next.verify()).toMatchObject({ ok: true });
    await writeFile(`${path}.2`, (await readFile(`${path}.2`, "utf8")).replace('"ok"', '"no"'));
    expect(await next.verify()).toMatchObject({ ok: false });
  });

  it("starts in an empty file right after the log was turned over", async () => {
    const { path, open, audit } = await setUp(2000);
    for (let n = 0; n < 30; n++) await audit.append(entry(n));
    await audit.close();
    const last = JSON.parse((await readFile(path, "utf8")).trimEnd().split("\n").at(-1) ?? "{}");
    const { rename } = await import("node:fs/promises");
    await rename(path, `${path}.1`);
    const next = await open();
    await next.append(entry(30));
    expect((await next.tail(1))[0]).toMatchObject({ seq: last.seq + 1 });
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ["a changed line", (lines) => lines.map((line, n) => (n === 4 ? line.replace('"t4"', '"t9"') : line))],
    ["a line taken out", (lines) => lines.filter((_, n) => n !== 4)],
    ["two lines swapped", ([a, b, ...rest]) => [b ?? "", a ?? "", ...rest]],
    ["a line put in", (lines) => [...lines.slice(0, 5), lines[4] ?? "", ...lines.slice(5)]],
    ["a line that is no JSON", (lines) => lines.map((line, n) => (n === 4 ? line.slice(2) : line))],
    ["lines cut off at the end", (lines) => lines.slice(0, -2)],
    ["nothing left", () => []],
  ])("finds %s", async (_what, change) => {
    const { path, audit } = await setUp();
    for (let n = 0; n < 10; n++) await audit.append(entry(n));
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    await writeFile(
      path,
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(await audit.verify()).toMatchObject({ ok: false, file: path });
  });

  it("can be verified without a daemon", async () => {
    const { path, audit } = await setUp();
    for (let n = 0; n < 5; n++) await audit.append(entry(n));
    await audit.close();
    await audit.close();
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 5 });
    await expect(audit.append(entry(6))).rejects.toThrow("closed");
  });

  it("says which file is damaged when its last line is none", async () => {
    const { path, open, audit } = await setUp();
    await audit.close();
    await writeFile(path, "not ours\n");
    await expect(open()).rejects.toThrow(/audit\.jsonl is damaged/);
  });
});
