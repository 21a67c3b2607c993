import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { processNow } from "../../src/terminal/host/process-table.js";
import { plainTerminal, SH, terminalFolders } from "../support/terminal-host.js";
import { waitFor } from "../support/wait-for.js";

const TERMINALS = 600;
const AT_ONCE = 20;

test("600 terminals opened and closed leave no descriptor, no process and no thread", {
  timeout: 180_000,
}, async () => {
  const { folder, start, hosts } = await terminalFolders();
  const terminals = await start();
  const round = async (from: number): Promise<void> => {
    const ids = Array.from({ length: AT_ONCE }, (_, i) => `t${from + i}`);
    await Promise.all(ids.map((id) => terminals.open(plainTerminal(id, folder, { shell: SH }))));
    await Promise.all(ids.map((id) => terminals.close(id, { force: true })));
  };
  await round(0);
  const [host = 0] = hosts();
  const count = (what: "fd" | "task"): number => readdirSync(`/proc/${host}/${what}`).length;
  const fds = await settled(() => count("fd"));
  const threads = await settled(() => count("task"));
  for (let from = AT_ONCE; from < TERMINALS; from += AT_ONCE) await round(from);
  await waitFor("the descriptors", () => count("fd") <= fds);
  await waitFor("the threads", () => count("task") <= threads);
  expect(childrenOf(host)).toEqual([]);
  expect(terminals.list()).toEqual([]);
});

/** A count once it stays the same for a while. */
async function settled(count: () => number): Promise<number> {
  let last = count();
  let since = Date.now();
  await waitFor("a steady count", () => {
    const now = count();
    if (now !== last) since = Date.now();
    last = now;
    return Date.now() - since > 500;
  });
  return last;
}

/** Zombies too: nobody else would collect them. */
function childrenOf(pid: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const entry = processNow(Number(name));
      return entry?.ppid === pid ? [entry.name] : [];
    });
}

test("a program's last megabyte is on the screen whole, 40 times of 40, in a host that is busy with a flood", {
  timeout: 180_000,
}, async () => {
  const { folder, start } = await terminalFolders();
  const terminals = await start();
  await terminals.open(plainTerminal("flood", folder, { shell: SH, command: "yes" }));
  const short: string[] = [];
  for (let i = 0; i < 40; i++) {
    const id = `t${i}`;
    // 6,000 rows of 160 bytes: more than flow control lets through at once.
    const command = "seq -f '%0158.0f' 1 6000; exit 3";
    await terminals.open(plainTerminal(id, folder, { command, cols: 200 }));
    await waitFor("its end", () => terminals.get(id)?.phase === "ended", 60_000);
    const rows = (await terminals.read(id, { lines: 4000 }))
      .split("\n")
      .filter((row) => /^\d{158}$/.test(row));
    const numbers = rows.map(Number);
    const last = numbers.at(-1);
    const whole =
      last === 6000 && numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1);
    if (!whole || numbers.length < 3990 || terminals.get(id)?.exit?.code !== 3) short.push(`${id}: ${last}`);
    await terminals.close(id, {});
  }
  expect(short).toEqual([]);
  await terminals.close("flood", { force: true });
});

test("a host that has no descriptor left says so, and opens again when there are some", async () => {
  const { folder, start, hosts } = await terminalFolders();
  const terminals = await start();
  await terminals.open(plainTerminal("first", folder, { shell: SH }));
  const [host = 0] = hosts();
  const open = readdirSync(`/proc/${host}/fd`).length;
  const limit = (soft: number): void => {
    execFileSync("/usr/bin/prlimit", ["--pid", String(host), `--nofile=${soft}:`]);
  };
  limit(open + 4);
  const opened: string[] = [];
  let why = "";
  for (let i = 0; i < 10 && why === ""; i++) {
    await terminals.open(plainTerminal(`t${i}`, folder, { shell: SH })).then(
      () => opened.push(`t${i}`),
      (error: Error) => {
        why = error.message;
      },
    );
  }
  expect(why).toMatch(/EMFILE|Too many files/);
  limit(1024);
  await terminals.open(plainTerminal("after", folder, { shell: SH }));
});
