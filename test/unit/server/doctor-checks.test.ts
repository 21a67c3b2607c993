import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  checkClock,
  checkModes,
  checkNode,
  checkPortFree,
  checkPortOpen,
  checkSockets,
} from "../../../src/server/doctor-checks.js";
import { resolvePaths } from "../../../src/server/paths.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nexusd-doctor-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each(["20.19.0", "20.20.2", "22.1.0"])("Node %s is new enough", (version) => {
  expect(checkNode(version)).toContain(version);
});

test.each(["20.18.3", "18.20.0", "19.9.0"])("Node %s is too old", (version) => {
  expect(() => checkNode(version)).toThrow(version);
});

describe("file modes", () => {
  test("are right when nobody else gets in, and of folders that are not there yet", async () => {
    writeFileSync(join(folder, "state.json"), "", { mode: 0o600 });
    expect(await checkModes([folder, join(folder, "missing")])).toContain("2 files");
  });

  test("are wrong for a file or a folder that is open to others, which is named", async () => {
    const file = join(folder, "state.json");
    writeFileSync(file, "");
    chmodSync(file, 0o640);
    await expect(checkModes([folder])).rejects.toThrow(`${file} is open to other users (mode 640)`);
    chmodSync(file, 0o600);
    chmodSync(folder, 0o711);
    await expect(checkModes([folder])).rejects.toThrow("mode 711");
  });
});

describe("the clock", () => {
  test("is right when nothing was written after now", async () => {
    expect(await checkClock(folder, Date.UTC(2030, 1, 1))).toContain("2030-02-01");
    expect(await checkClock(join(folder, "missing"))).toMatch(/^\d{4}-/);
  });

  test("is wrong before any version was made, and when it went back behind a file", async () => {
    await expect(checkClock(folder, 0)).rejects.toThrow("1970");
    const file = join(folder, "tabs.json");
    writeFileSync(file, "");
    utimesSync(file, new Date(Date.UTC(2050, 0, 1)), new Date(Date.UTC(2050, 0, 1)));
    await expect(checkClock(folder, Date.UTC(2040, 0, 1))).rejects.toThrow(file);
  });
});

describe("sockets", () => {
  const pathsIn = (run: string) => resolvePaths({ HOME: folder, XDG_RUNTIME_DIR: run });

  test("have short enough paths, and answer when a daemon listens", async () => {
    const paths = pathsIn(folder);
    expect(await checkSockets(paths, false)).toContain("short enough");
    await expect(checkSockets(paths, true)).rejects.toThrow(/Nobody answers at .*owner\.sock/);
    mkdirSync(paths.runtimeDir, { recursive: true });
    for (const path of [paths.ownerSocket, paths.agentSocket]) {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      onTestFinished(() => void server.close());
    }
    expect(await checkSockets(paths, true)).toContain("both answer");
  });

  test("whose paths the system would cut are refused", async () => {
    const paths = { ...pathsIn(folder), runtimeDir: `/${"x".repeat(100)}` };
    await expect(checkSockets(paths, false)).rejects.toThrow("longer than 103 bytes");
  });
});

test("a port is open or free, whichever it has to be", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  expect(await checkPortOpen(port)).toContain(String(port));
  await expect(checkPortFree(port, "127.0.0.1")).rejects.toThrow(`Port ${port} is taken`);
  await new Promise((resolve) => server.close(resolve));
  await expect(checkPortOpen(port)).rejects.toThrow("No address");
  expect(await checkPortFree(port, "127.0.0.1")).toContain("free");
});
