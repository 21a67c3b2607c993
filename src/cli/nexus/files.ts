/** nexus files: a workspace's folders and files. */
import type { Command } from "commander";
import type { RpcResult } from "../../protocol/rpc.js";
import { asking } from "../command.js";
import { withClient } from "../connect.js";
import { CommandFailure, ExitCode } from "../exit.js";
import { createOutput, type Output } from "../output.js";
import { WORKSPACE, type WorkspaceOptions, workspaceOf } from "./workspace.js";

export function registerFiles(program: Command): void {
  const group = program
    .command("files")
    .description("look into a workspace's folders and files")
    .helpCommand(false);
  asking(group.command("ls").description("list a folder, folders first"))
    .argument("[folder]", "inside the workspace; its own without it")
    .option("--workspace <workspace>", WORKSPACE)
    .action(list);
  asking(
    group
      .command("cat")
      .description("print a file's start, or write an image, made small, to a pipe or file"),
  )
    .argument("<file>", "inside the workspace")
    .option("--workspace <workspace>", WORKSPACE)
    .action(cat);
}

async function list(folder: string | undefined, options: WorkspaceOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const listed = await session.client.call("files.list", { workspaceId, path: folder ?? "" }, session.call);
    output.value(listed);
    for (const { name, kind, size } of listed.entries) {
      const mark = { dir: "/", link: "@", file: "" }[kind];
      output.line(output.isTerminal ? `${sizeText(size).padStart(8)}  ${name}${mark}` : `${name}${mark}`);
    }
    if (listed.truncated === true) output.note("There is more; this is where the list was cut");
  });
}

async function cat(path: string, options: WorkspaceOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const file = await session.client.call("files.read", { workspaceId, path }, session.call);
    output.value(file);
    if (!output.json) show(output, file);
  });
}

/** On a terminal nothing in a file moves the cursor; elsewhere it goes as it is. */
function show(output: Output, file: RpcResult<"files.read">): void {
  if (file.kind === "binary") {
    throw new CommandFailure(
      ExitCode.unavailable,
      `This is a binary file of ${sizeText(file.size)}; it is not sent`,
    );
  }
  if (file.kind === "image") {
    if (output.isTerminal)
      output.line(`An image (${file.mediaType}); redirect the output to a file to have it`);
    else process.stdout.write(Buffer.from(file.data, "base64"));
    return;
  }
  if (output.isTerminal) output.text(file.text);
  else process.stdout.write(file.text);
  if (file.truncated) output.note(`This is the start; the file has ${sizeText(file.size)}`);
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}
