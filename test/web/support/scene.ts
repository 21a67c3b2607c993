/** A workstation in the middle of a day's work, for the screenshots and for tests of what a chat can show. */
import type { RemoteSession, RemoteWorkspace } from "../../../src/protocol/rpc.js";
import type {
  ChatPanel,
  ChatStatus,
  PermissionRequest,
  ViewItem,
  ViewTask,
  ViewToolCall,
} from "../../../src/protocol/view.js";
import type { ServedRequest } from "../../support/sealed-server.js";

const MINUTE = 60_000;
const ago = (minutes: number): number => Date.now() - minutes * MINUTE;

export const WORKSPACES: RemoteWorkspace[] = [
  {
    id: "w1",
    name: "harbor",
    path: "/home/ada/harbor",
    git: { branch: "main", ahead: 2, behind: 0, uncommitted: 3 },
  },
  {
    id: "w2",
    name: "retry-budget",
    path: "/home/ada/harbor.retry",
    parentId: "w1",
    git: { branch: "retry-budget", ahead: 4, behind: 1, uncommitted: 0 },
  },
  {
    id: "w3",
    name: "atlas-docs",
    path: "/home/ada/atlas",
    git: { branch: "main", ahead: 0, behind: 0, uncommitted: 0 },
  },
];

export const SESSIONS: RemoteSession[] = [
  {
    workspaceId: "w1",
    tabId: "chat",
    kind: "claude",
    title: "Retry with a budget",
    state: "needs-you",
    since: ago(0.5),
    waiting: { kind: "permission", text: "Run npm test -- --coverage" },
  },
  {
    workspaceId: "w2",
    tabId: "codex",
    kind: "codex",
    title: "Port the queue to streams",
    state: "running",
    since: ago(6),
    last: "Reading src/queue/worker.ts",
  },
  {
    workspaceId: "w1",
    tabId: "term",
    kind: "terminal",
    title: "npm run dev",
    state: "running",
    since: ago(48),
    last: "ready in 412 ms",
  },
  {
    workspaceId: "w3",
    tabId: "docs",
    kind: "claude",
    title: "Rewrite the install page",
    state: "new-result",
    since: ago(22),
    last: "Done: the page is half as long and has one path for each system.",
  },
  {
    workspaceId: "w3",
    tabId: "idle",
    kind: "claude",
    title: "Why is the search slow?",
    state: "idle",
    since: ago(190),
    last: "The index was rebuilt on every request.",
  },
  { workspaceId: "w1", tabId: "zsh", kind: "terminal", title: "zsh", state: "idle", since: ago(300) },
  {
    workspaceId: "w1",
    tabId: "old",
    kind: "terminal",
    title: "make release",
    state: "ended",
    since: ago(1500),
    last: "exit 0",
  },
];

const REQUEST: PermissionRequest = {
  requestId: "r1",
  kind: "permission",
  toolName: "Bash",
  title: "Run npm test -- --coverage",
  detail: "npm test -- --coverage",
  input: { command: "npm test -- --coverage", description: "Run the tests" },
  suggestions: [{ label: "npm test, whatever follows, in harbor" }],
  at: ago(0.5),
};

export const TOOLS: Record<string, ViewToolCall> = {
  t1: {
    toolUseId: "t1",
    name: "Grep",
    title: "maxAttempts",
    input: { pattern: "maxAttempts" },
    state: "done",
    startedAt: ago(4),
    endedAt: ago(3.9),
    result: { text: "src/http/retry.ts:12\nsrc/http/client.ts:88", images: [] },
  },
  t2: {
    toolUseId: "t2",
    name: "Edit",
    title: "src/http/retry.ts",
    input: { file_path: "src/http/retry.ts" },
    state: "done",
    patch: [
      {
        path: "src/http/retry.ts",
        hunks: [
          {
            oldStart: 10,
            oldLines: 4,
            newStart: 10,
            newLines: 6,
            lines: [
              " export async function retry<T>(run: () => Promise<T>) {",
              "-  for (let left = 5; left > 0; left--) {",
              "+  const budget = new RetryBudget({ ratio: 0.1 });",
              "+  while (budget.spend()) {",
              "     const outcome = await attempt(run);",
              "     if (outcome.ok) return outcome.value;",
            ],
          },
        ],
      },
    ],
  },
  t3: {
    toolUseId: "t3",
    name: "Bash",
    title: "npx tsc --noEmit",
    input: { command: "npx tsc --noEmit" },
    state: "error",
    exitCode: 2,
    startedAt: ago(2),
    endedAt: ago(1.9),
    result: { text: "\u001b[31merror\u001b[0m TS2345: src/http/retry.ts(14,9)", images: [] },
  },
  t4: {
    toolUseId: "t4",
    name: "Agent",
    title: "Look for other callers",
    input: { prompt: "Find all callers of retry()" },
    state: "running",
    taskId: "task1",
  },
};

