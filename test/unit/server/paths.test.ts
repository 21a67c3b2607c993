import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  checkSocketPath,
  ensurePrivateFolder,
  MAX_SOCKET_PATH_BYTES,
  resolvePaths,
} from "../../../src/server/paths.js";

function temp(): string {
  const folder = mkdtempSync(join(tmpdir(), "nexusd-paths-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("HOME alone places everything, XDG variables move it", () => {
  const home = resolvePaths({ HOME: "/home/u" });
  expect(home.stateDir).toBe("/home/u/.local/state/nexusd");
  expect(home.configFile).toBe("/home/u/.config/nexusd/config.json");
  expect(home.dataDir).toBe("/home/u/.local/share/nexusd");
  const xdg = resolvePaths({ HOME: "/home/u", XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/run/user/1" });
  expect(xdg.stateDir).toBe("/s/nexusd");
  expect(xdg.ownerSocket).toMatch(/^\/run\/user\/1\/nexusd-[0-9a-f]{8}\/owner\.sock$/);
});

test("two homes have two runtime folders", () => {
  const of = (home: string): string => resolvePaths({ HOME: home, XDG_RUNTIME_DIR: "/run" }).runtimeDir;
  expect(of("/home/a")).not.toBe(of("/home/b"));
});

test("a runtime folder too long for a socket falls back to the temp folder", () => {
  const { ownerSocket } = resolvePaths({ HOME: "/h", XDG_RUNTIME_DIR: `/${"r".repeat(90)}` });
  expect(ownerSocket.startsWith(tmpdir())).toBe(true);
  expect(Buffer.byteLength(ownerSocket)).toBeLessThanOrEqual(MAX_SOCKET_PATH_BYTES);
});

test("a socket path that the kernel would cut is refused in words", () => {
  expect(() => checkSocketPath(`/${"x".repeat(103)}`)).toThrow(/longer than 103 bytes; set XDG_RUNTIME_DIR/);
});

test("a private folder is made 0700, and closed when it was open", () => {
  const folder = join(temp(), "run");
  ensurePrivateFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a link or a file in its place is refused", () => {
  const folder = temp();
  symlinkSync(folder, join(folder, "link"));
  writeFileSync(join(folder, "file"), "");
  expect(() => ensurePrivateFolder(join(folder, "link"))).toThrow(/is not a folder/);
  expect(() => ensurePrivateFolder(join(folder, "file"))).toThrow();
});
