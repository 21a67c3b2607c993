/** The last lines of the audit: who did what, latest first. */
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../link/call.js";
import { S } from "../strings.js";
import { clockOf } from "../ui/time.js";
import { askOwner } from "./owner-page.js";

const ENTRIES = 100;
type Entry = Record<string, unknown>;

export function AuditTail() {
  const [entries, setEntries] = useState<Entry[] | undefined>(undefined);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    askOwner("owner.audit", { limit: ENTRIES }).then(
      (answer) => setEntries(answer.entries.toReversed()),
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, []);
  if (problem !== "") return <p class="problem">{problem}</p>;
  if (entries === undefined) return <p class="empty">{S.loading}</p>;
  if (entries.length === 0) return <p class="empty">{S.auditEmpty}</p>;
  return (
    <ol class="card audit">
      {entries.map((entry, index) => (
        <li key={index}>
          <time>{timeOf(entry)}</time>
          <span>{wordsOf(entry)}</span>
        </li>
      ))}
    </ol>
  );
}

function timeOf({ at }: Entry): string {
  const time = typeof at === "number" ? at : typeof at === "string" ? Date.parse(at) : Number.NaN;
  return Number.isNaN(time) ? "" : clockOf(time);
}

/** Entries of any shape, also of a later version: what they hold, in their order. */
function wordsOf(entry: Entry): string {
  return Object.entries(entry)
    .filter(([name, value]) => name !== "at" && value !== null && value !== "")
    .map(([name, value]) =>
      name === "method" || name === "what" ? String(value) : `${name} ${plain(value)}`,
    )
    .join(" · ");
}

function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
