/** C14: another device's attachments, and a request of another chat, are not there for anyone else. */
import { expect, onTestFinished, test } from "vitest";
import { Attachments } from "../../src/chat/attachments.js";
import { startChats } from "../support/chats.js";
import { waitFor } from "../support/wait-for.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { mediaType: "image/png", data: PNG };

test("C14: an attachment is for the device and the tab that brought it", () => {
  const attachments = new Attachments(() => 0);
  const id = attachments.add({ deviceId: "a", tabId: "t" }, image);
  expect(() => attachments.find({ deviceId: "b", tabId: "t" }, [id])).toThrow(/No such attachment/);
  expect(() => attachments.find({ deviceId: "a", tabId: "u" }, [id])).toThrow(/No such attachment/);
  for (const wrong of ["__proto__", "constructor", "toString", ""]) {
    expect(() => attachments.find({ deviceId: "a", tabId: "t" }, [wrong])).toThrow(/No such attachment/);
  }
  expect(attachments.find({ deviceId: "a", tabId: "t" }, [id])).toHaveLength(1);
});

test("C14: a request is answered in its own chat only, and a tab of another workspace is not there", async () => {
  const { chats, driver, dir, cleanup } = await startChats();
  onTestFinished(cleanup);
  const open = async (workspaceId: string) =>
    (await chats.new({ workspaceId, folder: dir, agent: "claude" })).chat;
  const one = await open("w1");
  const other = await open("w2");
  await one.send({ text: "go" });
  const session = await waitFor("the program", () => driver.session);
  await waitFor("the message", () => session.sent.length > 0);
  session.emit({
    type: "request",
    request: {
      requestId: "r1",
      kind: "permission",
      toolName: "Bash",
      title: "ls",
      input: {},
      suggestions: [],
    },
  });
  for (const requestId of ["r1", "__proto__", "constructor"]) {
    await expect(other.answer({ requestId, decision: "allow" }, "Phone")).rejects.toMatchObject({
      code: 1001,
    });
  }
  expect(one.model.requests.size).toBe(1);
  expect(() => chats.get(one.tabId, "w2")).toThrow(/No such tab/);
});
