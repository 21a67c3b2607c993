/** A past chat whose log has gigabytes, and one of 20,000 items: the page, the memory and the updates stay small. */
import { mkdir, open } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Chats } from "../../src/chat/chats.js";
import { ClaudeDriver } from "../../src/chat/drivers/claude/driver.js";
import { projectName } from "../../src/chat/drivers/claude/history.js";
import { PROFILE, profileSource, testFolder } from "../support/chats.js";

const SESSION = "11111111-1111-4111-8111-111111111111";
const LOG_BYTES = 2 * 1024 ** 3;

/** Two gigabytes, all but their end a hole; the end has more messages than are shown. */
async function writeLog(configDir: string, folder: string): Promise<void> {
  const dir = path.join(configDir, "projects", projectName(folder));
  await mkdir(dir, { recursive: true });
  const handle = await open(path.join(dir, `${SESSION}.jsonl`), "w");
  const record = (n: number, more: object): string =>
    `${JSON.stringify({ parentUuid: null, ...more, uuid: `u${n}`.padEnd(36, "0"), timestamp: new Date(n).toISOString(), cwd: folder })}\n`;
  const first = record(0, { type: "user", message: { content: "where it began" } });
  await handle.write(first);
  let at = LOG_BYTES;
  for (let n = 1; n <= 25_000; n += 500) {
    const lines = Array.from({ length: 500 }, (_, k) =>
      record(n + k, {
        type: "assistant",
        message: {
          id: `m${n + k}`,
          content: [{ type: "text", text: `text ${n + k} ${"word ".repeat(200)}` }],
        },
      }),
    );
    const bytes = Buffer.from(`\n${lines.join("")}`);
    await handle.write(bytes, 0, bytes.length, at);
    at += bytes.length;
  }
  await handle.close();
}

test("the first page of a past chat of 2 GB comes fast, and its memory and updates are bounded", async () => {
  const { dir, cleanup } = await testFolder();
  onTestFinished(cleanup);
  const folder = path.join(dir, "work");
  const configDir = path.join(dir, "claude");
  await mkdir(folder);
  await writeLog(configDir, folder);
  const profile = { ...PROFILE, configDir };
  const driver = new ClaudeDriver({
    installDir: dir,
    trustFile: path.join(dir, "trust.json"),
    env: { HOME: dir },
  });
  const chats = new Chats({
    stateDir: path.join(dir, "state"),
    profiles: profileSource([profile]),
    driver: () => driver,
    images: { shrink: () => Promise.reject(new Error("no image here")) },
    log: { warn: () => undefined },
    now: Date.now,
  });
  onTestFinished(() => chats.dispose());
  await chats.open();
  const before = process.memoryUsage().rss;
  const chat = await chats.resume({ workspaceId: "w", folder, agent: "claude", sessionId: SESSION });
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  expect(chat.model.items.total).toBe(20_001);
  expect(chat.model.items.items[0]).toMatchObject({
    kind: "notice",
    text: expect.stringMatching(/^\d+\.\d MB of this chat's log lie before/),
  });

  const start = performance.now();
  const page = chat.feed.snapshot(100);
  expect(performance.now() - start).toBeLessThan(1_000);
  expect(page.items).toHaveLength(100);
  expect(page.items.at(-1)).toMatchObject({ text: expect.stringMatching(/^text 25000 /) });

  chat.model.items.put({ kind: "notice", key: "new", at: 1, level: "info", text: "one more" });
  const delta = chat.feed.since(page.cursor, page.start);
  expect(delta?.items.map(({ index }) => index)).toEqual([20_001]);
  expect(JSON.stringify(delta).length).toBeLessThan(500);
});
