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
