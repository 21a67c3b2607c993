/** One session in the list: what it is, where, what it said last, since when. */
import { Link, useLocation } from "wouter-preact";
import type { RemoteSession, RemoteWorkspace } from "../../protocol/rpc.js";
import { toSession } from "../routes.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";
import { ageOf } from "../ui/time.js";

interface SessionRowProps {
  session: RemoteSession;
  workspace: RemoteWorkspace | undefined;
  showWorkspace: boolean;
}

export function SessionRow({ session, workspace, showWorkspace }: SessionRowProps) {
  const [location] = useLocation();
  const to = toSession(session.workspaceId, session.tabId);
  const words = session.waiting?.text ?? session.last;
  return (
    <li>
      <Link
        href={to}
        class={`session-row ${session.state}`}
        {...(location === to ? { "aria-current": "page" as const } : {})}
      >
        <span class={`kind ${session.kind}`}>
          <Icon name={session.kind} size={18} />
          <span class="state-dot" />
        </span>
        <span class="session-words">
          <span class="session-title">
            <span class="hidden-words">
              {S.kinds[session.kind]}, {S.states[session.state]}:{" "}
            </span>
            {session.title}
          </span>
          {words !== undefined && words !== "" && <span class="session-last">{words}</span>}
          {showWorkspace && workspace !== undefined && (
            <span class="session-where">
              {workspace.name}
              {workspace.git?.branch != null && (
                <>
                  <Icon name="branch" size={12} />
                  {workspace.git.branch}
                </>
              )}
            </span>
          )}
        </span>
        {session.since !== undefined && (
          <time class="session-age" dateTime={new Date(session.since).toISOString()}>
            {ageOf(session.since)}
          </time>
        )}
      </Link>
    </li>
  );
}
