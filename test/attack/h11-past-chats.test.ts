/** H11: chat.resume and history.list of another folder's chats, by whatever name. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { History, projectName } from "../../src/chat/drivers/claude/history.js";
import { testFolder } from "../support/chats.js";

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

async function log(configDir: string, cwd: string, n: number, text: string): Promise<string> {
  const dir = path.join(configDir, "projects", projectName(cwd));
  await mkdir(dir, { recursive: true });
  const line = {
    parentUuid: null,
    type: "user",
    uuid: id(n),
    cwd,
    timestamp: new Date(0).toISOString(),
    message: { role: "user", content: text },
  };
  const file = path.join(dir, `${id(n)}.jsonl`);
  await writeFile(file, `${JSON.stringify(line)}\n`);
  return file;
}

test("H11: only chats that ran in the folder or below it are listed and found", async () => {
  const { dir, cleanup } = await testFolder();
  onTestFinished(cleanup);
  const history = new History();
  const folder = "/work/app";
  await log(dir, folder, 1, "mine");
  await log(dir, `${folder}/sub`, 2, "below");
  await log(dir, "/work/app-secret", 3, "a name that begins alike");
  await log(dir, "/work-app", 4, "the same name under projects");
  await log(dir, "/elsewhere", 5, "another folder's");
  const listed = await history.list(dir, folder, { limit: 50 });
  expect(listed.map(({ title }) => title).sort()).toEqual(["below", "mine"]);
  for (const wrong of [
    id(3),
    id(4),
    id(5),
    id(9),
    "../../../etc/passwd",
    `../-elsewhere/${id(5)}`,
    "",
    "*",
  ]) {
    expect(await history.find(dir, folder, wrong)).toBeUndefined();
  }
  expect(await history.find(dir, folder, id(2))).toMatchObject({ cwd: `${folder}/sub` });
});

test("H11: a log that is a link or lies about its folder opens nothing outside", async () => {
  const { dir, cleanup } = await testFolder();
  onTestFinished(cleanup);
  const foreign = await log(dir, "/elsewhere", 5, "another folder's");
  const own = path.join(dir, "projects", projectName("/work/app"));
  await mkdir(own, { recursive: true });
  await symlink(foreign, path.join(own, `${id(5)}.jsonl`));
  const history = new History();
  expect(await history.list(dir, "/work/app", { limit: 50 })).toEqual([]);
  expect(await history.find(dir, "/work/app", id(5))).toBeUndefined();
});
