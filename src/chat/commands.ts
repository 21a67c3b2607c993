/** Slash commands: the app's own, those that set what chat.configure sets, and the agent's, which are sent as text. */
import { invalidParams, notFound } from "../protocol/errors.js";
import type { ChatCommand, RpcResult } from "../protocol/rpc.js";
import type { Chat } from "./chat.js";
import type { AgentCommand, PastEntry } from "./driver.js";
import { LISTED_CHARS, MAX_LISTED } from "./limits.js";
import { clip, oneLine } from "./text.js";

const OWN: readonly ChatCommand[] = [
  { name: "rename", description: "Gives the chat a title", runs: "command", args: "<title>" },
  {
    name: "clear",
    description: "Starts the conversation over; the earlier one stays among the past chats",
    runs: "command",
  },
  {
    name: "compact",
    description: "Shortens what the agent remembers to a summary",
    runs: "command",
    args: "[what to keep]",
  },
  {
    name: "resume",
    description: "Lists past chats, or opens one in a new tab",
    runs: "command",
    args: "[id or words of its title]",
  },
  {
    name: "now",
    description: "Ends the present reply and has this read at once",
    runs: "command",
    args: "<message>",
  },
  { name: "stop", description: "Ends the running turn", runs: "command" },
  { name: "model", description: "Chooses the model", runs: "settings", sets: "model", args: "<model>" },
  {
    name: "effort",
    description: "Chooses how long the model thinks",
    runs: "settings",
    sets: "effort",
    args: "<level>",
  },
  {
    name: "mode",
    description: "Chooses what the agent may do unasked",
    runs: "settings",
    sets: "permissionMode",
    args: "<mode>",
  },
];

/** The picker's list: ours first; an agent's command of the same name is ours then. */
export function listCommands(agent: readonly AgentCommand[]): ChatCommand[] {
  const own = new Set(OWN.map((command) => command.name));
  const theirs = agent
    .filter((command) => !own.has(command.name))
    .slice(0, MAX_LISTED - OWN.length)
    .map((command): ChatCommand => {
      const args = oneLine(command.args ?? "", LISTED_CHARS);
      return {
        name: clip(command.name, LISTED_CHARS),
        description: oneLine(command.description, LISTED_CHARS),
        runs: "send",
        ...(args === "" ? {} : { args }),
      };
    });
  return [...OWN, ...theirs];
}

export interface CommandDeps {
  readonly past: (query: string | undefined, limit: number) => Promise<PastEntry[]>;
  readonly resume: (sessionId: string) => Promise<string>;
}

/** Past chats that /resume lists. */
const RESUME_LISTED = 10;

type CommandResult = RpcResult<"chat.command">;

/** Runs one of the app's commands; NotFound for a name that is none of them. */
export async function runCommand(
  chat: Chat,
  command: { name: string; args: string },
  deps: CommandDeps,
): Promise<CommandResult> {
  const args = command.args.trim();
  switch (command.name.replace(/^\//, "")) {
    case "rename":
      return { message: `The chat is called ${JSON.stringify(await chat.rename(args))} now` };
    case "clear":
      await chat.clear();
      return {};
    case "compact":
      await chat.compact(args);
      return {};
    case "now":
      if (args === "") throw invalidParams("/now takes the message");
      await chat.send({ text: args, priority: "now" });
      return {};
    case "stop":
      await chat.interrupt();
      return {};
    case "resume":
      return resume(args, deps);
    default:
      throw notFound("command");
  }
}

async function resume(args: string, deps: CommandDeps): Promise<CommandResult> {
  const all = await deps.past(args === "" ? undefined : args, RESUME_LISTED);
  const byId =
    args === ""
      ? undefined
      : (await deps.past(undefined, MAX_LISTED)).find((past) => past.sessionId === args);
  const only = byId ?? (args !== "" && all.length === 1 ? all[0] : undefined);
  if (only !== undefined) return { tabId: await deps.resume(only.sessionId) };
  if (all.length === 0) return { message: "No past chat of this folder has that in its title" };
  const lines = all.map(
    (past) => `${new Date(past.at).toISOString().slice(0, 16)}  ${past.sessionId}  ${past.title}`,
  );
  return { message: ["/resume ID opens one of these:", ...lines].join("\n") };
}
