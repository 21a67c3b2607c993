import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRoots, forbiddenFolders, isInside, realFolder } from "../../../src/policy/roots.js";

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nexusd-roots-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("createRoots", () => {
  it("covers the workspace's own folder first and then those that were given, as real paths", async () => {
    const base = await tempFolder();
    for (const name of ["own", "given", "later"]) await mkdir(join(base, name));
    await symlink(join(base, "given"), join(base, "link"));
    const given = [join(base, "link"), join(base, "own")];
    const roots = createRoots({ own: join(base, "own"), given: () => given, forbidden: [] });
    expect(await roots.folders()).toEqual([join(base, "own"), join(base, "given")]);
    given.push(join(base, "later"));
    expect(await roots.folders()).toContain(join(base, "later"));
  });

  it("looks anew each time: what is gone, or no folder, covers nothing", async () => {
    const base = await tempFolder();
    await mkdir(join(base, "own"));
    await writeFile(join(base, "file"), "");
    const roots = createRoots({ own: join(base, "own"), given: () => [join(base, "file")], forbidden: [] });
    expect(await roots.folders()).toEqual([join(base, "own")]);
    await rm(join(base, "own"), { recursive: true });
    expect(await roots.folders()).toEqual([]);
    await symlink("/nowhere/at/all", join(base, "own"));
    expect(await roots.folders()).toEqual([]);
  });

  it("never covers the daemon's own folders, by whatever link they were given", async () => {
    const base = await tempFolder();
    await mkdir(join(base, "disk/nexusd/chats"), { recursive: true });
    await symlink(join(base, "disk"), join(base, "state"));
    await symlink(join(base, "disk/nexusd/chats"), join(base, "innocent"));
    const forbidden = await forbiddenFolders([join(base, "state/nexusd"), join(base, "not-made-yet")]);
    expect(forbidden).toContain(join(base, "disk/nexusd"));
    expect(forbidden).toContain(join(base, "state/nexusd"));
    const roots = createRoots({ own: base, given: () => [join(base, "innocent")], forbidden });
    expect(await roots.folders()).toEqual([base]);
    expect(roots.forbidden).toEqual(forbidden);
  });
});

describe("isInside", () => {
  it.each([
    ["/w/in", "/w/in", true],
    ["/w/in", "/w/in/x", true],
    ["/w/in", "/w/in/..x", true],
    ["/w/in", "/w/in-evil", false],
    ["/w/in", "/w", false],
    ["/w/in", "/", false],
    ["/", "/etc", true],
  ])("of %j: %j is %j", (folder, path, inside) => {
    expect(isInside(folder, path)).toBe(inside);
  });
});

describe("realFolder", () => {
  it("answers undefined for what cannot be entered", async () => {
    expect(await realFolder("/nowhere/at/all")).toBeUndefined();
    expect(await realFolder("bad\0path")).toBeUndefined();
    expect(await realFolder("/dev/null")).toBeUndefined();
  });
});
