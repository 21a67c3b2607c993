/** One file: its text with line numbers, or its picture. */
import { useState } from "preact/hooks";
import { MAX_LINE_CHARS, MAX_SHOWN_LINES } from "../limits.js";
import { useRead } from "../link/call.js";
import { S } from "../strings.js";
import { Highlighted } from "../text/code.js";
import { languageOfPath } from "../text/languages.js";
import { Picture } from "../text/picture.js";
import { Button } from "../ui/button.js";
import { bytesOf } from "../ui/time.js";

export function FileView({ workspaceId, path }: { workspaceId: string; path: string }) {
  const { data, error } = useRead("files.read", { workspaceId, path });
  if (error !== undefined) return <p class="empty problem">{error}</p>;
  if (data === undefined) return <p class="empty">{S.loading}</p>;
  if (data.kind === "binary") return <p class="empty">{S.binary(bytesOf(data.size))}</p>;
  if (data.kind === "image") {
    return (
      <div class="scroll file-picture">
        <Picture mediaType={data.mediaType} data={data.data} alt={path} />
      </div>
    );
  }
  return (
    <div class="scroll file-scroll">
      {data.truncated && <p class="fine">{S.cutAt(bytesOf(data.size))}</p>}
      <FileText text={data.text} path={path} />
    </div>
  );
}

function FileText({ text, path }: { text: string; path: string }) {
  const [shown, setShown] = useState(MAX_SHOWN_LINES);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const visible = lines
    .slice(0, shown)
    .map((line) => (line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} …` : line));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div class="file-text" tabIndex={0} role="region" aria-label={path}>
        <pre class="line-numbers" aria-hidden="true">
          {visible.map((_line, index) => index + 1).join("\n")}
        </pre>
        <pre class="file-code">
          <code>
            <Highlighted code={visible.join("\n")} language={languageOfPath(path)} />
          </code>
        </pre>
      </div>
      {lines.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + MAX_SHOWN_LINES)}>
          {S.moreLines(lines.length - shown)}
        </Button>
      )}
    </>
  );
}