const TASKS: Record<string, ViewTask> = {
  task1: {
    taskId: "task1",
    kind: "subagent",
    title: "Look for other callers",
    state: "running",
    startedAt: ago(1),
    stoppable: true,
    toolUseId: "t4",
  },
};

export const ITEMS: ViewItem[] = [
  {
    kind: "user",
    key: "u1",
    at: ago(5),
    text: "The retries pile up when the API is down. Give them a budget, and keep the tests green.",
    images: [],
    state: "sent",
  },
  {
    kind: "thinking",
    key: "k1",
    at: ago(5),
    text: "A token bucket that refills with successes is the usual answer.",
  },
  {
    kind: "text",
    key: "a1",
    at: ago(4),
    text: "Retries are counted per call, so an outage multiplies the load by five. I'll share a **retry budget** between calls instead:\n\n1. a bucket that fills with each success,\n2. a retry only while it has tokens.\n\n```ts\nexport class RetryBudget {\n  #tokens = 10;\n  spend(): boolean {\n    return this.#tokens-- > 0;\n  }\n}\n```",
  },
  { kind: "tool", key: "i1", at: ago(4), toolUseId: "t1" },
  { kind: "tool", key: "i2", at: ago(3), toolUseId: "t2" },
  { kind: "tool", key: "i3", at: ago(2), toolUseId: "t3" },
  { kind: "tool", key: "i4", at: ago(1), toolUseId: "t4" },
  {
    kind: "user",
    key: "u2",
    at: ago(1),
    text: "The staging API answers 429 again, in case that matters to you.",
    images: [],
    state: "sent",
    from: {
      kind: "tab",
      agent: "codex",
      workspaceId: "w2",
      tabId: "codex",
      name: "Port the queue to streams",
      hops: 1,
    },
  },
  {
    kind: "text",
    key: "a2",
    at: ago(0.6),
    text: "The type error is mine: `attempt` takes the budget now. Fixed; I'd like to run the tests with coverage.",
  },
];

const PANEL: ChatPanel = {
  todos: [
    { text: "Share one budget between calls", state: "done" },
    { text: "Keep the tests green", state: "active" },
    { text: "Note it in the changelog", state: "pending" },
  ],
  tasks: ["task1"],
  files: [{ path: "src/http/retry.ts", added: 24, removed: 9 }],
  context: { used: 48_200, max: 200_000 },
  agents: [],
};

export const STATUS: ChatStatus = {
  state: "asking",
  since: ago(0.5),
  requests: [REQUEST],
  turn: { startedAt: ago(5) },
  queued: 0,
  model: "opus",
  effort: "high",
  permissionMode: "default",
};

const SCREEN = [
  "\u001b[92mada@loom\u001b[0m:\u001b[94m~/harbor\u001b[0m$ npm run dev",
  "",
  "  \u001b[1;92mVITE\u001b[0m \u001b[92mv7.1.2\u001b[0m  ready in \u001b[1m412\u001b[0m ms",
  "",
  "  \u001b[92m➜\u001b[0m  \u001b[1mLocal\u001b[0m:   \u001b[96mhttp://localhost:5173/\u001b[0m",
  "  \u001b[92m➜\u001b[0m  \u001b[1mNetwork\u001b[0m: \u001b[96mhttp://192.168.1.20:5173/\u001b[0m",
  "─".repeat(120),
  "\u001b[90m10:42:07\u001b[0m \u001b[36m[vite]\u001b[0m hmr update \u001b[33m/src/http/retry.ts\u001b[0m",
  "\u001b[90m10:42:31\u001b[0m \u001b[36m[vite]\u001b[0m hmr update \u001b[33m/src/http/client.ts\u001b[0m, \u001b[33m/src/http/budget.ts\u001b[0m and \u001b[33m/src/http/outcome.ts\u001b[0m",
  "\u001b[90m10:43:02\u001b[0m \u001b[31m[error]\u001b[0m GET /api/quota \u001b[1;31m429\u001b[0m \u001b[90min\u001b[0m 31 ms",
  "\u001b[90m10:43:04\u001b[0m \u001b[32m[retry]\u001b[0m budget 7 of 10, next in 800 ms \u001b[7m \u001b[0m",
].join("\n");

