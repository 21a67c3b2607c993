/** The scenes that the fake Messages API plays; each is one conversation's script, step by step. */
import type { ApiRequest } from "./anthropic.js";

/** One block of an answer: a text, a thought, or a tool's call. */
export interface ReplyBlock {
  text?: string;
  thinking?: string;
  tool?: string;
  input?: Record<string, unknown>;
  /** Waits this long after each piece. */
  slowMs?: number;
  /** Words that come in one piece; 1 otherwise. */
  batch?: number;
  /** Drops the connection before the word that starts so. */
  cutAt?: string;
}

export type Reply = ReplyBlock[] | { status: number; error: { type: string; message: string } };

/** `step`: tool results since the tag; `arg`: what stands after the tag's colon. */
export type Scene = (at: { step: number; arg: string; body: ApiRequest }) => Reply;

const say = (text: string): Reply => [{ text }];
const call = (tool: string, input: Record<string, unknown>): ReplyBlock => ({ tool, input });
const bash = (command: string, description = "A command", more: Record<string, unknown> = {}): ReplyBlock =>
  call("Bash", { command, description, ...more });
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
const once =
  (first: ReplyBlock[], then: string): Scene =>
  ({ step }) =>
    step === 0 ? first : say(then);
const fails =
  (status: number, type: string, message: string): Scene =>
  () => ({ status, error: { type, message } });
const agent = (description: string, prompt: string, background: boolean): ReplyBlock =>
  call("Agent", {
    description,
    prompt,
    subagent_type: "general-purpose",
    run_in_background: background,
  });

const QUESTIONS = [
  {
    question: "Which colour?",
    header: "Colour",
    multiSelect: false,
    options: [
      { label: "Red", description: "warm" },
      { label: "Blue", description: "cold" },
    ],
  },
  {
    question: "Which sizes?",
    header: "Size",
    multiSelect: true,
    options: [
      { label: "S", description: "small" },
      { label: "M", description: "medium" },
    ],
  },
];

export const SCENES: Readonly<Record<string, Scene>> = {
  text: ({ arg }) => say(arg === "" ? "A plain answer from the fake." : arg),
  think: () => [{ thinking: "Let me think." }, { text: "Thought about it." }],
  bash: ({ step, arg }) =>
    step > 0 ? say("bash done") : [{ text: "Running it." }, bash(arg === "" ? "ls" : arg)],
  two: once([bash("touch first-file", "First"), bash("touch second-file", "Second")], "two done"),
  write: ({ step, arg }) =>
    step > 0 ? say("write done") : [call("Write", { file_path: arg, content: "line one\nline two\n" })],
  edit: ({ step, arg }) => {
    if (step === 0) return [call("Read", { file_path: arg })];
    if (step === 1) return [call("Edit", { file_path: arg, old_string: "line two", new_string: "line 2" })];
    return say("edit done");
  },
  oldtodo: once(
    [
      call("TodoWrite", {
        todos: [
          { content: "First", status: "completed", activeForm: "Doing first" },
          { content: "Second", status: "in_progress", activeForm: "Doing second" },
        ],
      }),
    ],
    "todo done",
  ),
  tasks: ({ step }) => {
    if (step === 0) {
      return [
        call("TaskCreate", { subject: "Write code", description: "Do it", activeForm: "Writing code" }),
        call("TaskCreate", { subject: "Test code", description: "Test it", activeForm: "Testing code" }),
      ];
    }
    if (step === 1) return [call("TaskUpdate", { taskId: "1", status: "in_progress" })];
    return step === 2 ? [call("TaskUpdate", { taskId: "1", status: "completed" })] : say("tasks done");
  },
  ask: once([call("AskUserQuestion", { questions: QUESTIONS })], "ask done"),
  plan: ({ step, body }) => {
    const file = /\/[^"\s\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(body))?.[0];
    if (step === 0 && file !== undefined)
      return [call("Write", { file_path: file, content: "# Plan\n1. do it\n" })];
    return step <= 1 ? [call("ExitPlanMode", {})] : say("plan done");
  },
  readimage: ({ step, arg }) => (step > 0 ? say("image read") : [call("Read", { file_path: arg })]),
  agent: once([agent("Look around", "[[sub]] look around", false)], "agent done"),
  agents: once(
    [agent("One", "[[subtouch:one-file]] x", false), agent("Two", "[[subtouch:two-file]] x", false)],
    "agents done",
  ),
  agentbg: once([agent("Look slowly", "[[subslow]] look", true)], "agent started"),
  sub: once([bash("ls -1", "ls in a subagent")], "sub report"),
  subtouch: ({ step, arg }) => (step > 0 ? say(`touched ${arg}`) : [bash(`touch ${arg}`, "touch")]),
  subslow: once([bash("sleep 5; echo x", "sleep in a subagent")], "slow sub report"),
  background: once(
    [bash("for i in $(seq 60); do echo tick $i; sleep 1; done", "Tick", { run_in_background: true })],
    "background started",
  ),
  shortbackground: once([bash("sleep 2; echo over", "Short", { run_in_background: true })], "short started"),
  longbash: once([bash("for i in $(seq 60); do echo tick $i; sleep 1; done", "Long")], "long done"),
  slow: () => [{ text: words(400), slowMs: 100 }],
  brisk: ({ arg }) => [{ text: words(Number(arg || "400")), slowMs: 10, batch: 4 }],
  steps: ({ step }) =>
    step < 4 ? [{ text: `step ${step}` }, bash(`sleep 1; echo step${step}`, "step")] : say("steps done"),
  e429: fails(429, "rate_limit_error", "slow down"),
  e500: fails(500, "api_error", "boom"),
  e529: fails(529, "overloaded_error", "Overloaded"),
  e401: fails(401, "authentication_error", "invalid x-api-key"),
  e400: fails(400, "invalid_request_error", "bad thing"),
  cut: () => [{ text: "this stream gets cut off in the middle of it", cutAt: "off" }],
};
