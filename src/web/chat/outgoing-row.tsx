/** A message that the daemon has not taken yet. */
import { S } from "../strings.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import type { Outbox, Outgoing } from "./outbox.js";

export function OutgoingRow({ message, outbox }: { message: Outgoing; outbox: Outbox }) {
  const { id, text, pictures, state, why } = message;
  const stuck = state === "failed" || state === "uncertain";
  return (
    <article class={`bubble user outgoing ${state}`} data-outgoing={state}>
      {text !== "" && <p class="bubble-text">{text}</p>}
      {pictures.length > 0 && (
        <p class="bubble-note">
          <Icon name="image" size={14} /> {pictures.length}
        </p>
      )}
      <p class="bubble-note" role="status">
        <Icon name={stuck ? "close" : "clock"} size={14} />
        {state === "waiting"
          ? S.waiting
          : state === "sending"
            ? S.sending
            : state === "failed"
              ? S.failed
              : S.uncertain}
        {state === "failed" && why !== undefined && `: ${why}`}
      </p>
      {stuck && (
        <div class="row">
          <Button onClick={() => outbox.again(id)}>{S.sendAgain}</Button>
          <Button kind="quiet" onClick={() => outbox.discard(id)}>
            {S.discard}
          </Button>
        </div>
      )}
    </article>
  );
}
