/** Attacks of a device that is let in and does not read, does not answer, or asks for what is another's. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let workspaceId: string;
let device: BareClient;
beforeAll(async () => {
  daemon = await startDaemon();
  workspaceId = await workspaceOf(daemon);
  device = await pairDevice(daemon);
});
afterAll(() => daemon.dispose());

const rss = async (): Promise<number> => (await daemon.owner("owner.status", {})).rss;

/** The text as a watcher has it after all updates so far; fails when a number is missing. */
function joined(first: string, client: BareClient, watchId: string): string {
  let text = first;
  let rev = 0;
  for (const { method, params } of client.notifications) {
    if (method !== "terminal.update" || params.watchId !== watchId) continue;
    expect(params.rev).toBe(++rev);
    text = text.slice(0, params.start) + params.text;
  }
  return text;
}

test("C12 a reader that stops: memory stays, others go on, and what it gets later is whole", async () => {
  const [slow, other] = [await linkAgain(device), await linkAgain(device)];
  const tab = await openTerminal(other, workspaceId);
  const { text: first, watchId } = await slow.call("terminal.watch", { ...tab, lines: 5000 });
  const before = await rss();
  slow.socket.pause();
  await other.call("terminal.input", {
    ...tab,
    text: "seq -f 'a line that is long enough %.0f' 400000",
    enter: true,
  });
  // The other link is answered all the while, and the flood comes to its end.
  await waitFor(
    "the flood's last line",
    async () => {
      const { text } = await other.call("terminal.read", { ...tab, lines: 40 });
      return text.includes("a line that is long enough 400000");
    },
    60_000,
  );
  expect((await rss()) - before).toBeLessThan(150 * 1024 * 1024);
  slow.socket.resume();
  await waitFor("the slow reader to have all", async () => {
    const { text } = await other.call("terminal.read", { ...tab, lines: 5000 });
    return joined(first, slow, watchId) === text;
  });
  await other.call("terminal.close", { ...tab, force: true });
  await slow.close();
  await other.close();
});

describe("C14 what belongs to another", () => {
  test("a watch of another link, and of another device, is not there", async () => {
    const [own, same, strange] = [await linkAgain(device), await linkAgain(device), await pairDevice(daemon)];
    const tab = await openTerminal(own, workspaceId);
    const { watchId } = await own.call("terminal.watch", tab);
    for (const client of [same, strange]) {
      expect((await client.ask("terminal.unwatch", { watchId })).error?.code).toBe(1001);
    }
    expect((await own.ask("sessions.unwatch", { watchId })).error?.code).toBe(1001);
    await own.call("terminal.unwatch", { watchId });
    await own.call("terminal.close", { ...tab, force: true });
    for (const client of [own, same, strange]) await client.close();
  });

  test("a tab under another workspace's id is not there", async () => {
    const own = await linkAgain(device);
    const tab = await openTerminal(own, workspaceId);
    const { workspaces } = await own.call("sessions.list");
    const other = workspaces.find(({ id }: { id: string }) => id !== workspaceId);
    const wrong = { ...tab, workspaceId: other.id };
    for (const method of [
      "terminal.read",
      "terminal.watch",
      "terminal.input",
      "terminal.close",
      "terminal.wait",
    ]) {
      expect((await own.ask(method, wrong)).error?.code, method).toBe(1001);
    }
    await own.call("terminal.close", { ...tab, force: true });
    await own.close();
  });
});

test("sixty-four watches of a link are kept and one more is refused", async () => {
  const client = await linkAgain(device);
  for (let i = 0; i < 64; i++) await client.call("sessions.watch");
  expect((await client.ask("sessions.watch")).error?.code).toBe(1003);
  await client.close();
});
