/** The two sides of a commit, and of a branch against where it left its base; and the files between them. */
import { notFound, unavailable } from "../protocol/errors.js";
import { bytesToName } from "../protocol/name-bytes.js";
import { type CommitRange, DIFF_ARGS, type DiffPlace, type GitDiff, sideArgs } from "./diff.js";
import { Fields } from "./fields.js";
import { fitGitDiff } from "./fit.js";
import { type GitCall, nameInWorkspace } from "./place.js";
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";

type Signal = AbortSignal | undefined;

/** The tree without files, by the length of a hash. */
const EMPTY_TREE: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** A commit against its first parent. NotFound unless it lies behind HEAD, as those of git.log do. */
export async function commitRange(
  runner: GitRunner,
  repository: Repository,
  commit: string,
  signal: Signal,
): Promise<CommitRange> {
  const behind = await runner.run({
    ...repository,
    args: ["merge-base", "--is-ancestor", commit, "HEAD"],
    signal,
  });
  if (behind.code !== 0) throw notFound("commit");
  const parent = await revision(runner, repository, `${commit}^1`, signal);
  return { of: "commits", from: parent ?? EMPTY_TREE[commit.length] ?? commit, to: commit };
}

/** HEAD against the commit at which it left its base: the upstream of another name, or the main branch. */
export async function baseRange(
  runner: GitRunner,
  repository: Repository,
  signal: Signal,
): Promise<CommitRange> {
  const head = await revision(runner, repository, "HEAD", signal);
  const base = await baseRef(runner, repository, signal);
  if (head === undefined || base === undefined) {
    throw unavailable("There is no other branch to compare this one with");
  }
  const found = await runner.run({ ...repository, args: ["merge-base", head, base], signal });
  const from = found.stdout.toString("latin1").trim();
  if (found.code !== 0 || from === "") throw unavailable("This branch and its base have no commit in common");
  return { of: "commits", from, to: head };
}

async function revision(
  runner: GitRunner,
  repository: Repository,
  name: string,
  signal: Signal,
): Promise<string | undefined> {
  const { code, stdout } = await runner.run({
    ...repository,
    args: ["rev-parse", "--verify", "--quiet", "--end-of-options", name],
    signal,
  });
  return code === 0 ? stdout.toString("latin1").trim() : undefined;
}

/** What branches are usually made from. */
const MAIN_REFS = [
  "refs/remotes/origin/HEAD",
  "refs/heads/main",
  "refs/heads/master",
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
];

/** The commit of the best base there is. A branch's own name on the remote comes last: pushed work would compare as nothing. */
async function baseRef(
  runner: GitRunner,
  repository: Repository,
  signal: Signal,
): Promise<string | undefined> {
  const { stdout } = await runner.run({
    ...repository,
    args: [
      "for-each-ref",
      "--format=%(HEAD)%00%(refname)%00%(objectname)%00%(upstream)",
      "refs/heads",
      ...MAIN_REFS,
    ],
    signal,
  });
  const refs = stdout
    .toString("utf8")
    .split("\n")
    .map((line) => line.split("\0"))
    .map(([head, name = "", hash = "", upstream = ""]) => ({ own: head === "*", name, hash, upstream }));
  const own = refs.find((ref) => ref.own);
  const short = own?.name.replace(/^refs\/heads\//, "");
  const upstream = own?.upstream ?? "";
  const isOwnName = upstream.replace(/^refs\/(?:remotes\/[^/]+|heads)\//, "") === short;
  const order = isOwnName ? [...MAIN_REFS, upstream] : [upstream, ...MAIN_REFS];
  for (const name of order) {
    if (name === "" || name === own?.name) continue;
    const known = refs.find((ref) => ref.name === name)?.hash;
    const hash = known ?? (name === upstream ? await revision(runner, repository, name, signal) : undefined);
    if (hash !== undefined) return hash;
  }
  return undefined;
}

/** The files that changed between two commits, with counts of lines. */
export async function changedFiles(
  runner: GitRunner,
  place: DiffPlace,
  ask: GitCall & { sides: CommitRange },
): Promise<GitDiff> {
  const name = nameInWorkspace(place.workspace, place.repository.prefix);
  const files: NonNullable<GitDiff["files"]> = [];
  const parser = new Numstat((added, removed, path, oldPath) => {
    const [now, was] = [name(path), oldPath === undefined ? undefined : name(oldPath)];
    if (now === undefined) return;
    const counts = added === undefined || removed === undefined ? {} : { added, removed };
    files.push({ path: now, ...(was === undefined ? {} : { oldPath: was }), ...counts });
  });
  const fields = new Fields((field) => parser.take(field));
  const { code, cut } = await runner.run({
    ...place.repository,
    args: ["diff", ...DIFF_ARGS, "-z", "--numstat", ...sideArgs(ask.sides)],
    ...(place.repository.prefix === "" ? {} : { paths: [""] }),
    signal: ask.signal,
    onOutput: (chunk) => {
      fields.push(chunk);
      return true;
    },
  });
  if (code !== 0 && !cut) throw unavailable("git could not compare these commits");
  return fitGitDiff({ path: ".", hunks: [], files, ...(cut ? { truncated: true } : {}) }, ask.budgetBytes);
}

type TakeCounts = (
  added: number | undefined,
  removed: number | undefined,
  path: string,
  oldPath: string | undefined,
) => void;

/** `added TAB removed TAB path NUL`, or for a rename `added TAB removed TAB NUL old NUL new NUL`. */
class Numstat {
  readonly #onFile: TakeCounts;
  #counts: [added: number | undefined, removed: number | undefined] = [undefined, undefined];
  #expects: "record" | "old" | "new" = "record";
  #oldPath = "";

  constructor(onFile: TakeCounts) {
    this.#onFile = onFile;
  }

  take(field: Buffer): void {
    if (this.#expects === "old") {
      this.#oldPath = bytesToName(field);
      this.#expects = "new";
    } else if (this.#expects === "new") {
      this.#expects = "record";
      this.#onFile(...this.#counts, bytesToName(field), this.#oldPath);
    } else this.#record(field);
  }

  #record(field: Buffer): void {
    const first = field.indexOf(TAB);
    const second = field.indexOf(TAB, first + 1);
    if (first === -1 || second === -1) return;
    this.#counts = [
      count(field.toString("latin1", 0, first)),
      count(field.toString("latin1", first + 1, second)),
    ];
    const path = field.subarray(second + 1);
    if (path.length === 0) this.#expects = "old";
    else this.#onFile(...this.#counts, bytesToName(path), undefined);
  }
}

const TAB = 0x09;

/** "-" for a binary file. */
const count = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
