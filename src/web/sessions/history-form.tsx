/** Chats of the past, latest first, found by their titles. */
import { useEffect, useState } from "preact/hooks";
import { call, useAction, useRead } from "../link/call.js";
import { S } from "../strings.js";
import { ageOf, bytesOf } from "../ui/time.js";
import { type Agent, AgentChoice } from "./agent-choice.js";
import type { NewFormProps } from "./new-sheet.js";

/** After the last key, before it is asked. */
const SEARCH_PAUSE_MS = 250;

export function HistoryForm({ workspaceId, onOpened }: NewFormProps) {
  const [agent, setAgent] = useState<Agent>("claude");
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, error, loading } = useRead(
    "history.list",
    workspaceId === "" ? undefined : { workspaceId, agent, ...(query === "" ? {} : { query }) },
  );
  const { busy, run } = useAction();
  return (
    <div class="stack">
      <AgentChoice agent={agent} onAgent={setAgent} />
      <input
        type="search"
        class="search"
        aria-label={S.searchHistory}
        placeholder={S.searchHistory}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {error !== undefined && <p class="problem">{error}</p>}
      {data !== undefined && data.sessions.length === 0 && <p class="empty">{S.noHistory}</p>}
      {data === undefined && loading && <p class="empty">{S.loading}</p>}
      <ul class="history">
        {data?.sessions.map(({ sessionId, title, at, bytes, profile }) => (
          <li key={sessionId}>
            <button
              type="button"
              class="history-row"
              disabled={busy}
              onClick={() =>
                run(async () =>
                  onOpened((await call("chat.resume", { workspaceId, agent, sessionId })).tabId),
                )
              }
            >
              <span class="session-title">{title}</span>
              <span class="session-where">
                {[ageOf(at), bytes === undefined ? "" : bytesOf(bytes), profile ?? ""]
                  .filter((part) => part !== "")
                  .join(" · ")}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
