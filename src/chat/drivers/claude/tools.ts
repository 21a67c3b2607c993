/** What Claude Code's tools do, in one line; what their results say about files, exit codes and todo lists. */
import path from "node:path";
import type { ChatPanel, DiffHunk, ViewToolCall } from "../../../protocol/view.js";

type Input = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A record, whatever came. */
export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** The field that says most, by tool. */
const MAIN_FIELD: Readonly<Record<string, string>> = {
  Bash: "command",
  BashOutput: "bash_id",
  KillShell: "shell_id",
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "pattern",
  Grep: "pattern",
  LS: "path",
  WebFetch: "url",
  WebSearch: "query",
  Agent: "description",
  Task: "description",
  TaskCreate: "subject",
  Skill: "skill",
};

/** One line: the command, the path, the query. */
export function toolTitle(name: string, input: Input): string {
  const field = MAIN_FIELD[name];
  const main = field === undefined ? undefined : text(input[field]);
  if (name === "Bash" && main !== undefined) return main;
  if (main !== undefined) return `${name} ${main}`;
  if (name === "AskUserQuestion") return firstQuestion(input) ?? "A question";
  if (name === "ExitPlanMode") return "A plan to approve";
  const label = name.startsWith("mcp__") ? name.slice(5).replace("__", ": ") : name;
  const said = JSON.stringify(input);
  return said === "{}" ? label : `${label} ${said}`;
}

function firstQuestion(input: Input): string | undefined {
  const questions = Array.isArray(input.questions) ? input.questions : [];
  return text(recordOf(questions[0]).question);
}

/** Files that a result changed; a new file is one hunk that adds it whole. */
export function patchOf(result: unknown): NonNullable<ViewToolCall["patch"]> {
  const { filePath, structuredPatch, type, content } = recordOf(result);
  const file = text(filePath);
  if (file === undefined) return [];
  const hunks = Array.isArray(structuredPatch) ? structuredPatch.flatMap(hunkOf) : [];
  if (hunks.length > 0) return [{ path: file, hunks }];
  return type === "create" && typeof content === "string" ? [{ path: file, hunks: [newFile(content)] }] : [];
}

function hunkOf(value: unknown): DiffHunk[] {
  const { oldStart, oldLines, newStart, newLines, lines } = recordOf(value);
  const numbers = [oldStart, oldLines, newStart, newLines].map((number) =>
    typeof number === "number" && number >= 0 ? Math.floor(number) : 0,
  );
  if (!Array.isArray(lines)) return [];
  const [a = 0, b = 0, c = 0, d = 0] = numbers;
  return [{ oldStart: a, oldLines: b, newStart: c, newLines: d, lines: lines.map(String) }];
}

function newFile(content: string): DiffHunk {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return {
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: lines.length,
    lines: lines.map((line) => `+${line}`),
  };
}

/** A command's exit code, as far as the result tells. */
export function exitCodeOf(name: string, result: string, failed: boolean): number | undefined {
  if (name !== "Bash") return undefined;
  if (!failed) return 0;
  const code = /^(?:Error: )?Exit code (\d+)/.exec(result)?.[1];
  return code === undefined ? undefined : Number(code);
}

type Todo = ChatPanel["todos"][number];

const TODO_STATES: Readonly<Record<string, Todo["state"]>> = {
  pending: "pending",
  in_progress: "active",
  completed: "done",
};

/** The todo list, kept from TaskCreate and TaskUpdate, or whole from TodoWrite as older programs have it. */
export class Todos {
  readonly #tasks = new Map<string, Todo>();

  list(): Todo[] {
    return [...this.#tasks.values()];
  }

  /** True when the call changed the list. */
  apply(name: string, input: Input, result: unknown): boolean {
    if (name === "TodoWrite") return this.#replace(input);
    if (name === "TaskCreate") return this.#create(recordOf(recordOf(result).task), input);
    return name === "TaskUpdate" && this.#update(input);
  }

  #replace(input: Input): boolean {
    if (!Array.isArray(input.todos)) return false;
    this.#tasks.clear();
    for (const [index, todo] of input.todos.entries()) {
      const { content, status } = recordOf(todo);
      this.#tasks.set(String(index), {
        text: text(content) ?? "",
        state: TODO_STATES[String(status)] ?? "pending",
      });
    }
    return true;
  }

  #create(task: Input, input: Input): boolean {
    const id = text(task.id);
    if (id === undefined) return false;
    this.#tasks.set(id, { text: text(task.subject) ?? text(input.subject) ?? "", state: "pending" });
    return true;
  }

  #update(input: Input): boolean {
    const id = text(input.taskId) ?? "";
    const todo = this.#tasks.get(id);
    if (todo === undefined) return false;
    if (input.status === "deleted") return this.#tasks.delete(id);
    this.#tasks.set(id, {
      text: text(input.subject) ?? todo.text,
      state: TODO_STATES[String(input.status)] ?? todo.state,
    });
    return true;
  }
}

/** A path as the chat shows it: relative inside the folder. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}
