/** What a device makes of a watch and its updates, over the sealed link, against what a read gives it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { applyTerminalUpdate } from "../../src/client/apply.js";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { openTerminal, pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

const LINES = 500;

let daemon: TestDaemon;
let client: BareClient;
beforeAll(async () => {
  daemon = await startDaemon();
  client = await pairDevice(daemon);
});
afterAll(async () => {
  await client.close();
  await daemon.dispose();
});

/** A terminal that runs a script of the served folder between two marks, watched from its start. */
async function watched(script: string, size: { cols?: number; rows?: number } = {}) {
  const name = `run-${Math.random().toString(36).slice(2)}.sh`;
  writeFileSync(join(daemon.folder, name), script);
  const tab = await openTerminal(client, await workspaceOf(daemon), { command: `bash ${name}`, ...size });
  onTestFinished(async () => {
    await daemon.call("terminal.close", { ...tab, force: true });
  });
  const watches = await Promise.all(
    [false, true].map(async (ansi) => ({
      ansi,
      ...(await client.call("terminal.watch", { ...tab, lines: LINES, ansi })),
    })),
  );
  const read = async (ansi: boolean): Promise<string> =>
    (await client.call("terminal.read", { ...tab, lines: LINES, ansi })).text;
  const same = () =>
    Promise.all(
      watches.map(({ ansi, text, watchId }) =>
        waitFor(`the ${ansi ? "ANSI" : "plain"} text that a read gives`, async () => {
          const shown = await read(ansi);
          return applied(watchId, text) === shown;
        }),
      ),
    );
  return { tab, read, same };
}

/** The text of a watch after all updates that came; fails on a gap in their numbers. */
function applied(watchId: string, first: string): string {
  let rev = 0;
  return client.notifications.reduce((text, { method, params }) => {
    const update = params as { watchId: string; rev: number; start: number; text: string };
    if (method !== "terminal.update" || update.watchId !== watchId) return text;
    expect(update.rev).toBe(++rev);
    const next = applyTerminalUpdate(text, update);
    if (next === undefined) throw new Error(`update ${rev} begins past the end of the text`);
    return next;
  }, first);
}

test("a numbered stream of a million lines", { timeout: 120_000 }, async () => {
  const { read, same } = await watched("seq 1 1000000; echo all-$((1+1))");
  await waitFor("its end", async () => (await read(false)).includes("all-2"), 90_000);
  await same();
  const numbers = (await read(false)).split("\n").filter((row) => /^\d+$/.test(row));
  expect(numbers.at(-1)).toBe("1000000");
  expect(numbers.length).toBeGreaterThan(LINES / 2);
  expect(numbers.every((row, at) => at === 0 || Number(row) === Number(numbers[at - 1]) + 1)).toBe(true);
});

test("wide characters and emoji across the last column", async () => {
  // 21 columns, the narrowest odd width that a terminal opens with: a wide character meets the edge each row.
  const words = [
    "漢字仮名交じり文の表示試験です",
    "a漢字仮名交じり文の表示試験です",
    "👩‍💻👍🏽🇩🇪e\u0301한국어".repeat(3),
    "x".repeat(43),
  ];
  const script = `${words.map((word) => `printf '%s\\n' '${word}'; sleep 0.05`).join("\n")}
for i in 1 2 3; do printf '\\r漢字仮名交じり%s文字列の端' $i; sleep 0.05; done; echo; echo all-$((1+1))`;
  const { read, same } = await watched(script, { cols: 21, rows: 6 });
  await waitFor("its end", async () => (await read(false)).includes("all-2"));
  await same();
  const text = (await read(false)).replaceAll("\n", "");
  for (const word of ["漢字仮名交じり文の表示試験です", "a漢字仮名交じり文の表示試験です"])
    expect(text).toContain(word);
});

test("a program on the alternate screen, while it is there and after it left", async () => {
  const script = `seq 1 100
printf '\\033[?1049h\\033[2J\\033[H'
for i in $(seq 1 60); do printf '\\033[%d;%dH\\033[3%dmcell-%d\\033[m' $((i % 20 + 1)) $((i % 50 + 1)) $((i % 8)) $i; done
printf '\\033[24;1Hdrawn-%d' $((1+1))
read -r _
printf '\\033[?1049l'
echo all-$((1+1))`;
  const { tab, read, same } = await watched(script, { cols: 80, rows: 24 });
  await waitFor("its screen", async () => (await read(false)).includes("drawn-2"));
  await same();
  expect(await read(false)).not.toMatch(/^99$/m);
  await client.call("terminal.input", { ...tab, enter: true });
  await waitFor("its end", async () => (await read(false)).includes("all-2"));
  await same();
  expect(await read(false)).toMatch(/^99$/m);
  expect(await read(false)).not.toContain("drawn-2");
});
