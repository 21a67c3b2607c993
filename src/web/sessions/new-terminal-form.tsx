/** A new terminal: which shell, in which folder, with which command. */
import { useState } from "preact/hooks";
import { call, useAction, useRead } from "../link/call.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import type { NewFormProps } from "./new-sheet.js";

export function NewTerminalForm({ workspaceId, onOpened }: NewFormProps) {
  const shells =
    useRead("terminal.shells", workspaceId === "" ? undefined : { workspaceId }).data?.shells ?? [];
  const [shell, setShell] = useState("");
  const [folder, setFolder] = useState("");
  const [command, setCommand] = useState("");
  const { busy, run } = useAction();
  const start = async (): Promise<void> => {
    const { tabId } = await call("terminal.open", {
      workspaceId,
      ...(shell === "" ? {} : { shell }),
      ...(folder.trim() === "" ? {} : { folder: folder.trim() }),
      ...(command.trim() === "" ? {} : { command }),
    });
    onOpened(tabId);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        run(start);
      }}
    >
      <label class="field">
        <span>{S.shell}</span>
        <select value={shell} onChange={(event) => setShell(event.currentTarget.value)}>
          {shells.length === 0 && <option value="">{S.profileDefault}</option>}
          {shells.map(({ id, name, isDefault }) => (
            <option key={id} value={isDefault ? "" : id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <PlainField label={S.folder} value={folder} onValue={setFolder} />
      <PlainField label={S.command} value={command} onValue={setCommand} />
      <Button kind="primary" submit wide disabled={busy || workspaceId === ""}>
        {S.start}
      </Button>
    </form>
  );
}

function PlainField(props: { label: string; value: string; onValue: (value: string) => void }) {
  return (
    <label class="field">
      <span>
        {props.label} <small>{S.optional}</small>
      </span>
      <input
        class="mono"
        value={props.value}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
    </label>
  );
}
