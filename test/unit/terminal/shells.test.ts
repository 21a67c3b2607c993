import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { listShells } from "../../../src/terminal/shells.js";

const before = process.env.SHELL;
afterEach(() => {
  process.env.SHELL = before;
});

describe("the shells", () => {
  test("begin with the user's own, each program once, each under an id of its own", async () => {
    process.env.SHELL = "/bin/sh";
    const shells = await listShells();
    expect(shells[0]).toMatchObject({ id: "sh", name: "sh", path: "/bin/sh", isDefault: true });
    expect(shells.filter((shell) => shell.isDefault)).toHaveLength(1);
    expect(new Set(shells.map((shell) => shell.id)).size).toBe(shells.length);
    expect(shells.filter((shell) => shell.name === "bash")).toHaveLength(1);
    expect(shells.every((shell) => existsSync(shell.path))).toBe(true);
  });

  test("leave out what is not there, what is no path, and what is no shell to type into", async () => {
    process.env.SHELL = "/no/such/shell";
    expect((await listShells()).map((shell) => shell.path)).not.toContain("/no/such/shell");
    process.env.SHELL = "bash";
    expect((await listShells()).every((shell) => shell.path.startsWith("/"))).toBe(true);
    const names = (await listShells()).map((shell) => shell.name);
    expect(names).not.toContain("tmux");
  });
});
