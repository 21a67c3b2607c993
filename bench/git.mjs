/**
 * git.* against the git that they run, and the delay of the main loop meanwhile.
 * Run alone it prints its figures; `run()` gives them as `{ what, value, unit, goal? }`.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Git } from "../dist/git/git.js";

const ROUNDS = 15;

/** Of what takes a few milliseconds: the noise of a busy machine is as large. */
const SHORT_MS = 30;
const SHORT_ROUNDS = 101;

const BUDGET_BYTES = 785_000;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** One git of a user's own, started as the daemon would: without blocking, output read to its end. */
function plain(folder, args) {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.on("data", () => undefined);
    child.on("error", reject);
    child.on("close", resolve);
  });
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Both in turn, so that whatever else the machine does meets both. */
async function compared(ours, theirs) {
  const times = { ours: [], theirs: [] };
  await ours();
  const rounds = (await timed(theirs)) < SHORT_MS ? SHORT_ROUNDS : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    times.theirs.push(await timed(theirs));
    times.ours.push(await timed(ours));
  }
  return {
    ours: median(times.ours),
    theirs: median(times.theirs),
    ratio: median(times.ours) / median(times.theirs),
  };
}

function repository(folder) {
  mkdirSync(folder);
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "gc.auto=0", ...args], {
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
      maxBuffer: 1 << 28,
    });
  git("init", "-q", "-b", "main");
  return git;
}

/** 100,000 files, 1,000 of them changed. */
function manyFiles(folder) {
  const git = repository(folder);
  for (let d = 0; d < 1000; d++) {
    const dir = join(folder, `dir-${d % 40}`, `sub-${d}`);
    mkdirSync(dir, { recursive: true });
    for (let f = 0; f < 100; f++) writeFileSync(join(dir, `file-${f}.ts`), `export const x${d} = ${f};\n`);
  }
  git("add", "-A");
  git("commit", "-qm", "all");
  for (let d = 0; d < 1000; d++)
    writeFileSync(join(folder, `dir-${d % 40}`, `sub-${d}`, "file-7.ts"), "changed\n");
  git("status"); // the index knows its files' times
}

/** 50,000 commits in a line. */
function manyCommits(folder) {
  repository(folder);
  let stream = "";
  for (let n = 1; n <= 50_000; n++) {
    const message = `commit ${n}: change what the module of number ${n % 97} says`;
    stream += `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_000 + n} +0000\ndata ${message.length}\n${message}\nM 644 inline f\ndata ${String(n).length}\n${n}\n`;
  }
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: folder,
    input: stream,
    stdio: ["pipe", "ignore", "inherit"],
  });
  execFileSync("git", ["reset", "-q", "--hard"], { cwd: folder });
}

/** A file of 30,000 lines of which 20,000 changed. */
function largeDiff(folder) {
  const git = repository(folder);
  const line = (n, word) => `const value${n} = ${word}(${n}); // of ${n % 97}\n`;
  const lines = (word) =>
    Array.from({ length: 30_000 }, (_, n) => line(n, n % 3 === 0 ? "same" : word)).join("");
  writeFileSync(join(folder, "f.ts"), lines("old"));
  git("add", "-A");
  git("commit", "-qm", "old");
  writeFileSync(join(folder, "f.ts"), lines("new"));
}

export async function run() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-bench-git-")));
  const git = new Git({ environment: { path: process.env.PATH ?? "", home: process.env.HOME ?? "" } });
  try {
    const [files, commits, diff] = ["files", "commits", "diff"].map((name) => join(top, name));
    manyFiles(files);
    manyCommits(commits);
    largeDiff(diff);
    const call = { budgetBytes: BUDGET_BYTES };
    const place = (folder) => ({ folder, forbidden: [] });
    const read = () => Promise.reject(new Error("all of it is tracked"));
    const loop = monitorEventLoopDelay({ resolution: 1 });
    const cases = [
      {
        what: "git.status, 100,000 files, 1,000 changed / git status --porcelain=v2 -z",
        goal: 1.15,
        ours: () => git.status(place(files), call),
        theirs: () => plain(files, ["--no-optional-locks", "status", "--porcelain=v2", "-z"]),
      },
      {
        what: "git.diff of a file with 20,000 changed lines / git diff",
        goal: 1.5,
        ours: () => git.diff(place(diff), { ...call, path: "f.ts", read }),
        theirs: () => plain(diff, ["diff", "--", "f.ts"]),
      },
      {
        what: "git.log of 200 in 50,000 commits / git log",
        goal: 1.2,
        ours: () => git.log(place(commits), { ...call, limit: 200 }),
        theirs: () => plain(commits, ["log", "-200", "--decorate"]),
      },
    ];
    const figures = [];
    for (const { what, goal, ours, theirs } of cases) {
      const { ratio, ours: ms } = await compared(ours, theirs);
      figures.push(
        { what, value: ratio, unit: "×", goal },
        { what: "the same, ours", value: ms, unit: "ms" },
      );
    }
    loop.enable();
    for (let round = 0; round < ROUNDS; round++) for (const { ours } of cases) await ours();
    loop.disable();
    figures.push({
      what: "git: delay of the main loop meanwhile, p99",
      value: loop.percentile(99) / 1e6,
      unit: "ms",
      goal: 20,
    });
    return figures;
  } finally {
    git.close();
    rmSync(top, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
