/** Windows of several sizes on one terminal of a real daemon, over the owner's socket. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolvePaths } from "../../src/server/paths.js";
import { OwnerSocket, startDaemon, type TestDaemon } from "../support/daemon.js";
import { workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

const DEADLINE_MS = 40_000;
/** Fewer than a link may have under way. */
const AT_ONCE = 32;
const INVALID_PARAMS = -32602;

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.dispose());

interface TabRef {
  workspaceId: string;
  tabId: string;
}

interface Window {
  readonly socket: OwnerSocket;
  readonly attachId: string;
  bytes(): string;
}

/** A terminal of 180×50 at its prompt. */
async function opened(): Promise<TabRef> {
  const workspaceId = await workspaceOf(daemon);
  const { tabId } = await daemon.call("terminal.open", { workspaceId, cols: 180, rows: 50 });
  await daemon.call("terminal.wait", { workspaceId, tabId });
  return { workspaceId, tabId };
}

async function attach(tab: TabRef, cols: number, rows: number): Promise<Window> {
  const socket = await OwnerSocket.open(resolvePaths(daemon.env).ownerSocket);
  const { attachId } = (await socket.call("owner.attach", { ...tab, cols, rows })) as { attachId: string };
  const bytes = (): string =>
    socket.notifications
      .filter(({ method }) => method === "owner.attach.data")
      .map(({ params }) => Buffer.from((params as { data: string }).data, "base64").toString("latin1"))
      .join("");
  return { socket, attachId, bytes };
}

/** What the program in the terminal is told, as `rows cols`. */
async function sizeIs(tab: TabRef, size: string): Promise<void> {
  await waitFor(
    `the size ${size}`,
    async () => {
      await daemon.call("terminal.input", { ...tab, text: "clear; stty size", enter: true });
      await daemon.call("terminal.wait", { ...tab, match: "^\\d+ \\d+$", timeoutMs: 5000 });
      const { text } = await daemon.call("terminal.read", tab);
      return text.split("\n").includes(size);
    },
    DEADLINE_MS,
  );
}

describe("windows on one terminal", { timeout: 120_000 }, () => {
  test("a small one that crashes gives the size back, and the program draws itself anew for the other", async () => {
    const tab = await opened();
    await sizeIs(tab, "50 180");
    const desk = await attach(tab, 180, 50);
    // a program in a process group of its own, as the terminal's signal goes to the one in front
    const loop = "echo ready-$((1+1)); while :; do sleep 0.1; done";
    const draw = `bash -c 'trap "stty size | tr \\" \\" x" WINCH; ${loop}'`;
    const phone = await attach(tab, 46, 20);
    await sizeIs(tab, "20 46");
    await daemon.call("terminal.input", { ...tab, text: draw, enter: true });
    await waitFor("the program", () => desk.bytes().includes("ready-2"), DEADLINE_MS);
    phone.socket.close();
    await waitFor("the drawing", () => desk.bytes().includes("50x180"), DEADLINE_MS);
    await daemon.call("terminal.input", { ...tab, keys: ["ctrl-c"] });
    desk.socket.close();
    await daemon.call("terminal.close", { ...tab, force: true });
  });

  test("a device that reads or watches changes no size", async () => {
    const tab = await opened();
    await daemon.call("terminal.read", { ...tab, lines: 20 });
    const { watchId } = await daemon.call("terminal.watch", { ...tab, lines: 20 });
    await sizeIs(tab, "50 180");
    await daemon.call("terminal.unwatch", { watchId });
    await daemon.call("terminal.close", { ...tab, force: true });
  });

  test("a storm of sizes settles on the last, and sizes of no window are refused and change nothing", async () => {
    const tab = await opened();
    const { socket, attachId } = await attach(tab, 80, 24);
    const last = { cols: 77, rows: 22 };
    const storm = Array.from({ length: 100 }, (_, i) => ({ cols: 60 + (i % 40), rows: 20 + (i % 7) }));
    const sizes = [...storm, last];
    while (sizes.length > 0) {
      const together = sizes.splice(0, AT_ONCE);
      await Promise.all(together.map((size) => socket.call("owner.attach.resize", { attachId, ...size })));
    }
    await sizeIs(tab, "22 77");
    for (const [cols, rows] of [
      [0, 0],
      [1, 1],
      [65_535, 65_535],
      [80.5, 24],
    ] as const) {
      const refused = expect.objectContaining({ code: INVALID_PARAMS });
      await expect(socket.call("owner.attach", { ...tab, cols, rows })).rejects.toEqual(refused);
      await expect(socket.call("owner.attach.resize", { attachId, cols, rows })).rejects.toEqual(refused);
    }
    await sizeIs(tab, "22 77");
    socket.close();
    await sizeIs(tab, "50 180");
    await daemon.call("terminal.close", { ...tab, force: true });
  });
});
