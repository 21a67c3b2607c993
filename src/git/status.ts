/** git.status: the branch, how it stands against its upstream, and the changed files. */
import { unavailable } from "../protocol/errors.js";
import { bytesToName } from "../protocol/name-bytes.js";
import type { GitFile, RpcResult } from "../protocol/rpc.js";
import { Fields } from "./fields.js";
import type { Overrides } from "./filters.js";
import { FIELD_OVERHEAD_BYTES, fileBytes } from "./fit.js";
import { type GitCall, type GitWorkspace, nameInWorkspace } from "./place.js";
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";

export type GitStatus = RpcResult<"git.status">;

const STATUS_ARGS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--untracked-files=all",
  "--ignore-submodules=dirty",
];

interface Head {
  branch: string | null;
  upstream?: string;
  ahead: number;
  behind: number;
}

export interface StatusOptions extends Pick<GitCall, "signal"> {
  readonly overrides: Overrides;
  /** Only this path, relative to the workspace. */
  readonly path?: string;
  /** Called for each file; false ends it there. */
  onFile(file: GitFile): boolean;
}

/** Runs git status and hands on what it tells, as it tells it. `cut` when it was ended early. */
export async function runStatus(
  runner: GitRunner,
  repository: Repository,
  workspace: GitWorkspace,
  options: StatusOptions,
): Promise<Head & { cut: boolean }> {
  const head: Head = { branch: null, ahead: 0, behind: 0 };
  const name = nameInWorkspace(workspace, repository.prefix);
  let more = true;
  const parser = new StatusParser(head, (file) => {
    const path = name(file.path);
    if (path === undefined || path === "" || !more) return;
    const oldPath = file.oldPath === undefined ? undefined : name(file.oldPath);
    more = options.onFile({ ...file, path, ...(oldPath === undefined ? {} : { oldPath }) });
  });
  const fields = new Fields((field) => parser.take(field));
  const only = options.path ?? (repository.prefix === "" ? undefined : "");
  const { code, cut } = await runner.run({
    ...repository,
    args: STATUS_ARGS,
    config: options.overrides,
    signal: options.signal,
    ...(only === undefined ? {} : { paths: [only] }),
    onOutput: (chunk) => {
      fields.push(chunk);
      return more;
    },
  });
  if (code !== 0 && !cut)
    throw unavailable("git could not read this repository; run git status there to see why");
  return { ...head, cut };
}

/** The status of a workspace, cut at what one answer takes. */
export async function gitStatus(
  runner: GitRunner,
  place: { repository: Repository; workspace: GitWorkspace; overrides: Overrides },
  call: GitCall,
): Promise<GitStatus> {
  const files: GitFile[] = [];
  let left = call.budgetBytes - FIELD_OVERHEAD_BYTES;
  const { cut, ...head } = await runStatus(runner, place.repository, place.workspace, {
    overrides: place.overrides,
    signal: call.signal,
    onFile(file) {
      left -= fileBytes(file);
      if (left >= 0) files.push(file);
      return left >= 0;
    },
  });
  return { ...head, files, ...(cut || left < 0 ? { truncated: true } : {}) };
}

/** Counts as no letter. */
const SAME = ".";

/** Fields before the path: `1 XY sub mH mI mW hH hI path`, a rename has its score more, a conflict three stages. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1 };

class StatusParser {
  readonly #head: Head;
  readonly #onFile: (file: GitFile) => void;
  /** A rename whose old path is the next field. */
  #renamed: GitFile | undefined;

  constructor(head: Head, onFile: (file: GitFile) => void) {
    this.#head = head;
    this.#onFile = onFile;
  }

  take(field: Buffer): void {
    if (this.#renamed !== undefined) {
      this.#onFile({ ...this.#renamed, oldPath: bytesToName(field) });
      this.#renamed = undefined;
      return;
    }
    const kind = String.fromCharCode(field[0] ?? 0);
    if (kind === "#") {
      this.#header(field.toString("utf8"));
      return;
    }
    const before = FIELDS_BEFORE_PATH[kind];
    if (before === undefined) return; // a kind that is not asked for
    const path = bytesToName(afterSpaces(field, before));
    if (kind === "?") {
      this.#onFile({ path, unstaged: "?" });
      return;
    }
    const [staged = SAME, unstaged = SAME] = field.toString("latin1", 2, 4);
    const file = {
      path,
      ...(staged === SAME ? {} : { staged }),
      ...(unstaged === SAME ? {} : { unstaged }),
    };
    if (kind === "2") this.#renamed = file;
    else this.#onFile(file);
  }

  #header(line: string): void {
    const [, key, ...rest] = line.split(" ");
    const value = rest.join(" ");
    if (key === "branch.head") this.#head.branch = value === "(detached)" ? null : value;
    else if (key === "branch.upstream") this.#head.upstream = value;
    else if (key === "branch.ab") {
      const [ahead, behind] = value.split(" ").map((text) => Math.abs(Number(text)));
      this.#head.ahead = ahead ?? 0;
      this.#head.behind = behind ?? 0;
    }
  }
}

function afterSpaces(field: Buffer, spaces: number): Buffer {
  let at = 0;
  for (let seen = 0; seen < spaces; seen++) at = field.indexOf(0x20, at) + 1;
  return field.subarray(at);
}
