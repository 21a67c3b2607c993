/** A permission prompt of the program as a request, and a person's answer as the program takes it. */
import { invalidParams } from "../../../protocol/errors.js";
import type { PermissionRequest } from "../../../protocol/view.js";
import type { AgentRequest, RequestAnswer } from "../../driver.js";
import type { PermissionContext, PermissionResult, PermissionUpdate } from "./sdk.js";
import { recordOf, toolTitle } from "./tools.js";

type Input = Record<string, unknown>;
type Question = NonNullable<PermissionRequest["questions"]>[number];

export interface Prompt {
  readonly tool: string;
  readonly input: Input;
  /** What `always` picks from, by index. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly request: AgentRequest;
}

/** `agent`: the subagent that asks, by its task's title. */
export function promptOf(
  tool: string,
  input: Input,
  context: PermissionContext,
  o: { requestId: string; agent?: string | undefined; allowedModes: readonly string[] },
): Prompt {
  const kind = tool === "AskUserQuestion" ? "question" : tool === "ExitPlanMode" ? "plan" : "permission";
  const suggestions = kind === "permission" ? offered(context, o.allowedModes) : [];
  const detail = detailOf(tool, input, context);
  const questions = kind === "question" ? questionsOf(input) : [];
  const { toolUseID } = context;
  return {
    tool,
    input,
    suggestions,
    request: {
      requestId: o.requestId,
      kind,
      toolName: tool,
      title: toolTitle(tool, input),
      input,
      suggestions: suggestions.map((suggestion) => ({ label: labelOf(suggestion) })),
      ...(toolUseID === undefined ? {} : { toolUseId: toolUseID }),
      ...(detail === "" ? {} : { detail }),
      ...(questions.length === 0 ? {} : { questions }),
      ...(o.agent === undefined ? {} : { agent: o.agent }),
    },
  };
}

/** A mode that asks nothing is not offered where the owner did not allow it. */
function offered(context: PermissionContext, allowedModes: readonly string[]): PermissionUpdate[] {
  if (context.suppressAlwaysAllowRule === true) return [];
  const dangerous = (mode: string | undefined): boolean => mode === "bypassPermissions" || mode === "dontAsk";
  return (context.suggestions ?? []).filter(
    ({ type, mode }) => type !== "setMode" || !dangerous(mode) || allowedModes.includes(mode ?? ""),
  );
}

const DESTINATIONS: Readonly<Record<string, string>> = {
  session: "for this session",
  localSettings: "in this folder, for you",
  projectSettings: "in this folder, for everyone",
  userSettings: "everywhere",
};

function labelOf({ type, rules, behavior, directories, mode, destination }: PermissionUpdate): string {
  const where = DESTINATIONS[destination ?? ""] ?? "from now on";
  if (type === "addRules") {
    const named = (rules ?? []).map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
    );
    return `${behavior === "deny" ? "Deny" : "Allow"} ${named.join(", ")} ${where}`;
  }
  if (type === "addDirectories") return `Let it into ${(directories ?? []).join(", ")} ${where}`;
  return type === "setMode" ? `Go on in the mode ${mode ?? "?"} ${where}` : `${type} ${where}`;
}

/** What the title leaves out. */
function detailOf(tool: string, input: Input, context: PermissionContext): string {
  const parts = [mainDetail(tool, input), context.decisionReason, context.blockedPath];
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

function mainDetail(tool: string, input: Input): string {
  const text = (field: string): string => (typeof input[field] === "string" ? (input[field] as string) : "");
  if (tool === "Bash") return [text("description"), text("command")].filter(Boolean).join("\n");
  if (tool === "ExitPlanMode") return text("plan") || "The plan is in the chat above";
  if (tool === "Write") return `${text("file_path")}\n${text("content")}`;
  if (tool === "Edit")
    return [text("file_path"), prefixed("-", text("old_string")), prefixed("+", text("new_string"))].join(
      "\n",
    );
  if (tool === "AskUserQuestion") return "";
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input, undefined, 2);
}

const prefixed = (sign: string, text: string): string =>
  text
    .split("\n")
    .map((line) => sign + line)
    .join("\n");

function questionsOf(input: Input): Question[] {
  const questions = Array.isArray(input.questions) ? input.questions : [];
  return questions.map((value, index) => {
    const { question, options, multiSelect } = recordOf(value);
    return {
      id: `q${index + 1}`,
      text: String(question ?? ""),
      multi: multiSelect === true,
      allowOther: true,
      options: (Array.isArray(options) ? options : []).map((option) => {
        const { label, description } = recordOf(option);
        return {
          label: String(label ?? ""),
          ...(typeof description === "string" ? { description } : {}),
        };
      }),
    };
  });
}

/** InvalidParams for an answer that leaves a question open. */
export function resultOf(prompt: Prompt, answer: RequestAnswer): PermissionResult {
  if (answer.decision === "deny") {
    const message = answer.message ?? "The user does not want this";
    return { behavior: "deny", message, ...(answer.stop ? { interrupt: true } : {}) };
  }
  const chosen = answer.always.flatMap((index) => prompt.suggestions[index] ?? []);
  const updatedInput =
    prompt.request.kind === "question"
      ? answered(prompt, answer.updatedInput)
      : (answer.updatedInput ?? prompt.input);
  return { behavior: "allow", updatedInput, ...(chosen.length === 0 ? {} : { updatedPermissions: chosen }) };
}

/** Answers by the questions' ids or texts, as the program takes them: by text, several joined. */
function answered({ input, request }: Prompt, updated: Input | undefined): Input {
  const given = recordOf(updated?.answers);
  const answers: Record<string, string> = {};
  for (const { id, text } of request.questions ?? []) {
    const value = Object.hasOwn(given, id) ? given[id] : Object.hasOwn(given, text) ? given[text] : undefined;
    const answer = Array.isArray(value) ? value.map(String).join(", ") : value;
    if (typeof answer !== "string" || answer === "") {
      throw invalidParams(`Answer the question ${id} in updatedInput.answers, by its id`);
    }
    answers[text] = answer;
  }
  return { ...input, answers };
}
