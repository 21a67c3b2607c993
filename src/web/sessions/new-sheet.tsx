/** Begins something: a chat, a terminal, or a chat of the past. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { has, list } from "../link/connection.js";
import { toSession } from "../routes.js";
import { S } from "../strings.js";
import { Sheet } from "../ui/sheet.js";
import { HistoryForm } from "./history-form.js";
import { NewChatForm } from "./new-chat-form.js";
import { NewTerminalForm } from "./new-terminal-form.js";

const LAST_KEY = "nexus.workspace";

export interface NewFormProps {
  readonly workspaceId: string;
  readonly onOpened: (tabId: string) => void;
}

export function NewSheet({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation();
  const workspaces = list.value?.workspaces ?? [];
  const kept = localStorage.getItem(LAST_KEY);
  const first =
    workspaces.find((workspace) => workspace.id === kept) ??
    workspaces.find((workspace) => workspace.manager !== true) ??
    workspaces[0];
  const [workspaceId, setWorkspaceId] = useState(first?.id ?? "");
  const tabs = [
    ...(has("chat.control") ? (["chat"] as const) : []),
    ...(has("terminal.control") ? (["terminal"] as const) : []),
    ...(has("chat.control") && has("chat.read") ? (["resume"] as const) : []),
  ];
  const [tab, setTab] = useState(tabs[0]);
  const opened = (tabId: string): void => {
    localStorage.setItem(LAST_KEY, workspaceId);
    onClose();
    go(toSession(workspaceId, tabId));
  };
  const names = { chat: S.newChat, terminal: S.newTerminal, resume: S.resume };
  return (
    <Sheet title={S.newSession} onClose={onClose}>
      <div class="segments" role="group" aria-label={S.newSession}>
        {tabs.map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {names[name]}
          </button>
        ))}
      </div>
      <label class="field">
        <span>{S.workspace}</span>
        <select value={workspaceId} onChange={(event) => setWorkspaceId(event.currentTarget.value)}>
          {workspaces.map((workspace) => (
            <option key={workspace.id} value={workspace.id}>
              {workspace.parentId === undefined ? workspace.name : `${workspace.name} (${S.task})`}
            </option>
          ))}
        </select>
      </label>
      {tab === "chat" && <NewChatForm key={workspaceId} workspaceId={workspaceId} onOpened={opened} />}
      {tab === "terminal" && (
        <NewTerminalForm key={workspaceId} workspaceId={workspaceId} onOpened={opened} />
      )}
      {tab === "resume" && <HistoryForm key={workspaceId} workspaceId={workspaceId} onOpened={opened} />}
    </Sheet>
  );
}
