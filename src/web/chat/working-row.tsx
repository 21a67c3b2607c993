/** That the agent is at work, and for how long; said to screen readers when it begins and ends. */
import { useEffect, useState } from "preact/hooks";
import type { ChatStatus } from "../../protocol/view.js";
import { S } from "../strings.js";
import { lengthOf } from "../ui/time.js";

export function WorkingRow({ status }: { status: ChatStatus }) {
  const busy = status.state === "working" || status.state === "starting";
  return (
    <>
      <p class={`working${busy ? "" : " hidden-words"}`} role="status">
        {busy && (
          <>
            <span class="pulse" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            {status.state === "starting" ? S.starting : S.working}
            {status.turn !== undefined && <Running since={status.turn.startedAt} />}
          </>
        )}
        {status.state === "idle" && S.turnDone}
      </p>
      {status.error !== undefined && (
        <p class="notice error" role="alert">
          {status.error.message}
        </p>
      )}
      {status.state === "closed" && <p class="notice info">{S.chatClosed}</p>}
    </>
  );
}

function Running({ since }: { since: number }) {
  const [at, setAt] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setAt(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="working-time" aria-hidden="true">
      {lengthOf(Math.max(0, at - since))}
    </span>
  );
}
