/** nexus git: what changed in a workspace, and its commits. */
import { type Command, Option } from "commander";
import type { GitFile, RpcResult } from "../../protocol/rpc.js";
import { asking, parseInteger } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput, type Output, whenText } from "../output.js";
import { WORKSPACE, type WorkspaceOptions, workspaceOf } from "./workspace.js";

const MAX_COMMITS = 200;
const SHORT_HASH_CHARS = 10;

interface DiffOptions extends WorkspaceOptions {
  readonly staged?: boolean;
  readonly commit?: string;
  readonly base?: boolean;
}

interface LogOptions extends WorkspaceOptions {
  readonly limit?: number;
  readonly skip?: number;
}

export function registerGit(program: Command): void {
  const group = program.command("git").description("see what changed in a workspace").helpCommand(false);
  asking(group.command("status").description("tell the branch and the changed files"))
    .option("--workspace <workspace>", WORKSPACE)
    .action(status);
  asking(group.command("diff").description("show the changes of one file, or of all"))
    .argument("[file]", "inside the workspace; with --commit or --base all files are listed without it")
    .option("--workspace <workspace>", WORKSPACE)
    .option("--staged", "what is staged")
    .option("--commit <hash>", "what this commit changed: a full hash, as git log --json gives it")
    .option("--base", "what the branch changed since it left its base")
    .action(diff);
  asking(group.command("log").description("list the branch's commits, latest first"))
    .option("--workspace <workspace>", WORKSPACE)
    .addOption(new Option("--limit <count>", "at most so many").argParser(parseInteger(1, MAX_COMMITS)))
    .addOption(
      new Option("--skip <count>", "leave out the latest so many").argParser(
        parseInteger(0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .action(log);
}

async function status(options: WorkspaceOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const result = await session.client.call("git.status", { workspaceId }, session.call);
    output.value(result);
    output.line(branchLine(result));
    for (const file of result.files) output.line(`${letters(file)} ${nameOf(file)}`);
    if (result.truncated === true) output.note("There are more changed files than fit into one answer");
  });
}

async function diff(path: string | undefined, options: DiffOptions): Promise<void> {
  const output = createOutput(options);
  const { staged, commit, base } = options;
  if (commit !== undefined && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw usage("A commit is named by its full hash; nexus git log --json gives it");
  }
  const sides = {
    ...(staged === true && { staged }),
    ...(commit !== undefined && { commit }),
    ...(base === true && { base }),
  };
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const list = commit !== undefined || base === true;
    const paths =
      path === undefined && !list ? await changed(session, workspaceId, staged === true) : [path ?? "."];
    for (const one of paths) {
      const result = await session.client.call(
        "git.diff",
        { workspaceId, path: one, ...sides },
        session.call,
      );
      output.value(result);
      show(output, result);
    }
  });
}

/** The files with changes of the one kind or the other. */
async function changed(session: Session, workspaceId: string, staged: boolean): Promise<string[]> {
  const { files } = await session.client.call("git.status", { workspaceId }, session.call);
  return files.filter((file) => (staged ? file.staged : file.unstaged) !== undefined).map(({ path }) => path);
}

async function log(options: LogOptions): Promise<void> {
  const output = createOutput(options);
  const { limit, skip } = options;
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const ask = { workspaceId, ...(limit !== undefined && { limit }), ...(skip !== undefined && { skip }) };
    const result = await session.client.call("git.log", ask, session.call);
    output.value(result);
    output.table(
      ["COMMIT", "WHEN", "AUTHOR", "SUBJECT"],
      result.commits.map(({ hash, at, author, subject, refs = [] }) => [
        hash.slice(0, SHORT_HASH_CHARS),
        whenText(at),
        author,
        refs.length === 0 ? subject : `(${refs.join(", ")}) ${subject}`,
      ]),
    );
  });
}

function branchLine({ branch, upstream, ahead, behind }: RpcResult<"git.status">): string {
  const counts = [ahead > 0 ? `ahead ${ahead}` : "", behind > 0 ? `behind ${behind}` : ""].filter(Boolean);
  const against = upstream === undefined ? "" : `...${upstream}`;
  return `## ${branch ?? "no branch"}${against}${counts.length === 0 ? "" : ` [${counts.join(", ")}]`}`;
}

/** As `git status --short` has them. */
function letters({ staged, unstaged }: GitFile): string {
  return unstaged === "?" ? "??" : `${staged ?? " "}${unstaged ?? " "}`;
}

const nameOf = ({ path, oldPath }: { path: string; oldPath?: string | undefined }): string =>
  oldPath === undefined ? path : `${oldPath} -> ${path}`;

function show(output: Output, result: RpcResult<"git.diff">): void {
  if (result.files === undefined) {
    output.line(`--- ${result.oldPath ?? result.path}`);
    output.line(`+++ ${result.path}`);
  }
  if (result.binary === true) output.line("A binary file");
  for (const hunk of result.hunks) {
    output.line(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) output.line(line);
  }
  for (const file of result.files ?? []) {
    const counts = file.added === undefined ? "binary" : `+${file.added} -${file.removed ?? 0}`;
    output.line(`${counts.padStart(12)}  ${nameOf(file)}`);
  }
  if (result.truncated === true) output.note("There is more; this is where the answer was cut");
}