const ENTRIES = [
  { name: "src", kind: "dir" },
  { name: "test", kind: "dir" },
  { name: "README.md", kind: "file", size: 4210 },
  { name: "package.json", kind: "file", size: 1893 },
  { name: "retry.ts", kind: "file", size: 812 },
];

const FILE = `/** Retries share a budget: an outage must not multiply the load. */
export class RetryBudget {
  #tokens = 10;

  /** False when there is nothing left to spend. */
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  refill(success: number): void {
    this.#tokens = Math.min(10, this.#tokens + success * 0.1);
  }
}
`;

/** Answers of the scene by method; the rest are empty. */
export function answerScene({ method, params }: ServedRequest): unknown {
  switch (method) {
    case "sessions.watch":
      return { watchId: "ws", workspaces: WORKSPACES, sessions: SESSIONS };
    case "events.read":
      return { events: [], cursor: 1, more: false };
    case "chat.watch":
      return {
        watchId: "wc",
        status: STATUS,
        start: 0,
        total: ITEMS.length,
        items: ITEMS,
        tools: TOOLS,
        tasks: TASKS,
        agentItems: { t4: [{ kind: "text", key: "s1", at: ago(1), text: "Three callers so far." }] },
        panel: PANEL,
      };
    case "chat.commands":
      return {
        commands: [
          { name: "compact", description: "Summarise what was said", runs: "command" },
          { name: "model", description: "Choose the model", runs: "settings", sets: "model" },
          { name: "review", description: "Review a change", runs: "send", args: "<what>" },
        ],
      };
    case "chat.settings":
      return {
        agent: "claude",
        model: "opus",
        effort: "high",
        permissionMode: "default",
        options: {
          models: [
            { id: "opus", label: "Opus" },
            { id: "sonnet", label: "Sonnet" },
          ],
          efforts: ["low", "high"],
          modes: [
            { id: "default", label: "Ask" },
            { id: "plan", label: "Plan" },
          ],
        },
      };
    case "terminal.watch":
      return { watchId: "wt", text: SCREEN };
    case "terminal.shells":
      return {
        shells: [
          { id: "zsh", name: "zsh", isDefault: true },
          { id: "bash", name: "bash", isDefault: false },
        ],
      };
    case "profiles.list":
      return { profiles: [{ id: "claude", name: "Claude", agent: "claude", isDefault: true }] };
    case "history.list":
      return {
        sessions: [{ sessionId: "h1", title: "Why is the search slow?", at: ago(190), bytes: 182_000 }],
      };
    case "files.list":
      return { path: "/home/ada/harbor", entries: ENTRIES };
    case "files.read":
      return { kind: "text", path: String(params.path), text: FILE, size: FILE.length, truncated: false };
    case "git.status":
      return {
        branch: "main",
        upstream: "origin/main",
        ahead: 2,
        behind: 0,
        files: [
          { path: "src/http/budget.ts", staged: "A" },
          { path: "src/http/retry.ts", unstaged: "M" },
          { path: "notes/国際化 plan.md", unstaged: "?" },
        ],
      };
    case "git.diff":
      return params.path === "."
        ? { path: ".", hunks: [], files: [{ path: "src/http/retry.ts", added: 24, removed: 9 }] }
        : { path: String(params.path), hunks: TOOLS.t2?.patch?.[0]?.hunks ?? [] };
    case "git.log":
      return {
        commits: [
          {
            hash: "a".repeat(40),
            subject: "http: retries share a budget",
            author: "Ada",
            at: ago(30),
            refs: ["main"],
          },
          {
            hash: "b".repeat(40),
            subject: "http: one outcome type for both clients",
            author: "Ada",
            at: ago(400),
          },
        ],
      };
    case "owner.devices":
      return {
        devices: [
          {
            id: "phone",
            name: "Phone",
            kind: "phone",
            capabilities: ["sessions", "chat.read", "owner"],
            pairedAt: ago(9000),
            links: 1,
            overHttp: true,
          },
          {
            id: "x",
            name: "Old laptop",
            kind: "laptop",
            capabilities: ["sessions"],
            pairedAt: ago(90_000),
            lastSeenAt: ago(5000),
            links: 0,
          },
        ],
      };
    case "owner.audit":
      return {
        entries: [
          { at: ago(3), device: "Phone", method: "chat.send", outcome: "ok" },
          { at: ago(1), device: "Phone", method: "terminal.input", outcome: "ok" },
        ],
      };
    default:
      return {};
  }
}
