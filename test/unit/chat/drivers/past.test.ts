import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PastEvent } from "../../../../src/chat/driver.js";
import { linesOf } from "../../../../src/chat/drivers/claude/lines.js";
import { readPast } from "../../../../src/chat/drivers/claude/past.js";
import { testFolder } from "../../../support/chats.js";

const at = new Date(1_000).toISOString();
const uuid = (name: string): string => `${name}-`.padEnd(36, "0");

const user = (name: string, parent: string | null, text: string) => ({
  parentUuid: parent === null ? null : uuid(parent),
  type: "user",
  uuid: uuid(name),
  timestamp: at,
  message: { role: "user", content: text },
});
const said = (name: string, parent: string, text: string) => ({
  parentUuid: uuid(parent),
  type: "assistant",
  message: { id: `msg-${name}`, role: "assistant", content: [{ type: "text", text }] },
  uuid: uuid(name),
  timestamp: at,
});

async function read(lines: readonly (object | string)[], from?: number) {
  const { dir, cleanup } = await testFolder();
  onTestFinished(cleanup);
  const file = path.join(dir, "log.jsonl");
  await writeFile(
    file,
    lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join(""),
  );
  const past = await readPast(file, "/w", from);
  const events: PastEvent[] = [];
  for await (const event of past.events) events.push(event);
  return { ...past, events, file };
}

const shown = (events: readonly PastEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "text") return [`${event.kind}: ${event.text}`];
    if (event.type !== "item") return [];
    return ["text" in event.item ? `${event.item.kind}: ${event.item.text}` : event.item.kind];
  });

describe("a past chat", () => {
  test("shows prompts and answers, and passes over a half-written last line", async () => {
    const { events } = await read([
      user("a", null, "hi"),
      said("b", "a", "hello"),
      '{"parentUuid":"x","type":"assi',
    ]);
    expect(shown(events)).toEqual(["user: hi", "text: hello"]);
  });

  test("shows a record of an unknown kind as it is, and survives what is no record", async () => {
    const { events } = await read([
      { type: "future-kind", what: "it says" },
      "not json\n",
      "[]\n",
      "7\n",
      "\n",
      { type: "user", message: { role: "alien", content: [{ type: "hologram" }] } },
      said("b", "a", "hello"),
    ]);
    expect(shown(events)).toEqual([
      `unknown: ${JSON.stringify({ type: "future-kind", what: "it says" })}`,
      "text: hello",
    ]);
  });

  test("leaves out what a rewound conversation left behind", async () => {
    const { events } = await read([
      user("a", null, "one"),
      said("b", "a", "first answer"),
      user("c", "b", "wrong turn"),
      said("d", "c", "wrong answer"),
      user("e", "b", "right turn"),
      said("f", "e", "right answer"),
    ]);
    expect(shown(events)).toEqual([
      "user: one",
      "text: first answer",
      "user: right turn",
      "text: right answer",
    ]);
  });

  test("shows what was sent during a turn, compactions, and commands without their markup", async () => {
    const { events } = await read([
      user("a", null, "<command-name>/greet</command-name>\n<command-args>Bob</command-args>"),
      user("b", "a", "<local-command-stdout>Hello Bob</local-command-stdout>"),
      {
        type: "attachment",
        uuid: uuid("c"),
        timestamp: at,
        attachment: { type: "queued_command", prompt: "and more", source_uuid: uuid("m") },
      },
      { type: "system", subtype: "compact_boundary", uuid: uuid("d"), timestamp: at },
      { ...user("e", "d", "What was before"), isCompactSummary: true },
      user("f", "e", "[Request interrupted by user]"),
      { ...user("g", "f", "hidden"), isMeta: true },
    ]);
    expect(shown(events)).toEqual([
      "user: /greet Bob",
      "notice: Hello Bob",
      "user: and more",
      "compacted",
      "compacted",
      "notice: Interrupted",
    ]);
  });

  test("goes on from where an earlier reading ended", async () => {
    const first = [user("a", null, "one"), said("b", "a", "two")];
    const length = first.reduce((sum, line) => sum + Buffer.byteLength(`${JSON.stringify(line)}\n`), 0);
    const { events } = await read([...first, user("c", "b", "three")], length);
    expect(shown(events)).toEqual(["user: three"]);
  });

  test("has the title that a person gave last", async () => {
    const { title } = await read([
      { type: "ai-title", aiTitle: "made" },
      { type: "custom-title", customTitle: "given" },
    ]);
    expect(title).toBe("given");
  });

  test("has what subagents did, from their own logs", async () => {
    const { dir, cleanup } = await testFolder();
    onTestFinished(cleanup);
    const file = path.join(dir, "log.jsonl");
    await mkdir(path.join(dir, "log", "subagents"), { recursive: true });
    await writeFile(
      path.join(dir, "log", "subagents", "agent-x1.jsonl"),
      `${JSON.stringify({ ...said("s", "r", "from below"), isSidechain: true })}\n`,
    );
    const call = {
      ...said("b", "a", ""),
      message: { id: "m", content: [{ type: "tool_use", id: "t1", name: "Agent", input: {} }] },
    };
    const result = {
      parentUuid: uuid("b"),
      type: "user",
      uuid: uuid("c"),
      message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
      toolUseResult: { agentId: "x1" },
    };
    await writeFile(file, [call, result].map((line) => `${JSON.stringify(line)}\n`).join(""));
    const past = await readPast(file, "/w");
    const events: PastEvent[] = [];
    for await (const event of past.events) events.push(event);
    expect(events.find((event) => event.type === "agent-item")).toMatchObject({
      parent: "t1",
      item: { text: "from below" },
    });
  });

  test("of many items becomes its last 20,000, and says how much lies before", async () => {
    const lines = Array.from({ length: 21_000 }, (_, n) => said(String(n), String(n - 1), `text ${n}`));
    const { events, skippedBytes } = await read(lines);
    expect(events).toHaveLength(20_000);
    expect(shown(events.slice(-1))).toEqual(["text: text 20999"]);
    expect(skippedBytes).toBeGreaterThan(100_000);
  });
});

test("lines are whole whatever piece of the file they lie in", async () => {
  const { dir, cleanup } = await testFolder();
  onTestFinished(cleanup);
  const file = path.join(dir, "lines");
  const lines = Array.from({ length: 300 }, (_, n) => `${n} ${"é".repeat((n * 37) % 5000)}`);
  const text = `${lines.join("\n")}\n`;
  await writeFile(file, text);
  const size = Buffer.byteLength(text);
  const all: string[] = [];
  for await (const { bytes, offset } of linesOf(file, 0, size)) {
    expect(text.startsWith(bytes.toString(), Buffer.from(text).subarray(0, offset).toString().length)).toBe(
      true,
    );
    all.push(bytes.toString());
  }
  expect(all).toEqual(lines);
  const late: string[] = [];
  for await (const { bytes } of linesOf(file, Buffer.byteLength(`${lines[0]}\n`), size))
    late.push(bytes.toString());
  expect(late).toEqual(lines.slice(1));
});
