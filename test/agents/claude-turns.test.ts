/** Turns of Claude Code's real program, against the fake Messages API. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asked,
  type ClaudeWorld,
  calls,
  items,
  lastTurn,
  settled,
  startClaude,
  texts,
  turn,
} from "../support/claude.js";
import { waitFor } from "../support/wait-for.js";

let world: ClaudeWorld;
beforeAll(async () => {
  world = await startClaude();
});
afterAll(() => world.cleanup());

const ONE_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("a turn", () => {
  test("shows thinking and text, and ends with its usage", async () => {
    const chat = await world.open();
    await turn(chat, "[[think]] hi");
    expect(items(chat).map((item) => item.kind)).toEqual(["user", "thinking", "text", "turn"]);
    expect(items(chat)[0]).toMatchObject({ state: "sent" });
    expect(texts(chat)).toEqual(["Thought about it."]);
    expect(lastTurn(chat)).toMatchObject({ result: "done", usage: { outputTokens: 20 } });
    expect(chat.wait()).toEqual({ done: true, state: "idle", message: "Thought about it." });
  });

  test("streams its text", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[brisk:200]] go" });
    const partial = await waitFor("a partial text", () => {
      const item = items(chat).find((one) => one.kind === "text");
      return item?.kind === "text" && item.streaming === true ? item : undefined;
    });
    expect(partial.text).toMatch(/^word0 /);
    await settled(chat);
    expect(texts(chat).join("")).toMatch(/word199$/);
    expect(JSON.stringify(items(chat))).not.toContain("streaming");
  });

  test("keeps the todo list in the panel", async () => {
    const chat = await world.open();
    await turn(chat, "[[tasks]] go");
    expect(chat.model.items.panel.todos).toEqual([
      { text: "Write code", state: "done" },
      { text: "Test code", state: "pending" },
    ]);
  });

  test("takes images, and shows those of tools", async () => {
    const chat = await world.open();
    const data = Buffer.from(ONE_PIXEL, "base64");
    await chat.send({ text: "[[text:seen]] look", images: [{ mediaType: "image/png", data }] });
    await settled(chat);
    expect(JSON.stringify(world.api.requests.at(-1)?.body.messages)).toContain(ONE_PIXEL);
    const [user] = items(chat);
    expect(user).toMatchObject({ images: [{ mediaType: "image/png", width: 1, height: 1 }] });
    expect((await chat.image({ kind: "user", itemKey: user?.key ?? "", index: 0 })).data).toBe(ONE_PIXEL);
    const file = path.join(world.folder, "one.png");
    await writeFile(file, data);
    await turn(chat, `[[readimage:${file}]] look`);
    const call = calls(chat).find(({ name }) => name === "Read");
    expect(call?.result?.images).toMatchObject([{ mediaType: "image/png" }]);
    const image = await chat.image({ kind: "tool", toolUseId: call?.toolUseId ?? "", index: 0 });
    expect(Buffer.from(image.data, "base64").subarray(1, 4).toString()).toBe("PNG");
  });

  test("of a failing command has its exit code", async () => {
    const chat = await world.open();
    await turn(chat, "[[bash:false]] go");
    expect(calls(chat)[0]).toMatchObject({ state: "error", exitCode: 1, title: "false" });
  });

  test("shows what an edit changed, and counts it in the panel", async () => {
    const chat = await world.open({ settings: { permissionMode: "acceptEdits" } });
    const file = path.join(world.folder, "edited.txt");
    await turn(chat, `[[write:${file}]] go`);
    await turn(chat, `[[edit:${file}]] go`);
    expect(await readFile(file, "utf8")).toBe("line one\nline 2\n");
    const edit = calls(chat).find(({ name }) => name === "Edit");
    expect(edit?.patch?.[0]?.hunks[0]?.lines).toEqual([" line one", "-line two", "+line 2"]);
    expect(chat.model.items.panel.files).toEqual([{ path: "edited.txt", added: 3, removed: 1 }]);
  });
});

describe("a request", () => {
  test("allowed runs the tool", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch allowed-file]] go" });
    const request = await asked(chat);
    expect(request).toMatchObject({ kind: "permission", toolName: "Bash", title: "touch allowed-file" });
    expect(request.suggestions.length).toBeGreaterThan(0);
    expect(chat.model.state).toBe("asking");
    await chat.answer({ requestId: request.requestId, decision: "allow" }, "Phone");
    await settled(chat);
    expect(existsSync(path.join(world.folder, "allowed-file"))).toBe(true);
    expect(chat.model.status().requests).toEqual([]);
    expect(calls(chat)[0]).toMatchObject({ state: "done", exitCode: 0 });
  });

  test("runs with the input that the answer changed", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch first-name]] go" });
    const { requestId, input } = await asked(chat);
    const updatedInput = { ...input, command: "touch changed-name" };
    await chat.answer({ requestId, decision: "allow", updatedInput }, "Phone");
    await settled(chat);
    expect(existsSync(path.join(world.folder, "changed-name"))).toBe(true);
    expect(existsSync(path.join(world.folder, "first-name"))).toBe(false);
  });

  test("denied tells the agent why, and the turn goes on", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch denied-file]] go" });
    const { requestId } = await asked(chat);
    await chat.answer({ requestId, decision: "deny", message: "not today" }, "Phone");
    await settled(chat);
    expect(calls(chat)[0]).toMatchObject({ state: "denied", result: { text: "not today" } });
    expect(texts(chat).at(-1)).toBe("bash done");
    expect(lastTurn(chat)).toMatchObject({ result: "done" });
  });

  test("denied with stop ends the turn", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch stopped-file]] go" });
    const { requestId } = await asked(chat);
    await chat.answer({ requestId, decision: "deny", stop: true }, "Phone");
    await settled(chat);
    expect(lastTurn(chat)).toMatchObject({ result: "interrupted" });
    expect(texts(chat).at(-1)).toBe("Running it.");
  });

  test("allowed for good is not asked again", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch always-file]] go" });
    const { requestId, suggestions } = await asked(chat);
    const rule = suggestions.findIndex(({ label }) => label.startsWith("Allow Bash("));
    await chat.answer({ requestId, decision: "allow", always: [rule] }, "Phone");
    await settled(chat);
    await turn(chat, "[[bash:touch always-file]] again");
    expect(chat.model.state).toBe("idle");
    expect(chat.model.settings.permissionMode).toBe("default");
    await writeFile(path.join(world.folder, ".claude", "settings.local.json"), "{}");
  });

  test("that is a question takes its answers by id, one or several", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[ask]] go" });
    const { requestId, kind, questions } = await asked(chat);
    expect(kind).toBe("question");
    expect(questions).toMatchObject([
      { id: "q1", multi: false },
      { id: "q2", multi: true, text: "Which sizes?" },
    ]);
    await expect(chat.answer({ requestId, decision: "allow" }, "Phone")).rejects.toMatchObject({
      code: -32602,
    });
    const updatedInput = { answers: { q1: "Blue", q2: ["S", "M"] } };
    await chat.answer({ requestId, decision: "allow", updatedInput }, "Phone");
    await settled(chat);
    expect(calls(chat)[0]?.result?.text).toMatch(/Blue[\s\S]*S, M/);
  });

  test("that is a plan shows it, and leaves the mode plan when it is allowed", async () => {
    const chat = await world.open({ settings: { permissionMode: "plan" } });
    await chat.send({ text: "[[plan]] go" });
    const { requestId, kind, detail } = await asked(chat);
    expect(kind).toBe("plan");
    expect(detail).toContain("do it");
    await chat.answer({ requestId, decision: "allow" }, "Phone");
    await settled(chat);
    expect(chat.model.settings.permissionMode).not.toBe("plan");
  });

  test("of two subagents at once shows both, with who asks", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[agents]] go" });
    const both = await waitFor(
      "two requests",
      () => {
        const { requests } = chat.model.status();
        return requests.length === 2 ? requests : undefined;
      },
      60_000,
    );
    expect(both.map(({ agent }) => agent).sort()).toEqual(["One", "Two"]);
    for (const { requestId } of both) await chat.answer({ requestId, decision: "allow" }, "Phone");
    await settled(chat);
    expect(existsSync(path.join(world.folder, "one-file"))).toBe(true);
    expect(existsSync(path.join(world.folder, "two-file"))).toBe(true);
    const agents = [...chat.model.items.agentItems.values()];
    expect(agents.map((list) => list.map((item) => item.kind))).toEqual([
      ["tool", "text"],
      ["tool", "text"],
    ]);
  });
});

describe("an interrupt", () => {
  test("while text streams keeps the text so far", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[slow]] go" });
    await waitFor("some text", () => (texts(chat)[0]?.length ?? 0) > 20);
    await chat.interrupt();
    expect(await settled(chat)).toBe("idle");
    expect(texts(chat)).toHaveLength(1);
    expect(texts(chat)[0]).toMatch(/^word0 word1/);
    expect(lastTurn(chat)).toMatchObject({ result: "interrupted" });
  });

  test("while a tool runs ends it", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:python3 -c 'import time; time.sleep(30)']] go" });
    await waitFor("the tool", () => calls(chat).length > 0, 60_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [request] = chat.model.status().requests;
    if (request !== undefined)
      await chat.answer({ requestId: request.requestId, decision: "allow" }, "Phone");
    await waitFor("the tool to run", () => calls(chat)[0]?.state === "running");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await chat.interrupt();
    await settled(chat);
    expect(lastTurn(chat)).toMatchObject({ result: "interrupted" });
    expect(["interrupted", "error", "denied"]).toContain(calls(chat)[0]?.state);
  });

  test("while it asks takes the card away", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[bash:touch never-file]] go" });
    const { requestId } = await asked(chat);
    await chat.interrupt();
    await settled(chat);
    expect(chat.model.status().requests).toEqual([]);
    await expect(chat.answer({ requestId, decision: "allow" }, "Phone")).rejects.toThrow(/no longer pending/);
    expect(existsSync(path.join(world.folder, "never-file"))).toBe(false);
  });
});

describe("a message during a turn", () => {
  test("shows as queued and is read at the next step", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[steps]] go" });
    await waitFor("the first step", () => calls(chat).length > 0, 60_000);
    await chat.send({ text: "one more thing" });
    expect(items(chat).at(-1)).toMatchObject({ kind: "user", state: "queued" });
    expect(chat.model.status().queued).toBe(1);
    await waitFor("the agent to read it", () => chat.model.status().queued === 0, 60_000);
    expect(chat.model.state).toBe("working");
    await settled(chat);
    expect(items(chat).filter((item) => item.kind === "turn")).toHaveLength(1);
    expect(JSON.stringify(world.api.requests.at(-1)?.body.messages)).toContain("one more thing");
  });

  test("that is to be read now ends the reply", async () => {
    const chat = await world.open();
    await chat.send({ text: "[[slow]] go" });
    await waitFor("some text", () => texts(chat).length > 0);
    await chat.send({ text: "[[text:right away]] now", priority: "now" });
    await waitFor("the answer", () => texts(chat).includes("right away"), 60_000);
    await settled(chat);
    const turns = items(chat).flatMap((item) => (item.kind === "turn" ? [item.result] : []));
    expect(turns).toEqual(["interrupted", "done"]);
  });
});
