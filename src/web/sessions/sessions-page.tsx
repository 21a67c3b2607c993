/** The list of sessions: by state, who needs you first, or by folder. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { SessionsState } from "../../client/index.js";
import { has, link, list, listProblem, serverName } from "../link/connection.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";
import { Away } from "./away.js";
import { NewSheet } from "./new-sheet.js";
import { byState, byWorkspace } from "./order.js";
import { SessionRow } from "./session-row.js";
import { WorkspaceHead } from "./workspace-head.js";

const KEY = "nexus.grouping";

export function SessionsPage() {
  const [byFolder, setByFolder] = useState(localStorage.getItem(KEY) === "folder");
  const [making, setMaking] = useState(false);
  const choose = (folder: boolean): void => {
    setByFolder(folder);
    localStorage.setItem(KEY, folder ? "folder" : "state");
  };
  const canMake = has("chat.control") || has("terminal.control");
  return (
    <nav class="sessions" aria-label={S.sessions}>
      <header class="sessions-head">
        <div>
          <h1>{S.sessions}</h1>
          <p class="server-name">
            <span class={`link-dot ${link.value.state}`} />
            {serverName.value}
          </p>
        </div>
        <Link href="/settings" class="icon-button" aria-label={S.settings}>
          <Icon name="gear" />
        </Link>
      </header>
      <div class="segments" role="group" aria-label={S.sessions}>
        <button type="button" aria-pressed={!byFolder} onClick={() => choose(false)}>
          {S.byState}
        </button>
        <button type="button" aria-pressed={byFolder} onClick={() => choose(true)}>
          {S.byFolder}
        </button>
      </div>
      <div class="sessions-scroll">
        {has("sessions") && <Away />}
        <List state={list.value} byFolder={byFolder} />
      </div>
      {canMake && (
        <button type="button" class="fab" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          <span>{S.newSession}</span>
        </button>
      )}
      {making && <NewSheet onClose={() => setMaking(false)} />}
    </nav>
  );
}

function List({ state, byFolder }: { state: SessionsState | undefined; byFolder: boolean }) {
  if (state === undefined) {
    if (link.value.state === "ready" && !has("sessions")) return <p class="empty">{S.noRightSessions}</p>;
    if (listProblem.value !== undefined && link.value.state === "ready")
      return <p class="empty">{listProblem.value}</p>;
    return <Skeleton />;
  }
  const workspaceOf = (id: string) => state.workspaces.find((workspace) => workspace.id === id);
  if (state.sessions.length === 0 && !byFolder) {
    return (
      <div class="empty">
        <strong>{S.noSessions}</strong>
        {S.noSessionsHint}
        <span class="empty-files">
          {state.workspaces.map((workspace) => (
            <WorkspaceHead key={workspace.id} workspace={workspace} />
          ))}
        </span>
      </div>
    );
  }
  if (byFolder) {
    return (
      <>
        {byWorkspace(state).map(({ head, sessions }) => (
          <section key={head.id} class="group">
            <WorkspaceHead workspace={head} />
            <ul>
              {sessions.map((session) => (
                <SessionRow key={session.tabId} session={session} workspace={head} showWorkspace={false} />
              ))}
            </ul>
          </section>
        ))}
      </>
    );
  }
  return (
    <>
      {byState(state.sessions).map(({ head, sessions }) => (
        <section key={head} class={`group ${head}`}>
          <h2 class="group-head">
            {S.states[head]} <span>{sessions.length}</span>
          </h2>
          <ul>
            {sessions.map((session) => (
              <SessionRow
                key={session.tabId}
                session={session}
                workspace={workspaceOf(session.workspaceId)}
                showWorkspace
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label={S.loading}>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} />
      ))}
    </div>
  );
}
