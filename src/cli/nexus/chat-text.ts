/** Text for a chat, and what a chat's items look like as lines. */
import type { ViewItem } from "../../protocol/view.js";
import { usage } from "../exit.js";
import { MAX_MESSAGE_CHARS } from "../limits.js";
import { allOfInput } from "../prompt.js";

/** The argument, or standard input for `-`. */
export async function messageText(text: string | undefined): Promise<string> {
  const read = text === undefined || text === "-" ? await allOfInput(MAX_MESSAGE_CHARS) : text;
  if (read === undefined) throw usage(`A message has at most ${MAX_MESSAGE_CHARS} characters`);
  if (read.trim() === "") throw usage("Say what to send, or - to read it from standard input");
  return read;
}

type Tools = Readonly<Record<string, { readonly title: string; readonly state: string }>>;

/** An item for people; "" for what a reader of text does not miss. */
export function itemText(item: ViewItem, tools: Tools): string {
  switch (item.kind) {
    case "user": {
      const from = item.from === undefined ? "" : ` (the agent ${item.from.name ?? item.from.tabId})`;
      return `> ${item.text}${from}`;
    }
    case "text":
      return item.text;
    case "tool": {
      const tool = tools[item.toolUseId];
      return tool === undefined ? "" : `* ${tool.title} (${tool.state})`;
    }
    case "notice":
    case "unknown":
      return `! ${item.text}`;
    case "compacted":
      return "! The conversation was shortened";
    default:
      return "";
  }
}
