/** What a tool printed, with its colours, its beginning first. */
import { useState } from "preact/hooks";
import { MAX_LINE_CHARS } from "../limits.js";
import { S } from "../strings.js";
import { type Segment, segmentsOf } from "../terminal/ansi.js";
import { Button } from "../ui/button.js";

/** Lines shown at first, and with each touch. */
const FIRST_LINES = 30;
const MORE_LINES = 1000;

export function Output({ text }: { text: string }) {
  const [shown, setShown] = useState(FIRST_LINES);
  const lines = text.replace(/\n+$/, "").split("\n");
  return (
    <div class="output">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0} role="region" aria-label={S.toolOutput}>
        {lines.slice(0, shown).map((line, index) => (
          <Line key={index} segments={segmentsOf(line.slice(0, MAX_LINE_CHARS + 1))} />
        ))}
      </pre>
      {lines.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + MORE_LINES)}>
          {S.moreLines(lines.length - shown)}
        </Button>
      )}
    </div>
  );
}

/** The sixteen colours of a terminal only: the rest may not be readable on this ground. */
function Line({ segments }: { segments: readonly Segment[] }) {
  return (
    <>
      {segments.map((segment, index) =>
        segment.classes === "" ? (
          segment.text
        ) : (
          <span key={index} class={segment.classes}>
            {segment.text}
          </span>
        ),
      )}
      {"\n"}
    </>
  );
}
