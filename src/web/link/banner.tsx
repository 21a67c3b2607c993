/** The truth about the link: nothing when it is live, a line when it is not. */
import { S } from "../strings.js";
import { clockOf } from "../ui/time.js";
import { client, link, offlineSince } from "./connection.js";

export function LinkBanner() {
  const { state } = link.value;
  const since = offlineSince.value;
  const down = state !== "ready";
  return (
    <div class={`link-banner${down ? " shown" : ""}`} role="status" aria-live="polite" data-state={state}>
      {down && (
        <>
          <span class="link-dot" />
          <span class="link-words">
            {since === undefined ? S.connecting : S.offlineSince(clockOf(since))}
            {since !== undefined && <small>{S.offlineWaits}</small>}
          </span>
          {state === "offline" && (
            <button type="button" class="link-retry" onClick={() => client.value?.wake()}>
              {S.reconnectNow}
            </button>
          )}
        </>
      )}
    </div>
  );
}
