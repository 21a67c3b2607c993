/** nexus terminal: opens, reads, types into and waits on terminals. */
import { type Command, Option } from "commander";
import { TERMINAL_KEYS } from "../../protocol/rpc.js";
import { asking, parseDuration, parseInteger } from "../command.js";
import { attach } from "./attach.js";
import { answer, input, keys } from "./terminal-input.js";
import { close, list, open, read, rename, shells } from "./terminal-verbs.js";
import { wait } from "./terminal-wait.js";
import { watch } from "./terminal-watch.js";
import { WORKSPACE } from "./workspace.js";

const MAX_LINES = 5000;
const TAB = "the terminal: its id, a start of it, or its title";

export function registerTerminal(program: Command): void {
  const group = program
    .command("terminal")
    .description("open, read, type into and wait on terminals")
    .helpCommand(false);
  registerLooking(group);
  registerTyping(group);
  registerOpening(group);
}

function registerOpening(group: Command): void {
  asking(group.command("open").description("open a shell and print the id of its tab"))
    .argument("[command...]", "typed into the shell, which stays; after -- when it has options")
    .option("--workspace <workspace>", WORKSPACE)
    .option("--folder <folder>", "where, inside the workspace")
    .option("--shell <id>", "one that nexus terminal shells lists")
    .option("--title <title>", "what to call it")
    .addOption(new Option("--cols <count>", "columns").argParser(parseInteger(20, 500)))
    .addOption(new Option("--rows <count>", "rows").argParser(parseInteger(5, 200)))
    .action(open);
  asking(group.command("shells").description("list the shells that a terminal can run"))
    .option("--workspace <workspace>", WORKSPACE)
    .action(shells);
  asking(group.command("rename").description("give a terminal a title that stays"))
    .argument("<tab>", TAB)
    .argument("<title>")
    .action(rename);
  asking(group.command("close").description("close a terminal"))
    .argument("<tab>", TAB)
    .option("--force", "also when a program runs in it")
    .action(close);
}

function registerLooking(group: Command): void {
  asking(group.command("ls").description("list the terminals")).action(list);
  asking(group.command("read").description("print what a terminal shows"))
    .argument("<tab>", TAB)
    .addOption(linesOption())
    .option("--ansi", "with colours and styles")
    .action(read);
  asking(group.command("watch").description("show a terminal live until Ctrl-C"))
    .argument("<tab>", TAB)
    .addOption(linesOption())
    .option("--no-ansi", "without colours and styles")
    .action(watch);
  asking(group.command("wait").description("wait until a terminal is at its prompt, quiet, or what is asked"))
    .argument("<tab>", TAB)
    .option("--exit", "until its program ended")
    .option("--match <pattern>", "until a line matches this regular expression")
    .addOption(
      new Option(
        "--after <at>",
        "what ended before this moment does not count; terminal input prints it",
      ).argParser(parseInteger(0, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(new Option("--quiet <time>", "silence that counts as its end").argParser(parseDuration))
    .action(wait);
}

function registerTyping(group: Command): void {
  asking(group.command("input").description("type text as a paste, then keys, then Enter"))
    .argument("<tab>", TAB)
    .argument("[text]", "the text; - reads it from standard input, where other users do not see it")
    .option("--key <key...>", "keys to press after it")
    .option("--enter", "press Enter at the end")
    .action(input);
  asking(group.command("key").description(`press keys: ${TERMINAL_KEYS.join(" ")}`))
    .argument("<tab>", TAB)
    .argument("<key...>")
    .action(keys);
  asking(group.command("answer").description("answer what an agent in a terminal asks"))
    .argument("<tab>", TAB)
    .argument("<decision>", "allow, always, deny, or stop (deny, and end its turn)")
    .option("--request <id>", "the request; what it waits for without it")
    .action(answer);
  asking(group.command("attach").description("work in a terminal; ctrl-] leaves it"))
    .argument("<tab>", TAB)
    .option("--detach-key <key>", "the key that leaves it, as ctrl-a", "ctrl-]")
    .action(attach);
}

function linesOption(): Option {
  return new Option("--lines <count>", "the last so many lines").argParser(parseInteger(1, MAX_LINES));
}
