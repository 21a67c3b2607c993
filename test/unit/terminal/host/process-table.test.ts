import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processNow, sessionMembers, signalProcess } from "../../../../src/terminal/host/process-table.js";
import { isRunning } from "../../../support/terminal-host.js";
import { waitFor } from "../../../support/wait-for.js";

describe("the process table", () => {
  test("tells a process's name, group, session and start, brackets in its name too", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-process-"));
    const file = path.join(folder, "a) (b");
    copyFileSync("/bin/sleep", file);
    const child = spawn(file, ["1000"], { detached: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    onTestFinished(() => void child.kill("SIGKILL"));
    const { pid = 0 } = child;
    await waitFor("exec", () => processNow(pid)?.name === "a) (b");
    expect(processNow(pid)).toMatchObject({ pid, ppid: process.pid, pgrp: pid, session: pid, zombie: false });
    expect(processNow(pid)?.start).toMatch(/^\d+$/);
    expect((await sessionMembers(pid)).map((entry) => entry.pid)).toEqual([pid]);
  });

  test("signals nobody when the pid belongs to another process by now", async () => {
    const child = spawn("/bin/sleep", ["1000"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const { pid = 0 } = child;
    const before = await waitFor("it", () => processNow(pid));
    expect(signalProcess({ pid, start: `${before.start}0` }, "SIGKILL")).toBe(false);
    expect(isRunning(pid)).toBe(true);
    expect(signalProcess(before, "SIGKILL")).toBe(true);
    await waitFor("its end", () => processNow(pid) === undefined);
    expect(signalProcess(before, "SIGKILL")).toBe(false);
  });
});
