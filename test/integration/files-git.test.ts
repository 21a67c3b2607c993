/** Files, git, worktrees and project roots over the sealed link, on a real repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RemoteWorkspace } from "../../src/protocol/rpc.js";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { pairDevice, workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let client: BareClient;
let workspaceId: string;
let projects: string;

function git(folder: string, ...args: string[]): void {
  const identity = {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  execFileSync("git", args, { cwd: folder, env: { ...process.env, ...identity }, stdio: "pipe" });
}

beforeAll(async () => {
  projects = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-projects-")));
  mkdirSync(join(projects, "found"));
  git(join(projects, "found"), "init", "-q");
  daemon = await startDaemon({ config: { projectRoots: [projects] } });
  git(daemon.folder, "init", "-q", "-b", "main");
  writeFileSync(join(daemon.folder, "a.txt"), "one\n");
  git(daemon.folder, "add", ".");
  git(daemon.folder, "commit", "-qm", "first");
  writeFileSync(join(daemon.folder, "a.txt"), "two\n");
  client = await pairDevice(daemon);
  workspaceId = await workspaceOf(daemon);
});
afterAll(async () => {
  await daemon.dispose();
  rmSync(projects, { recursive: true, force: true });
});

const workspaces = async (): Promise<RemoteWorkspace[]> => (await client.call("sessions.list")).workspaces;

test("a device reads what the agent changed", async () => {
  expect((await client.call("files.list", { workspaceId, path: "" })).entries).toContainEqual({
    name: "a.txt",
    kind: "file",
    size: 4,
  });
  expect(await client.call("files.read", { workspaceId, path: "a.txt" })).toMatchObject({
    kind: "text",
    text: "two\n",
  });
  expect(await client.call("git.status", { workspaceId })).toMatchObject({
    branch: "main",
    files: [{ path: "a.txt", unstaged: "M" }],
  });
  const { hunks } = await client.call("git.diff", { workspaceId, path: "a.txt" });
  expect(hunks[0].lines).toEqual(["-one", "+two"]);
  const { commits } = await client.call("git.log", { workspaceId });
  expect(commits).toMatchObject([{ subject: "first" }]);
  const committed = await client.call("git.diff", { workspaceId, path: ".", commit: commits[0].hash });
  expect(committed.files).toEqual([{ path: "a.txt", added: 1, removed: 0 }]);
});

test("H1 the daemon's own folders stay closed, though the home folder be a workspace", async () => {
  const home = await daemon.owner("owner.workspace.add", { path: daemon.home });
  for (const path of [
    ".local/state/nexusd/identity.json",
    ".config/nexusd/config.json",
    ".local/state/nexusd",
  ]) {
    for (const spelled of [path, join(daemon.home, path), `project/../${path}`]) {
      const answer = await client.ask("files.read", { workspaceId: home.id, path: spelled });
      expect(answer.error?.code, spelled).toBe(1002);
    }
  }
  await daemon.owner("owner.workspace.remove", { workspace: home.id });
});

test("sessions.list tells how the branch stands, and an update comes when it changed", async () => {
  await waitFor("the branch in the list", async () => {
    const own = (await workspaces()).find(({ id }) => id === workspaceId);
    return own?.git?.branch === "main" && own.git.uncommitted === 1;
  });
  await client.call("sessions.watch");
  writeFileSync(join(daemon.folder, "b.txt"), "new\n");
  await client.notified("sessions.update", (update) =>
    update.workspaces.some((one: RemoteWorkspace) => one.id === workspaceId && one.git?.uncommitted === 2),
  );
});

test("worktrees are child workspaces, and repositories under a project root are offered", async () => {
  git(daemon.folder, "worktree", "add", "-q", "-b", "task", join(daemon.home, "task"));
  await client.close();
  client = await pairDevice(daemon); // the first look is when a device comes
  const child = await waitFor("the worktree", async () =>
    (await workspaces()).find(({ path }) => path === join(daemon.home, "task")),
  );
  expect(child.parentId).toBe(workspaceId);
  const found = (await workspaces()).find(({ path }) => path === join(projects, "found"));
  expect(found?.name).toBe("found");
  const { tabId } = await client.call("terminal.open", { workspaceId: found?.id, command: "pwd" });
  await waitFor("the found repository to be used", async () =>
    (await daemon.owner("owner.workspaces", {})).workspaces.some(
      ({ id, closed }) => id === found?.id && closed !== true,
    ),
  );
  await client.call("terminal.close", { workspaceId: found?.id, tabId, force: true });
});
