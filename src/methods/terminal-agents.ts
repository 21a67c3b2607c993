/**
 * Text of an agent on its way into a terminal. Typed to an agent's program it
 * would be taken for the user's own words, so it goes in the frame that says
 * whose it is, and what such programs take for commands is refused.
 */
import type { RpcFailure } from "../protocol/errors.js";
import { forbidden, unavailable } from "../protocol/errors.js";
import type { RpcParams } from "../protocol/rpc.js";
import type { InputModes } from "../terminal/types.js";

/** Programs whose prompt is a conversation with an agent, by the name of their process. */
const AGENT_PROGRAM = /^(claude|codex|phi|opencode|gemini|aider|cursor-agent|amp|goose)\b/i;

/** At the start of a message such programs take these for commands: a shell line, a slash command, a memory, a file. */
const COMMAND_LEAD = /^\s*[!/#@]/;

export type AgentInput = Pick<RpcParams<"terminal.input">, "text" | "keys" | "enter">;

/** Whether an agent's program is in the foreground. */
export function runsAgent({ foreground }: Pick<InputModes, "foreground">): boolean {
  return foreground !== undefined && AGENT_PROGRAM.test(foreground);
}

export function forProgram(
  modes: Pick<InputModes, "foreground">,
  text: string | undefined,
  frame: (text: string) => string,
): string | undefined {
  return text !== undefined && text !== "" && runsAgent(modes) ? frame(text) : text;
}

/** Lines that would run one after the other, because nothing tells the program that they are a paste. */
export function runsLines({ text = "", enter }: AgentInput, modes: InputModes): number {
  if (modes.bracketedPaste) return 0;
  const breaks = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return breaks === 0 ? 0 : breaks + (enter === true && !/[\r\n]$/.test(text) ? 1 : 0);
}

/** Why an agent's input cannot go in now; undefined when it can. */
export function inputProblem(
  input: AgentInput,
  { modes, asks }: { modes: InputModes; asks: boolean },
): RpcFailure | undefined {
  if (modes.secret) return unavailable("The terminal waits for a password, which only a person types");
  if (asks) return unavailable("The agent in this terminal waits for a person's answer; try again later");
  if (!runsAgent(modes)) return undefined;
  if (input.keys?.includes("shift-tab") === true) {
    return forbidden("This key changes what the agent there may do, which only a person does");
  }
  if (input.text === undefined || input.text === "") return undefined;
  if (COMMAND_LEAD.test(input.text)) {
    return forbidden("A message to an agent cannot begin with !, /, # or @, which are its user's commands");
  }
  if (!modes.bracketedPaste) {
    return unavailable("The agent in this terminal takes no message now; send it to a chat with chat.send");
  }
  return undefined;
}
