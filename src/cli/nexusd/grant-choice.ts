/** The owner chooses what a device may do, and says yes to what plain http makes risky. */
import { CAPABILITIES, type Capability } from "../../protocol/capabilities.js";
import { GRANT_SETS, nameGrant, resolveGrant, YES_OVER_HTTP } from "../../protocol/grants.js";
import { type AskOptions, ask } from "../prompt.js";

export const CAPS_HELP = `${Object.keys(GRANT_SETS).join(", ")}, or rights with commas between them: ${CAPABILITIES.join(", ")}`;

export const HTTP_SENTENCE =
  "Its page came over plain http: whoever can change traffic on that network can replace the page and act as this device";

const QUESTION_LINES = [
  "What may it do?",
  "  1 watch       see the list, chats and terminals",
  "  2 steer       watch, and write to chats, read files and git",
  "  3 everything  steer, and type into terminals",
  "  Add agents or owner after a comma: 2,agents. Rights by their names work too.",
  "  To control chats or terminals is to control this account.",
];

const BY_NUMBER: Readonly<Record<string, string>> = { "1": "watch", "2": "steer", "3": "everything" };

/** Asks until the answer names rights. */
export async function askGrant(
  note: (line: string) => void,
  options: AskOptions = {},
): Promise<Capability[]> {
  for (const line of QUESTION_LINES) note(line);
  for (;;) {
    const answer = await ask("Rights [1, 2, 3 or names]: ", options);
    try {
      return grantOf(answer);
    } catch (error) {
      note((error as Error).message);
    }
  }
}

/** Rights from numbers of the question, names of sets, and names of rights. */
export function grantOf(text: string): Capability[] {
  const words = text.split(/[\s,]+/).map((word) => BY_NUMBER[word] ?? word);
  return resolveGrant(words.join(","));
}

/** The rights among `rights` that a page from plain http gets only by the owner's typed yes. */
export function riskyOverHttp(rights: readonly Capability[]): Capability[] {
  return rights.filter((right) => YES_OVER_HTTP.includes(right));
}

/** Whether the owner typed the whole word yes to `sentence`. */
export async function typedYes(
  sentence: string,
  risky: readonly Capability[],
  options: AskOptions = {},
): Promise<boolean> {
  const answer = await ask(`${sentence}. Type yes to give it ${nameGrant(risky)} all the same: `, options);
  return answer.toLowerCase() === "yes";
}
