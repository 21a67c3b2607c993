/** nexus terminal input, key and answer: what is typed, and what an agent in a terminal is told. */
import { type RpcParams, TERMINAL_KEYS, type TerminalKey } from "../../protocol/rpc.js";
import type { CommonOptions } from "../command.js";
import { withClient } from "../connect.js";
import { usage } from "../exit.js";
import { MAX_INPUT_CHARS } from "../limits.js";
import { createOutput } from "../output.js";
import { allOfInput } from "../prompt.js";
import { terminalTab } from "./terminal-verbs.js";

interface InputOptions extends CommonOptions {
  readonly key?: string[];
  readonly enter?: boolean;
}

/** Prints the moment for `terminal wait --after`. */
export async function input(tab: string, given: string | undefined, options: InputOptions): Promise<void> {
  const output = createOutput(options);
  const pressed = parseKeyNames(options.key ?? []);
  const text = given === "-" ? await textOfInput() : given;
  const enter = options.enter === true;
  if (text === undefined && pressed.length === 0 && !enter) {
    throw usage("Say what to type: a text, - for standard input, --key or --enter");
  }
  await withClient(options, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const result = await session.client.call(
      "terminal.input",
      {
        workspaceId,
        tabId,
        ...(text !== undefined && { text }),
        ...(pressed.length > 0 && { keys: pressed }),
        ...(enter && { enter }),
      },
      session.call,
    );
    output.value(result);
    if (result.at !== undefined) output.line(String(result.at));
  });
}

export async function keys(tab: string, names: string[], options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  const pressed = parseKeyNames(names);
  await withClient(options, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const result = await session.client.call(
      "terminal.input",
      { workspaceId, tabId, keys: pressed },
      session.call,
    );
    output.value(result);
  });
}

async function textOfInput(): Promise<string> {
  const text = await allOfInput(MAX_INPUT_CHARS);
  if (text === undefined) throw usage(`Standard input is longer than ${MAX_INPUT_CHARS} characters`);
  return text;
}

/** Keys by the protocol's names. Throws usage for another one. */
export function parseKeyNames(names: readonly string[]): TerminalKey[] {
  return names.map((name) => {
    const key = TERMINAL_KEYS.find((known) => known === name.toLowerCase());
    if (key === undefined) throw usage(`No key is called ${name}; there is ${TERMINAL_KEYS.join(" ")}`);
    return key;
  });
}

type Decision = RpcParams<"terminal.answer">["decision"];

const DECISIONS: Readonly<Record<string, Decision>> = {
  allow: "allow",
  always: "allowAlways",
  deny: "deny",
  stop: "denyStop",
};

export async function answer(
  tab: string,
  word: string,
  options: CommonOptions & { request?: string },
): Promise<void> {
  const output = createOutput(options);
  const decision = Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;
  if (decision === undefined) throw usage(`A decision is one of ${Object.keys(DECISIONS).join(", ")}`);
  await withClient(options, async (session) => {
    const { workspaceId, tabId, session: asked } = await terminalTab(session, tab);
    const requestId = options.request ?? asked.waiting?.requestId;
    if (requestId === undefined) throw usage("Nothing waits for an answer in this terminal");
    const result = await session.client.call(
      "terminal.answer",
      { workspaceId, tabId, requestId, decision },
      session.call,
    );
    output.value(result);
    output.line("Answered");
  });
}
