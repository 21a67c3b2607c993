/** One item of a chat, drawn again only when it or what it names changed. */
import { memo } from "preact/compat";
import type { AssistantItem, ViewItem, ViewTask, ViewToolCall } from "../../protocol/view.js";
import { S } from "../strings.js";
import { Markdown } from "../text/markdown.js";
import { Icon } from "../ui/icon.js";
import { countOf, lengthOf } from "../ui/time.js";
import { ToolCard } from "./tool-card.js";
import { UserBubble } from "./user-bubble.js";

interface ItemRowProps {
  item: ViewItem;
  tool: ViewToolCall | undefined;
  task: ViewTask | undefined;
  /** A subagent's items. */
  inside: readonly AssistantItem[] | undefined;
  tools: Readonly<Record<string, ViewToolCall>> | undefined;
}

export const ItemRow = memo(({ item, tool, task, inside, tools }: ItemRowProps) => (
  <div class={`item ${item.kind}`} data-key={item.key}>
    {contentOf(item, tool, task, inside, tools)}
  </div>
));

function contentOf(
  item: ViewItem,
  tool: ViewToolCall | undefined,
  task: ViewTask | undefined,
  inside: readonly AssistantItem[] | undefined,
  tools: Readonly<Record<string, ViewToolCall>> | undefined,
) {
  switch (item.kind) {
    case "user":
      return <UserBubble item={item} />;
    case "text":
      return <Markdown text={item.text} />;
    case "thinking":
      return <Thinking text={item.text} streaming={item.streaming === true} />;
    case "tool":
      return tool === undefined ? null : <ToolCard tool={tool} task={task} inside={inside} tools={tools} />;
    case "notice":
      return <p class={`notice ${item.level}`}>{item.text}</p>;
    case "turn":
      return (
        <p class={`turn-end ${item.result}`}>
          {item.result === "done"
            ? S.turnDone
            : item.result === "interrupted"
              ? S.turnInterrupted
              : S.turnError}
          {" · "}
          {lengthOf(item.durationMs)}
          {item.usage !== undefined &&
            ` · ${countOf(item.usage.inputTokens + item.usage.outputTokens)} tokens`}
          {item.costUsd !== undefined && item.costUsd > 0 && ` · $${item.costUsd.toFixed(2)}`}
        </p>
      );
    case "compacted":
      return (
        <details class="compacted-note">
          <summary>{S.compacted}</summary>
          {item.summary !== undefined && <Markdown text={item.summary} />}
        </details>
      );
    case "unknown":
      return (
        <details class="compacted-note">
          <summary>{S.unknownItem(item.type)}</summary>
          <pre class="plain-text">{item.text}</pre>
        </details>
      );
  }
}

export function Thinking({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <details class="thinking">
      <summary>
        <Icon name="bulb" size={14} />
        {streaming ? S.thinking : S.thought}
        <span class="thinking-line">{text.slice(0, 200)}</span>
      </summary>
      <Markdown text={text} />
    </details>
  );
}
