import { mkdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import {
  EMPTY_WORKSPACES,
  type WorkspaceChange,
  Workspaces,
  WorkspacesFileSchema,
} from "../../../src/sessions/workspaces.js";
import { MemoryKept } from "../../support/kept.js";
import { tempFolder } from "../../support/temp-folder.js";

async function setUp() {
  const base = await tempFolder();
  const state = join(base, "state/nexusd");
  await mkdir(state, { recursive: true });
  const kept = new MemoryKept(EMPTY_WORKSPACES);
  const managerPath = join(base, "data/nexusd/manager");
  const open = () => Workspaces.open({ kept, managerPath, forbidden: [state] });
  const workspaces = await open();
  const changes: WorkspaceChange[] = [];
  workspaces.onChange((change) => changes.push(change));
  const folder = async (name: string): Promise<string> => {
    await mkdir(join(base, name), { recursive: true });
    return join(base, name);
  };
  return { base, state, kept, managerPath, open, workspaces, changes, folder };
}

const code = (name: keyof typeof RpcErrorCode) => ({ code: RpcErrorCode[name] });

describe("Workspaces", () => {
  it("has the manager workspace from the start, closed to others, with the same id at each start", async () => {
    const { managerPath, open, workspaces } = await setUp();
    expect(workspaces.list()).toEqual([workspaces.manager]);
    expect(workspaces.manager).toMatchObject({ name: "manager", path: managerPath, manager: true });
    expect((await stat(managerPath)).mode & 0o777).toBe(0o700);
    expect((await open()).manager).toEqual(workspaces.manager);
  });

  it("adds a folder under an id that stays, and the same folder once", async () => {
    const { kept, open, workspaces, changes, folder } = await setUp();
    const path = await folder("app");
    const added = await workspaces.add(path);
    expect(added).toMatchObject({ name: "app", path });
    expect(await workspaces.add(join(path, "..", "app", "."))).toEqual(added);
    expect(changes).toEqual([{ type: "added", workspace: added }]);
    expect((await open()).get(added.id)).toEqual(added);
    expect(WorkspacesFileSchema.parse(kept.saved).workspaces).toHaveLength(2);
  });

  it("knows a folder by its real path, so links to one are one", async () => {
    const { base, workspaces, folder } = await setUp();
    const path = await folder("app");
    await symlink(path, join(base, "link"));
    const both = await Promise.all([workspaces.add(join(base, "link")), workspaces.add(path)]);
    expect(both[0]).toEqual(both[1]);
    expect(both[0]?.path).toBe(path);
  });

  it("takes folders inside and above others, and tells equal names apart", async () => {
    const { base, workspaces, folder } = await setUp();
    const names = [];
    for (const name of ["a/app", "b/app", "a/app/app", "a"]) {
      names.push((await workspaces.add(await folder(name))).name);
    }
    expect(names).toEqual(["app", "app-2", "app-3", "a"]);
    expect((await workspaces.add(base)).path).toBe(base);
    expect((await workspaces.add("/")).name).toBe("root");
  });

  it("refuses what is no folder, and the daemon's own folders by any way to them", async () => {
    const { base, state, workspaces, folder } = await setUp();
    await writeFile(join(base, "file"), "");
    await symlink(state, join(base, "innocent"));
    await symlink(join(base, "loop"), join(base, "loop"));
    for (const path of ["relative", "", join(base, "none"), join(base, "file"), join(base, "file/x")]) {
      await expect(workspaces.add(path)).rejects.toMatchObject(code("InvalidParams"));
    }
    await expect(workspaces.add(join(base, "loop"))).rejects.toMatchObject(code("InvalidParams"));
    await expect(workspaces.add(`${base}\0`)).rejects.toMatchObject(code("InvalidParams"));
    const inside = await folder("state/nexusd/chats");
    for (const path of [state, inside, join(base, "innocent"), join(base, "innocent/chats")]) {
      await expect(workspaces.add(path)).rejects.toMatchObject(code("Forbidden"));
    }
    await mkdir(`${state}-mine`);
    expect((await workspaces.add(`${state}-mine`)).path).toBe(`${state}-mine`);
  });

  it("finds by id, path or name", async () => {
    const { workspaces, folder } = await setUp();
    const app = await workspaces.add(await folder("app"));
    for (const text of [app.id, app.path, app.name]) expect(workspaces.find(text)).toEqual(app);
    for (const text of ["", "__proto__", "ap"]) expect(workspaces.find(text)).toBeUndefined();
  });

  it("removes one with its worktrees, never the manager", async () => {
    const { workspaces, changes, folder } = await setUp();
    const app = await workspaces.add(await folder("app"));
    await workspaces.setWorktrees(app.id, [await folder("app-fix")], () => false);
    changes.length = 0;
    await workspaces.remove(app.id);
    expect(changes.map(({ type, workspace }) => [type, workspace.name])).toEqual([
      ["removed", "app"],
      ["removed", "app-fix"],
    ]);
    await expect(workspaces.remove(app.id)).rejects.toMatchObject(code("NotFound"));
    await expect(workspaces.remove(workspaces.manager.id)).rejects.toMatchObject(code("Forbidden"));
  });

  it("keeps a workspace whose folder is gone for now", async () => {
    const { base, open, workspaces, folder } = await setUp();
    const app = await workspaces.add(await folder("app"));
    await rename(app.path, join(base, "elsewhere"));
    expect((await open()).get(app.id)).toEqual(app);
  });

  it("changes nothing when the disk is full", async () => {
    const { kept, workspaces, changes, folder } = await setUp();
    const path = await folder("app");
    kept.failing = true;
    await expect(workspaces.add(path)).rejects.toThrow("No space");
    expect(workspaces.list()).toHaveLength(1);
    expect(changes).toEqual([]);
    kept.failing = false;
    expect(await workspaces.add(path)).toMatchObject({ name: "app" });
  });
});

describe("the repositories under project roots", () => {
  it("come closed, keep their ids, open at first use or when added, and go when they are gone", async () => {
    const { workspaces, changes, folder } = await setUp();
    const paths = [await folder("p/one"), await folder("p/two"), await folder("p/three")];
    await workspaces.setProjects(paths);
    const [one, two, three] = paths.map((path) => workspaces.find(path));
    if (one === undefined || two === undefined || three === undefined) throw new Error("not all found");
    expect([one.closed, two.closed, three.closed]).toEqual([true, true, true]);
    const opened = await workspaces.use(one.id);
    expect(opened).not.toHaveProperty("closed");
    expect(await workspaces.use(one.id)).toEqual(opened);
    expect(await workspaces.add(two.path)).toMatchObject({ id: two.id });
    changes.length = 0;
    await rm(three.path, { recursive: true });
    await workspaces.setProjects([join(three.path), "not absolute"]);
    expect(changes).toEqual([{ type: "removed", workspace: three }]);
    expect(workspaces.get(one.id)).toEqual(opened);
    await expect(workspaces.use("none")).rejects.toMatchObject(code("NotFound"));
  });
});

describe("worktrees", () => {
  it("come as children, go when they are gone, and stay while they have sessions", async () => {
    const { workspaces, folder } = await setUp();
    const app = await workspaces.add(await folder("app"));
    const paths = [await folder("app-a"), await folder("app-b"), app.path];
    await workspaces.setWorktrees(app.id, paths, () => false);
    const children = workspaces.list().filter(({ parentId }) => parentId === app.id);
    expect(children.map(({ name }) => name)).toEqual(["app-a", "app-b"]);
    await workspaces.setWorktrees(app.id, [], (id) => id === children[0]?.id);
    expect(workspaces.list().filter(({ parentId }) => parentId === app.id)).toEqual([children[0]]);
  });

  it("that the owner added by itself gets its parent and keeps its id", async () => {
    const { workspaces, folder } = await setUp();
    const fix = await workspaces.add(await folder("app-fix"));
    const app = await workspaces.add(await folder("app"));
    await workspaces.setWorktrees(app.id, [fix.path], () => false);
    expect(workspaces.get(fix.id)).toEqual({ ...fix, parentId: app.id });
    await expect(workspaces.setWorktrees("none", [], () => false)).rejects.toMatchObject(code("NotFound"));
  });

  it("never lie in the daemon's own folders", async () => {
    const { state, workspaces, folder } = await setUp();
    const app = await workspaces.add(await folder("app"));
    await workspaces.setWorktrees(app.id, [state], () => false);
    expect(workspaces.find(state)).toBeUndefined();
  });
});
