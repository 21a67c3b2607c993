/** A tool's call: one line that says what it does, and inside it the input, the output, pictures, diffs and subagents. */
import { useContext, useState } from "preact/hooks";
import type { AssistantItem, ViewTask, ViewToolCall } from "../../protocol/view.js";
import { Counts } from "../git/changed-files.js";
import { call, messageOf } from "../link/call.js";
import { S } from "../strings.js";
import { Diff } from "../text/diff.js";
import { Markdown } from "../text/markdown.js";
import { Button } from "../ui/button.js";
import { Icon, type IconName } from "../ui/icon.js";
import { lengthOf } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import { ChatContext } from "./chat-context.js";
import { ChatPicture } from "./chat-picture.js";
import { Thinking } from "./item-row.js";
import { Output } from "./output.js";

/** Diffs up to this long are open at once. */
const SMALL_PATCH_LINES = 14;
/** How far subagents of subagents are drawn. */
const MAX_DEPTH = 3;

interface ToolCardProps {
  tool: ViewToolCall;
  task?: ViewTask | undefined;
  inside?: readonly AssistantItem[] | undefined;
  tools?: Readonly<Record<string, ViewToolCall>> | undefined;
  depth?: number;
}

export function ToolCard({ tool, task, inside, tools, depth = 0 }: ToolCardProps) {
  const tab = useContext(ChatContext);
  const [open, setOpen] = useState<boolean | undefined>(undefined);
  const [whole, setWhole] = useState<ViewToolCall | undefined>(undefined);
  const shown = whole ?? tool;
  const changes = changesOf(tool);
  const isOpen = open ?? (changes !== undefined && changes.lines <= SMALL_PATCH_LINES && depth === 0);
  const took = tool.startedAt !== undefined && tool.endedAt !== undefined ? tool.endedAt - tool.startedAt : 0;
  const readWhole = (): void => {
    call("chat.tool", { ...tab, toolUseId: tool.toolUseId }).then(setWhole, (error: unknown) =>
      toast(messageOf(error), "error"),
    );
  };
  return (
    <section class={`tool-card ${tool.state}`} data-tool={tool.name}>
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={iconOf(tool)} size={15} />
        <span class="tool-name">{tool.name}</span>
        <span class="tool-title">{tool.title}</span>
        {changes !== undefined && <Counts added={changes.added} removed={changes.removed} />}
        {took >= 1000 && <span class="tool-time">{lengthOf(took)}</span>}
        {tool.exitCode !== undefined && tool.exitCode !== 0 && (
          <span class="tool-exit">{S.exitCode(tool.exitCode)}</span>
        )}
        <span class="tool-state" title={S.toolStates[tool.state]}>
          <span class="hidden-words">{S.toolStates[tool.state]}</span>
        </span>
      </button>
      {isOpen && (
        <div class="tool-body">
          {changes === undefined && <Input tool={shown} />}
          {shown.patch?.map(({ path, hunks }) => (
            <div key={path}>
              <p class="fine">
                <bdi>{path}</bdi>
              </p>
              <Diff hunks={hunks} limit={200} />
            </div>
          ))}
          {shown.result !== undefined && (shown.result.text !== "" || shown.result.images.length > 0) && (
            <>
              {shown.result.text !== "" && changes === undefined && <Output text={shown.result.text} />}
              {shown.result.images.map((_image, index) => (
                <ChatPicture key={index} of={{ kind: "tool", toolUseId: tool.toolUseId, index }} />
              ))}
              {shown.result.truncated === true && whole === undefined && (
                <Button kind="quiet" onClick={readWhole}>
                  {S.wholeOutput}
                </Button>
              )}
            </>
          )}
          {task?.output !== undefined && task.output !== "" && <Output text={task.output} />}
        </div>
      )}
      {inside !== undefined && inside.length > 0 && depth < MAX_DEPTH && (
        <details class="subagent">
          <summary>
            {S.subagent} · {S.steps(inside.length)}
          </summary>
          {inside.map((item) => (
            <InsideItem key={item.key} item={item} tools={tools ?? {}} depth={depth + 1} />
          ))}
        </details>
      )}
    </section>
  );
}

interface InsideProps {
  item: AssistantItem;
  tools: Readonly<Record<string, ViewToolCall>>;
  depth: number;
}

function InsideItem({ item, tools, depth }: InsideProps) {
  if (item.kind === "text") return <Markdown text={item.text} />;
  if (item.kind === "thinking") return <Thinking text={item.text} streaming={item.streaming === true} />;
  const tool = tools[item.toolUseId];
  return tool === undefined ? null : <ToolCard tool={tool} depth={depth} />;
}

/** The input as one reads it: a command as it is, all else by its names. */
function Input({ tool }: { tool: ViewToolCall }) {
  const { command } = tool.input;
  if (typeof command === "string") return <pre class="tool-input command">{command}</pre>;
  const entries = Object.entries(tool.input);
  if (entries.length === 0) return null;
  return (
    <dl class="tool-input">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value, null, 1)}</dd>
        </div>
      ))}
    </dl>
  );
}

function changesOf(tool: ViewToolCall): { added: number; removed: number; lines: number } | undefined {
  if (tool.patch === undefined || tool.patch.length === 0) return undefined;
  const lines = tool.patch.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines));
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    lines: lines.length,
  };
}

function iconOf({ name, input }: ViewToolCall): IconName {
  if ("command" in input) return "terminal";
  if (/edit|write|patch/i.test(name)) return "pen";
  if (/read|file|glob|ls$/i.test(name)) return "file";
  if (/grep|search|fetch/i.test(name)) return "search";
  if (/agent|task/i.test(name)) return "user";
  return "wrench";
}
