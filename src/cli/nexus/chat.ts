/** nexus chat: opens, reads, writes to and waits on chats. */
import { type Command, Option } from "commander";
import { asking, parseInteger } from "../command.js";
import { registerChatMore } from "./chat-more.js";
import { answer, send } from "./chat-send.js";
import { read, watch } from "./chat-show.js";
import { close, create, interrupt, list, settings } from "./chat-verbs.js";
import { wait } from "./chat-wait.js";
import { WORKSPACE } from "./workspace.js";

const TAB = "the chat: its id, a start of it, its title, or WORKSPACE/TAB by their ids";

/** The most items that a page has. */
const MAX_ITEMS = 500;

export function registerChat(program: Command): void {
  const group = program
    .command("chat")
    .description("open, read, write to and wait on chats with agents")
    .helpCommand(false);
  registerLooking(group);
  registerWriting(group);
  registerChatMore(group);
}

function registerLooking(group: Command): void {
  asking(group.command("ls").description("list the chats")).action(list);
  asking(group.command("read").description("print the last items of a chat"))
    .argument("<tab>", TAB)
    .addOption(new Option("--limit <count>", "so many items").argParser(parseInteger(1, MAX_ITEMS)))
    .action(read);
  asking(group.command("watch").description("print a chat's items as they are done, until Ctrl-C"))
    .argument("<tab>", TAB)
    .action(watch);
  asking(group.command("wait").description("wait until a chat's turn is over, and print what it said"))
    .argument("<tab>", TAB)
    .addOption(
      new Option(
        "--after <at>",
        "a turn that ended before this moment does not count; chat send prints it",
      ).argParser(parseInteger(0, Number.MAX_SAFE_INTEGER)),
    )
    .action(wait);
  asking(group.command("settings").description("show or set model, effort and mode"))
    .argument("<tab>", TAB)
    .option("--model <model>")
    .option("--effort <effort>")
    .option("--mode <mode>", "the permission mode")
    .action(settings);
}

function registerWriting(group: Command): void {
  asking(group.command("send").description("send a message"))
    .argument("<tab>", TAB)
    .argument("[text]", "the message; - reads it from standard input, where other users do not see it")
    .option("--wait", "wait for the answer and print it")
    .action(send);
  asking(group.command("new").description("open a chat and print the id of its tab"))
    .argument("[prompt]", "its first message; - reads it from standard input")
    .addOption(new Option("--agent <agent>").choices(["claude", "codex"]).default("claude"))
    .option("--workspace <workspace>", WORKSPACE)
    .option("--folder <folder>", "where, inside the workspace")
    .option("--profile <profile>", "how to run the agent; nexus has no list of them, the owner's config does")
    .option("--model <model>")
    .option("--effort <effort>")
    .option("--mode <mode>", "the permission mode")
    .action(create);
  asking(group.command("answer").description("answer what a chat's agent asks"))
    .argument("<tab>", TAB)
    .argument("<decision>", "allow, always, deny, or stop (deny, and end its turn)")
    .option("--request <id>", "the request; the oldest that waits without it")
    .option("--message <why>", "with deny: why")
    .action(answer);
  asking(group.command("interrupt").description("end the turn that runs"))
    .argument("<tab>", TAB)
    .action(interrupt);
  asking(group.command("close").description("close a chat; the agent's own log of it stays"))
    .argument("<tab>", TAB)
    .action(close);
}
