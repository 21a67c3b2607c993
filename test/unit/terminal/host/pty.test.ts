import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadBinding } from "../../../../src/terminal/host/binding.js";
import { Pty, type PtyExit } from "../../../../src/terminal/host/pty.js";
import { bindingFile } from "../../../support/terminal-host.js";
import { waitFor } from "../../../support/wait-for.js";

const binding = loadBinding(bindingFile);
const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", TERM: "xterm-256color" };
const MEGABYTE = 1_000_000;
const RUNS = 40;
/** 40 slow runs take 15 s on an idle machine. */
const MANY_RUNS_MS = 150_000;

interface Run {
  readonly pty: Pty;
  readonly ended: Promise<PtyExit>;
  text(): string;
  bytes(): number;
}

async function run(script: string, onData: (pty: Pty | undefined) => void = () => undefined): Promise<Run> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let end: (exit: PtyExit) => void = () => undefined;
  const ended = new Promise<PtyExit>((resolve) => {
    end = resolve;
  });
  let pty: Pty | undefined;
  pty = await Pty.start(
    binding,
    { launch: { file: "/bin/sh", args: ["-c", script] }, cwd: "/", env, cols: 80, rows: 24 },
    {
      data(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        onData(pty);
      },
      exit: end,
    },
  );
  onTestFinished(() => pty?.close());
  return { pty, ended, bytes: () => bytes, text: () => Buffer.concat(chunks).toString() };
}

function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const megabyte = `head -c ${MEGABYTE} /dev/zero | tr '\\0' x`;

describe("a pty", () => {
  test(
    "delivers all of 1 MB from a program that ends at once, 40 times of 40",
    async () => {
      const counts: number[] = [];
      for (let i = 0; i < RUNS; i++) {
        const program = await run(megabyte);
        await program.ended;
        counts.push(program.bytes());
      }
      expect(counts.filter((count) => count !== MEGABYTE)).toEqual([]);
    },
    MANY_RUNS_MS,
  );

  test(
    "delivers all of it to a reader that is busy for 1 ms at each chunk, 40 times of 40",
    async () => {
      const counts: number[] = [];
      for (let i = 0; i < RUNS; i++) {
        const program = await run(megabyte, () => busyFor(1));
        await program.ended;
        counts.push(program.bytes());
      }
      expect(counts.filter((count) => count !== MEGABYTE)).toEqual([]);
    },
    MANY_RUNS_MS,
  );

  test(
    "delivers all of it when flow control pauses and resumes it, 40 times of 40",
    async () => {
      const counts: number[] = [];
      for (let i = 0; i < RUNS; i++) {
        const program = await run(megabyte, (pty) => {
          pty?.pause();
          setTimeout(() => pty?.resume(), 1);
        });
        await program.ended;
        counts.push(program.bytes());
      }
      expect(counts.filter((count) => count !== MEGABYTE)).toEqual([]);
    },
    MANY_RUNS_MS,
  );

  test("delivers what the kernel holds when the program ended while it was paused", async () => {
    const program = await run("printf started; sleep 0.1; printf 'the last words'", (pty) => pty?.pause());
    expect(await program.ended).toEqual({ code: 0 });
    expect(program.text()).toBe("startedthe last words");
  });

  test("tells the exit code, or the signal by name", async () => {
    expect(await (await run("exit 3")).ended).toEqual({ code: 3 });
    expect(await (await run("kill -KILL $$")).ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("ends when its program ends, though a child that escaped with setsid still has the terminal", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-pty-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pidFile = path.join(folder, "pid");
    const program = await run(
      `setsid sh -c 'trap "" HUP; echo $$ > ${pidFile}; while :; do echo escaped; sleep 0.01; done' & while [ ! -s ${pidFile} ]; do sleep 0.01; done; exit 4`,
    );
    expect(await program.ended).toEqual({ code: 4 });
    const pid = Number(readFileSync(pidFile, "utf8"));
    onTestFinished(() => {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // its write failed, and it ended by itself
      }
    });
  });

  test("hands 1 MB of typing to a slow reader without a gap and without holding the loop", async () => {
    const program = await run(`stty raw -echo; echo ready; sleep 0.3; head -c ${MEGABYTE} | cksum`);
    await waitFor("the reader", () => program.text().includes("ready"));
    let lag = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      lag = Math.max(lag, performance.now() - last - 10);
      last = performance.now();
    }, 10);
    await program.pty.write(Buffer.alloc(MEGABYTE, "y"));
    clearInterval(timer);
    await program.ended;
    // cksum of a million y, by coreutils.
    expect(program.text()).toContain("3405787004 1000000");
    expect(lag).toBeLessThan(1000);
  });

  test("refuses typing past its bound, and says what to do", async () => {
    const program = await run("stty raw -echo; echo ready; sleep 100");
    await waitFor("the program", () => program.text().includes("ready"));
    const first = program.pty.write(Buffer.alloc(MEGABYTE, "y")).catch((error: Error) => error);
    await expect(program.pty.write(Buffer.alloc(MEGABYTE, "y"))).rejects.toThrow(
      /does not read what is typed/,
    );
    process.kill(program.pty.pid, "SIGKILL");
    await program.ended;
    expect(await first).toBeInstanceOf(Error);
  });

  test("gives its program 0, 1 and 2 alone, whatever else is open here", async () => {
    const others = [await run("sleep 100"), await run("sleep 100")];
    const program = await run("ls /proc/self/fd");
    await program.ended;
    // The fourth is ls's own, of the folder that it lists.
    expect(program.text().trim().split(/\s+/)).toEqual(["0", "1", "2", "3"]);
    for (const other of others) {
      process.kill(other.pty.pid, "SIGKILL");
      await other.ended;
    }
  });

  test("leaves no descriptor behind", async () => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    const warm = await run("true");
    await warm.ended;
    const before = open();
    for (let i = 0; i < 20; i++) await (await run("true")).ended;
    await waitFor("the descriptors", () => open() <= before + 1);
  });
});

describe("a start that cannot work", () => {
  const start = (file: string, cwd = "/") =>
    Pty.start(
      binding,
      { launch: { file, args: [] }, cwd, env, cols: 80, rows: 24 },
      { data: () => undefined, exit: () => undefined },
    );

  test("says that the program is missing, is no program, or may not run", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "nexusd-pty-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string, content: string | Buffer, mode: number): string => {
      writeFileSync(path.join(folder, name), content, { mode });
      return path.join(folder, name);
    };
    await expect(start("/no/such/program")).rejects.toThrow(/does not exist/);
    await expect(start(folder)).rejects.toThrow(/is no program/);
    await expect(start(file("plain", "hello", 0o644))).rejects.toThrow(/may not be executed/);
    const garbage = Buffer.from([1, 0, 2, 0, 3]);
    await expect(start(file("garbage", garbage, 0o755))).rejects.toThrow(
      /no format that this machine can run/,
    );
    await expect(start(file("script", "#!/no/such/interpreter\n", 0o755))).rejects.toThrow(
      /needs \/no\/such/,
    );
    await expect(start("bin/sh")).rejects.toThrow(/no absolute path/);
  });

  test("says that the folder is gone, or is none", async () => {
    await expect(start("/bin/sh", "/no/such/folder")).rejects.toThrow(
      /folder \/no\/such\/folder does not exist/,
    );
    await expect(start("/bin/sh", "/etc/passwd")).rejects.toThrow(/is no folder/);
  });
});
