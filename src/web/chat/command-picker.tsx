/** The commands that begin as what was typed after a slash. */
import { useEffect, useState } from "preact/hooks";
import type { ChatCommand } from "../../protocol/rpc.js";
import { call } from "../link/call.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";

/** Shown at once; typing on finds the others. */
const MAX_SHOWN = 8;

/** All commands of a chat, read with the first slash, and those that fit. */
export function useCommands(tab: TabRef, text: string): { all: ChatCommand[]; shown: ChatCommand[] } {
  const [all, setAll] = useState<ChatCommand[] | undefined>(undefined);
  const wanted = text.startsWith("/");
  useEffect(() => {
    if (!wanted || all !== undefined) return;
    call("chat.commands", tab).then(
      ({ commands }) => setAll(commands.map((one) => ({ ...one, name: one.name.replace(/^\//, "") }))),
      () => undefined, // no picker; the text is sent as it is
    );
  }, [wanted, all, tab]);
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  const shown =
    typed === undefined ? [] : (all ?? []).filter(({ name }) => name.toLowerCase().includes(typed));
  const begins = (name: string): number => (name.toLowerCase().startsWith(typed ?? "") ? 0 : 1);
  return { all: all ?? [], shown: shown.sort((a, b) => begins(a.name) - begins(b.name)).slice(0, MAX_SHOWN) };
}

export function CommandPicker({
  commands,
  onPick,
}: {
  commands: ChatCommand[];
  onPick: (command: ChatCommand) => void;
}) {
  return (
    <ul class="command-picker" aria-label={S.commands}>
      {commands.map((command) => (
        <li key={command.name}>
          <button type="button" onClick={() => onPick(command)}>
            <strong>/{command.name}</strong> {command.args !== undefined && <code>{command.args}</code>}
            <span>{command.description}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
