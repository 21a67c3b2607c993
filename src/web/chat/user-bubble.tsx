/** A message in the chat: yours, or that of another agent, which must never look like yours. */
import type { ViewItem } from "../../protocol/view.js";
import { S } from "../strings.js";
import { Icon } from "../ui/icon.js";
import { ChatPicture } from "./chat-picture.js";

export function UserBubble({ item }: { item: Extract<ViewItem, { kind: "user" }> }) {
  const { from, state, text, images, key } = item;
  return (
    <article class={`bubble ${from === undefined ? "user" : "agent"} ${state}`} data-state={state}>
      {from !== undefined && (
        <header class="bubble-from">
          <Icon name="codex" size={14} />
          <strong>{S.fromAgent(from.name ?? from.agent ?? from.tabId)}</strong>
          <small>{S.fromAgentNote}</small>
        </header>
      )}
      {images.length > 0 && (
        <div class="pictures">
          {images.map((_image, index) => (
            <ChatPicture key={index} of={{ kind: "user", itemKey: key, index }} />
          ))}
        </div>
      )}
      {text !== "" && (
        <p class="bubble-text" dir="auto">
          {text}
        </p>
      )}
      {state !== "sent" && (
        <p class="bubble-note">
          <Icon name={state === "queued" ? "clock" : "close"} size={14} />
          {state === "queued" ? `${S.queued}: ${S.queuedWhy}` : S.failed}
        </p>
      )}
    </article>
  );
}
