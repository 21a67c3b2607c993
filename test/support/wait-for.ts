/** Polls a condition: the tests' only way to wait for something that has no event. */

const DEFAULT_DEADLINE_MS = 20_000;
const POLL_MS = 20;

/** Resolves with the first truthy value of `probe`; fails with `what` when none came in time. */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadlineMs = DEFAULT_DEADLINE_MS,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
