/** Beside a chat: its to-dos, tasks, the files it changed, how full its context is. */
import { Link } from "wouter-preact";
import type { ViewTask } from "../../protocol/view.js";
import { Counts } from "../git/changed-files.js";
import { call, useAction } from "../link/call.js";
import { has } from "../link/connection.js";
import { toGit } from "../routes.js";
import type { TabRef } from "../sessions/session-page.js";
import { S } from "../strings.js";
import { Markdown } from "../text/markdown.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { ageOf, countOf } from "../ui/time.js";
import type { ChatView } from "./chat-store.js";
import { Extensions } from "./extensions.js";
import { Output } from "./output.js";

export function PanelView({ view, tab }: { view: ChatView | undefined; tab: TabRef }) {
  const panel = view?.panel;
  const tasks = view === undefined ? [] : Object.values(view.tasks).sort((a, b) => b.startedAt - a.startedAt);
  const bare =
    panel === undefined ||
    (panel.todos.length + panel.files.length + panel.agents.length === 0 &&
      panel.plan === undefined &&
      panel.context === undefined &&
      panel.extensions === undefined);
  if (bare && tasks.length === 0) return <p class="empty">{S.noPanel}</p>;
  return (
    <div class="panel">
      {panel?.context !== undefined && panel.context.max > 0 && (
        <section>
          <h2>{S.context}</h2>
          <progress value={panel.context.used} max={panel.context.max} aria-label={S.context} />
          <p class="fine">{S.tokens(countOf(panel.context.used), countOf(panel.context.max))}</p>
        </section>
      )}
      {panel !== undefined && panel.todos.length > 0 && (
        <section>
          <h2>{S.todos}</h2>
          <ul class="todos">
            {panel.todos.map(({ text, state }, index) => (
              <li key={index} class={state}>
                <span class="todo-mark">{state === "done" && <Icon name="check" size={14} />}</span>
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {panel?.plan !== undefined && (
        <section>
          <h2>{S.plan}</h2>
          <Markdown text={panel.plan.text} />
        </section>
      )}
      {tasks.length > 0 && (
        <section>
          <h2>{S.tasks}</h2>
          {tasks.map((task) => (
            <TaskRow key={task.taskId} task={task} tab={tab} />
          ))}
        </section>
      )}
      {panel !== undefined && panel.files.length > 0 && (
        <section>
          <h2>{S.changedFiles}</h2>
          <ul class="panel-files">
            {panel.files.map(({ path, added, removed }) => (
              <li key={path}>
                {has("git") ? (
                  <Link href={toGit(tab.workspaceId, "unstaged", path)}>
                    <bdi>{path}</bdi>
                  </Link>
                ) : (
                  <bdi>{path}</bdi>
                )}
                <Counts added={added} removed={removed} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {panel !== undefined && panel.agents.length > 0 && (
        <section>
          <h2>{S.agentsHere}</h2>
          <ul>
            {panel.agents.map(({ name, device, at }) => (
              <li key={`${name} ${device}`}>
                {name} · {device} · {ageOf(at)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {panel?.extensions !== undefined && <Extensions panel={panel.extensions} />}
    </div>
  );
}

function TaskRow({ task, tab }: { task: ViewTask; tab: TabRef }) {
  const { busy, run } = useAction();
  const { title, state, stoppable, output = "", taskId } = task;
  const dot = state === "running" ? "running" : state === "failed" ? "needs-you" : "idle";
  return (
    <div class={`task-row ${state}`}>
      <div class="task-head">
        <span class={`state-dot ${dot}`} />
        <span class="task-title">{title}</span>
        {state === "running" && stoppable && has("chat.control") && (
          <Button disabled={busy} onClick={() => run(() => call("chat.stopTask", { ...tab, taskId }))}>
            {S.stopTask}
          </Button>
        )}
      </div>
      {output !== "" && (
        <details>
          <summary>{S.toolOutput}</summary>
          <Output text={output} />
        </details>
      )}
    </div>
  );
}
