/** The rest of nexus chat: configure, commands, images, tasks, names and past chats. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { Option } from "commander";
import { type ImageMediaType, MAX_ATTACHMENT_BYTES } from "../../protocol/rpc.js";
import { asking, type CommonOptions, parseInteger } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput, type Output, whenText } from "../output.js";
import { type ChatRef, chatTab, refOf, settings } from "./chat-verbs.js";
import { WORKSPACE, type WorkspaceOptions, workspaceOf } from "./workspace.js";

const TAB = "the chat: its id, a start of it, its title, or WORKSPACE/TAB by their ids";

const agentOption = (): Option =>
  new Option("--agent <agent>").choices(["claude", "codex"]).default("claude");

/** Adds the verbs to `nexus chat`. */
export function registerChatMore(group: Command): void {
  asking(group.command("configure").description("set model, effort or mode"))
    .argument("<tab>", TAB)
    .option("--model <model>")
    .option("--effort <effort>")
    .option("--mode <mode>", "the permission mode")
    .action(settings);
  asking(group.command("commands").description("list a chat's slash commands"))
    .argument("<tab>", TAB)
    .action(commands);
  asking(group.command("command").description("run one of the app's own slash commands"))
    .argument("<tab>", TAB)
    .argument("<name>", "as chat commands lists it")
    .argument("[args...]", "what follows its name")
    .action(command);
  asking(group.command("attach").description("send a message with an image: a png, jpeg, gif or webp file"))
    .argument("<tab>", TAB)
    .argument("<file>")
    .argument("[text]", "what to say of it")
    .action(attach);
  asking(group.command("stop-task").description("stop a background task or a subagent"))
    .argument("<tab>", TAB)
    .argument("<task>", "its id, as chat read --json shows it")
    .action(stopTask);
  asking(group.command("rename").description("give a chat a title"))
    .argument("<tab>", TAB)
    .argument("<title>")
    .action(rename);
  registerPast(group);
}

function registerPast(group: Command): void {
  asking(
    group.command("history").description("list the past chats of a workspace's folder, the latest first"),
  )
    .argument("[query]", "only those whose title has it")
    .addOption(agentOption())
    .option("--workspace <workspace>", WORKSPACE)
    .addOption(new Option("--limit <count>", "so many").argParser(parseInteger(1, 200)))
    .action(history);
  asking(group.command("resume").description("open a past chat and print the id of its tab"))
    .argument("<session>", "its id, as chat history lists it")
    .addOption(agentOption())
    .option("--workspace <workspace>", WORKSPACE)
    .action(resume);
}

type Work<T> = (session: Session, ref: ChatRef, output: Output) => Promise<T>;

/** Finds the chat, does the work, and prints its answer with --json. */
async function onChat<T>(tab: string, options: CommonOptions, work: Work<T>): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    output.value(await work(session, refOf(await chatTab(session, tab)), output));
  });
}

const commands = (tab: string, options: CommonOptions): Promise<void> =>
  onChat(tab, options, async ({ client, call }, ref, output) => {
    const listed = await client.call("chat.commands", ref, call);
    const rows = listed.commands.map(({ name, args, description }) => [`/${name}`, args ?? "", description]);
    if (!output.json) output.table(["COMMAND", "ARGUMENTS", "WHAT IT DOES"], rows);
    return listed;
  });

const command = (tab: string, name: string, args: string[], options: CommonOptions): Promise<void> =>
  onChat(tab, options, async ({ client, call }, ref, output) => {
    const text = args.join(" ");
    const said = await client.call(
      "chat.command",
      { ...ref, name, ...(text === "" ? {} : { args: text }) },
      call,
    );
    for (const line of (said.message ?? said.tabId ?? "Done").split("\n")) output.line(line);
    return said;
  });

const attach = (tab: string, file: string, text: string | undefined, options: CommonOptions): Promise<void> =>
  onChat(tab, options, async ({ client, call }, ref, output) => {
    const data = await readFile(file);
    if (data.length > MAX_ATTACHMENT_BYTES)
      throw usage(`An image has at most ${MAX_ATTACHMENT_BYTES / 1024} KiB`);
    const image = { mediaType: mediaTypeOf(data), data: data.toString("base64") };
    const { attachmentId } = await client.call("chat.attach", { ...ref, ...image }, call);
    const sent = await client.call(
      "chat.send",
      { ...ref, text: text ?? "", attachments: [attachmentId] },
      call,
    );
    output.line(sent.at === undefined ? "Sent" : String(sent.at));
    return sent;
  });

/** By the file's first bytes; the daemon looks closer. */
function mediaTypeOf(data: Buffer): ImageMediaType {
  const start = data.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF8")) return "image/gif";
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  throw usage("The file is no png, jpeg, gif or webp");
}

const stopTask = (tab: string, taskId: string, options: CommonOptions): Promise<void> =>
  onChat(tab, options, async ({ client, call }, ref, output) => {
    const done = await client.call("chat.stopTask", { ...ref, taskId }, call);
    output.line("Stopped");
    return done;
  });

const rename = (tab: string, title: string, options: CommonOptions): Promise<void> =>
  onChat(tab, options, async ({ client, call }, ref, output) => {
    const renamed = await client.call("chat.rename", { ...ref, title }, call);
    output.line(renamed.title);
    return renamed;
  });

interface PastOptions extends WorkspaceOptions {
  readonly agent: "claude" | "codex";
  readonly limit?: number;
}

async function history(query: string | undefined, options: PastOptions): Promise<void> {
  const output = createOutput(options);
  const { agent, limit } = options;
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const filter = { ...(query === undefined ? {} : { query }), ...(limit === undefined ? {} : { limit }) };
    const past = await session.client.call("history.list", { workspaceId, agent, ...filter }, session.call);
    output.value(past);
    if (output.json) return;
    output.table(
      ["WHEN", "ID", "TITLE"],
      past.sessions.map(({ at, sessionId, title }) => [whenText(at), sessionId, title]),
    );
  });
}

async function resume(sessionId: string, options: PastOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const opened = await session.client.call(
      "chat.resume",
      { workspaceId, agent: options.agent, sessionId },
      session.call,
    );
    output.value({ workspaceId, ...opened });
    output.line(opened.tabId);
  });
}
