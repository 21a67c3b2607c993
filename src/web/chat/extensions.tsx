/** What extensions put beside a chat: plain text in their own frames. */
import type { ExtensionPanel } from "../../protocol/view.js";
import { S } from "../strings.js";

export function Extensions({ panel }: { panel: ExtensionPanel }) {
  return (
    <section class="extensions">
      <h2>{S.extension}</h2>
      {panel.status.map(({ ext, key, level, text }) => (
        <p key={`${ext} ${key}`} class={`notice ${level}`}>
          {text}
        </p>
      ))}
      {[...panel.widgets, ...(panel.panel === undefined ? [] : [panel.panel])].map(
        ({ ext, id, title, lines }) => (
          <div key={`${ext} ${id}`}>
            <h3>{title ?? ext}</h3>
            <pre class="plain-text">{lines.join("\n")}</pre>
          </div>
        ),
      )}
      {panel.notes.map(({ ext, level, text, at }) => (
        <p key={`${ext} ${at}`} class={`notice ${level}`}>
          {text}
        </p>
      ))}
    </section>
  );
}
