/** What happened while nobody looked: the events since this device last saw the list. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { SessionEvent } from "../../protocol/rpc.js";
import { AWAY_MS } from "../limits.js";
import { call } from "../link/call.js";
import { link } from "../link/connection.js";
import { toSession } from "../routes.js";
import { S } from "../strings.js";
import { IconButton } from "../ui/button.js";
import { digestOf } from "./digest.js";

const KEY = "nexus.seen";
const digest = signal<SessionEvent[]>([]);
let hiddenAt = 0;

interface Seen {
  boot: string;
  cursor: number;
  at: number;
}

function seenBefore(): Seen | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? undefined;
  } catch {
    return undefined; // damaged: as if never seen
  }
}

async function look(): Promise<void> {
  const state = link.value;
  const boot = state.state === "ready" ? state.ready?.server.boot : undefined;
  if (boot === undefined || document.visibilityState !== "visible") return;
  const before = seenBefore();
  const since = before?.boot === boot ? before.cursor : undefined;
  const { events, cursor } = await call(
    "events.read",
    since === undefined ? { limit: 1 } : { since, limit: 500 },
  );
  const awayFor = Date.now() - Math.max(before?.at ?? Date.now(), 0);
  if (since !== undefined && awayFor > AWAY_MS) digest.value = digestOf(events);
  localStorage.setItem(KEY, JSON.stringify({ boot, cursor, at: Date.now() }));
}

/** Notes the time of the last look when the page goes to the background. */
function noteLook(): void {
  hiddenAt = Date.now();
  const before = seenBefore();
  if (before !== undefined) localStorage.setItem(KEY, JSON.stringify({ ...before, at: hiddenAt }));
}

export function Away() {
  const state = link.value.state;
  useEffect(() => {
    const again = (): void => {
      if (document.visibilityState === "hidden") noteLook();
      else look().catch(() => undefined); // no digest without a link; the list itself says so
    };
    again();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, [state]);
  const events = digest.value;
  if (events.length === 0) return null;
  const number = (to: string): number => events.filter((event) => event.to === to).length;
  const parts = [
    number("needs-you") > 0 && S.awayWaits(number("needs-you")),
    number("new-result") > 0 && S.awayFinished(number("new-result")),
    number("ended") > 0 && S.awayEnded(number("ended")),
  ].filter((part) => part !== false);
  return (
    <section class="away" aria-label={S.away}>
      <header>
        <div>
          <h2>{S.away}</h2>
          <p>{parts.join(" · ")}</p>
        </div>
        <IconButton
          icon="close"
          label={S.dismiss}
          onClick={() => {
            digest.value = [];
          }}
        />
      </header>
      <ul>
        {events.slice(0, 5).map((event) => (
          <li key={event.tabId}>
            <Link href={toSession(event.workspaceId, event.tabId)} class={`away-row ${event.to}`}>
              <span class="state-dot" />
              <span class="away-title">{event.title}</span>
              {event.message !== undefined && <span class="away-message">{event.message}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
