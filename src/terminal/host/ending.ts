/**
 * Ends a terminal's programs: a hang-up to the groups, then SIGKILL to what of
 * the session is left. Each signal goes to a process that is still the one it
 * was meant for.
 */
import { KILL_GRACE_MS, KILL_WAIT_MS } from "./limits.js";
import { type ProcessEntry, processNow, sessionMembers, signalProcess } from "./process-table.js";
import type { Pty } from "./pty.js";

const POLL_MS = 20;

/** Resolves when the root program is gone, its session's other programs too, or when even SIGKILL did not help in time. */
export async function endProgram(pty: Pty, isGone: () => boolean): Promise<void> {
  const members = await sessionMembers(pty.pid);
  for (const entry of members) signalProcess(entry, "SIGHUP");
  // A stopped program takes the hang-up only when it goes on.
  for (const entry of members) signalProcess(entry, "SIGCONT");
  if (members.length === 0) signalProcess(pty.leader, "SIGHUP");
  if (await within(KILL_GRACE_MS, () => isGone() && !members.some(isAlive))) return;
  const left = [...members, ...(await sessionMembers(pty.pid))];
  for (const entry of left) signalProcess(entry, "SIGKILL");
  if (!isGone()) signalProcess(pty.leader, "SIGKILL");
  await within(KILL_WAIT_MS, () => isGone() && !left.some(isAlive));
}

function isAlive(entry: ProcessEntry): boolean {
  const now = processNow(entry.pid);
  return now !== undefined && now.start === entry.start && !now.zombie;
}

async function within(ms: number, condition: () => boolean): Promise<boolean> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
