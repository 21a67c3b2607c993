/** Hunks of a diff: two columns of line numbers and the lines, added and removed ones marked in more than colour. */
import { useState } from "preact/hooks";
import type { DiffHunk } from "../../protocol/rpc.js";
import { MAX_LINE_CHARS, MAX_SHOWN_LINES } from "../limits.js";
import { S } from "../strings.js";
import { Button } from "../ui/button.js";

interface Row {
  readonly kind: "add" | "del" | "same" | "note" | "hunk";
  readonly old: string;
  readonly now: string;
  readonly text: string;
}

/** The rows of `hunks`, numbered. Pure. */
export function rowsOf(hunks: readonly DiffHunk[]): Row[] {
  return hunks.flatMap((hunk) => {
    let [old, now] = [hunk.oldStart, hunk.newStart];
    const head: Row = { kind: "hunk", old: "", now: "", text: `@@ −${hunk.oldStart} +${hunk.newStart} @@` };
    const rows = hunk.lines.map((line): Row => {
      const text = cut(line.slice(1));
      if (line.startsWith("+")) return { kind: "add", old: "", now: String(now++), text };
      if (line.startsWith("-")) return { kind: "del", old: String(old++), now: "", text };
      if (line.startsWith("\\")) return { kind: "note", old: "", now: "", text: line.slice(1).trim() };
      return { kind: "same", old: String(old++), now: String(now++), text };
    });
    return [head, ...rows];
  });
}

function cut(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} …` : line;
}

const SIGNS = { add: "+", del: "−", same: " ", note: " ", hunk: "" } as const;

export function Diff({ hunks, limit = MAX_SHOWN_LINES }: { hunks: readonly DiffHunk[]; limit?: number }) {
  const [shown, setShown] = useState(limit);
  const rows = rowsOf(hunks);
  if (rows.length === 0) return <p class="empty">{S.noDiff}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div class="diff" tabIndex={0} role="region" aria-label={S.changes}>
      <div class="diff-rows">
        {rows.slice(0, shown).map(({ kind, old, now, text }, index) => (
          <div key={index} class={`diff-row ${kind}`}>
            <span class="diff-number">{kind === "del" ? old : now}</span>
            <span class="diff-sign">{SIGNS[kind]}</span>
            <span class="diff-text">{text}</span>
          </div>
        ))}
      </div>
      {rows.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + MAX_SHOWN_LINES)}>
          {S.moreLines(rows.length - shown)}
        </Button>
      )}
    </div>
  );
}
