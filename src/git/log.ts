/** git.log: the branch's commits, latest first. */
import { unavailable } from "../protocol/errors.js";
import type { RpcResult } from "../protocol/rpc.js";
import { fitGitLog } from "./fit.js";
import { DEFAULT_LOG_COMMITS } from "./limits.js";
import type { GitCall } from "./place.js";
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";

export type GitLog = RpcResult<"git.log">;

/** Hash, author, time of writing, refs, subject. Never anything that checks a signature. */
const FORMAT = "%H%x00%an%x00%at%x00%D%x00%s";
const FIELDS = 5;

/** git counts in 32 bits and starts over beyond. */
const MAX_SKIP = 2 ** 31 - 1;

/** Commits behind HEAD. A branch without commits gives none. */
export async function gitLog(
  runner: GitRunner,
  repository: Repository,
  ask: GitCall & { limit?: number; skip?: number },
): Promise<GitLog> {
  const { code, stdout, cut } = await runner.run({
    ...repository,
    args: [
      "log",
      "-z",
      `--format=${FORMAT}`,
      `--max-count=${ask.limit ?? DEFAULT_LOG_COMMITS}`,
      `--skip=${Math.min(ask.skip ?? 0, MAX_SKIP)}`,
      "--no-show-signature",
      "--no-color",
      "--no-notes",
      "--no-patch",
      "HEAD",
      "--",
    ],
    signal: ask.signal,
  });
  if (code !== 0 && !cut) {
    if (await isUnborn(runner, repository, ask.signal)) return { commits: [] };
    throw unavailable("git could not read this repository's commits; run git log there to see why");
  }
  return fitGitLog({ commits: readCommits(stdout) }, ask.budgetBytes);
}

/** HEAD names a branch that has no commit yet. */
async function isUnborn(runner: GitRunner, repository: Repository, signal?: AbortSignal): Promise<boolean> {
  const [head, symbolic] = await Promise.all([
    runner.run({ ...repository, args: ["rev-parse", "--verify", "--quiet", "HEAD"], signal }),
    runner.run({ ...repository, args: ["symbolic-ref", "--quiet", "HEAD"], signal }),
  ]);
  if (head.code === 0 || symbolic.code !== 0) return false;
  const ref = symbolic.stdout.toString("utf8").trim();
  const { stdout } = await runner.run({ ...repository, args: ["for-each-ref", "--count=1", ref], signal });
  return stdout.length === 0;
}

function readCommits(output: Buffer): GitLog["commits"] {
  const fields = output.toString("utf8").split("\0");
  const commits: GitLog["commits"] = [];
  for (let at = 0; at + FIELDS < fields.length + 1 && fields[at] !== ""; at += FIELDS) {
    const [hash = "", author = "", time = "", names = "", subject] = fields.slice(at, at + FIELDS);
    if (subject === undefined) break;
    const refs = readRefs(names);
    commits.push({ hash, subject, author, at: Number(time) * 1000, ...(refs.length === 0 ? {} : { refs }) });
  }
  return commits;
}

/** `HEAD -> main, tag: v1, origin/main, origin/HEAD` as names: no arrow, no kind, no remote's HEAD. */
export function readRefs(names: string): string[] {
  if (names === "") return [];
  return names
    .split(", ")
    .map((name) => name.replace(/^HEAD -> /, "").replace(/^tag: /, ""))
    .filter((name) => !name.endsWith("/HEAD"));
}
