/** The program behind one Claude chat: one query of the SDK, which is one process. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { unavailable } from "../../../protocol/errors.js";
import type {
  AgentSession,
  AgentSettings,
  OutgoingMessage,
  RequestAnswer,
  SessionSpec,
} from "../../driver.js";
import { STOP_TIMEOUT_MS } from "../../limits.js";
import { within } from "../../starts.js";
import { tail } from "../../text.js";
import { Inbox } from "./inbox.js";
import { ANSWER_SEEN_MS, STDERR_TAIL_CHARS } from "./limits.js";
import { Messages } from "./messages.js";
import { optionsOf } from "./options.js";
import { type Prompt, promptOf, resultOf } from "./permissions.js";
import type { PermissionContext, PermissionResult, Sdk, SdkOptions, SdkQuery, SpawnRequest } from "./sdk.js";

/** What the driver found out before a start. */
export interface Launch {
  readonly sdk: Sdk;
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settingSources: readonly string[];
  readonly disallowedTools: readonly string[];
  /** The session is on disk: go on with it. */
  readonly resumes: boolean;
  /** For the chat, when the folder's own settings stay without effect. */
  readonly notice?: string | undefined;
}

export interface SessionDeps {
  readonly launch: () => Promise<Launch>;
  readonly now: () => number;
  readonly closed: () => void;
}

interface Open {
  readonly prompt: Prompt;
  readonly resolve: (result: PermissionResult) => void;
}

export class ClaudeSession implements AgentSession {
  readonly #spec: SessionSpec;
  readonly #deps: SessionDeps;
  readonly #inbox = new Inbox();
  readonly #messages: Messages;
  readonly #prompts = new Map<string, Open>();
  readonly #agents = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  #query: SdkQuery | undefined;
  #child: ChildProcess | undefined;
  #stderr = "";
  #closed = false;
  #over = false;
  #started = false;

  constructor(spec: SessionSpec, deps: SessionDeps) {
    this.#spec = spec;
    this.#deps = deps;
    this.#messages = new Messages({
      cwd: spec.cwd,
      now: deps.now,
      emit: (event) => {
        if (event.type === "task") this.#agents.set(event.task.taskId, event.task.title);
        spec.emit(event);
      },
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const launch = await this.#deps.launch();
    if (this.#closed) throw unavailable("The chat was closed while its program started");
    const query = launch.sdk.query({ prompt: this.#inbox, options: this.#options(launch) });
    this.#query = query;
    const reading = this.#read(query);
    const ready = query.initializationResult().catch(() => undefined); // what it said is in stderr
    const initialized = await Promise.race([ready, reading.then(() => undefined)]);
    if (initialized === undefined || this.#over) throw this.#startFailure();
    this.#started = true;
    this.#spec.emit({ type: "options", options: optionsOf(initialized, this.#spec.dangerousModes) });
    if (launch.notice !== undefined) this.#note(launch.notice);
  }

  async send(message: OutgoingMessage): Promise<void> {
    const { text, images } = message;
    const content =
      images.length === 0
        ? text
        : [
            ...(text === "" ? [] : [{ type: "text", text }]),
            ...images.map(({ mediaType, data }) => ({
              type: "image",
              source: { type: "base64", media_type: mediaType, data: data.toString("base64") },
            })),
          ];
    this.#push(message.id, content, message.priority);
  }

  async interrupt(): Promise<void> {
    await this.#query?.interrupt();
  }

  async answer(requestId: string, answer: RequestAnswer): Promise<void> {
    const open = this.#prompts.get(requestId);
    if (open === undefined) throw unavailable("The request is no longer pending");
    const result = resultOf(open.prompt, answer);
    this.#prompts.delete(requestId);
    const seen = this.#nextMessage();
    open.resolve(result);
    await seen;
    if (this.#over) throw unavailable("The request is no longer pending: the agent's program ended");
  }

  async configure(settings: Partial<AgentSettings>): Promise<void> {
    const query = this.#query;
    if (query === undefined) return;
    if (settings.model !== undefined) await query.setModel(modelArgument(settings.model));
    if (settings.effort !== undefined) {
      if (query.applyFlagSettings === undefined)
        throw unavailable("This version of Claude Code cannot change the effort");
      await query.applyFlagSettings({ effortLevel: settings.effort });
    }
    if (settings.permissionMode !== undefined) await query.setPermissionMode(settings.permissionMode);
  }

  async stopTask(taskId: string): Promise<void> {
    if (this.#query?.stopTask === undefined)
      throw unavailable("This version of Claude Code cannot stop a task");
    await this.#query.stopTask(taskId);
  }

  async rename(title: string): Promise<void> {
    await this.#query?.renameSession?.(title);
  }

  async compact(instructions: string): Promise<void> {
    this.#push(randomUUID(), `/compact ${instructions}`.trim(), undefined);
  }

  busy(): boolean {
    return this.#messages.busy;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox.close();
    this.#query?.close();
    await this.#ended();
    this.#deps.closed();
  }

  #push(uuid: string, content: string | readonly object[], priority: "now" | undefined): void {
    this.#inbox.push({
      type: "user",
      uuid,
      parent_tool_use_id: null,
      message: { role: "user", content },
      ...(priority === undefined ? {} : { priority }),
    });
  }

  #options(launch: Launch): SdkOptions {
    const { settings, sessionId, title, dangerousModes, cwd } = this.#spec;
    const model = modelArgument(settings.model);
    return {
      cwd,
      env: launch.env,
      pathToClaudeCodeExecutable: launch.executable,
      spawnClaudeCodeProcess: (request) => this.#spawn(request),
      permissionMode: settings.permissionMode,
      allowDangerouslySkipPermissions: dangerousModes.includes("bypassPermissions"),
      canUseTool: (tool, input, context) => this.#ask(tool, input, context),
      settingSources: launch.settingSources,
      systemPrompt: { type: "preset", preset: "claude_code" },
      includePartialMessages: true,
      perTaskStopAffordance: true,
      forwardSubagentText: true,
      disallowedTools: launch.disallowedTools,
      ...(model === undefined ? {} : { model }),
      ...(settings.effort === null ? {} : { effort: settings.effort }),
      ...(title === undefined ? {} : { title }),
      ...(sessionId === undefined ? {} : launch.resumes ? { resume: sessionId } : { sessionId }),
    };
  }

  /** In a process group of its own: Ctrl-C at the daemon is not for the agent, and all of it can be killed. */
  #spawn(request: SpawnRequest): ChildProcess {
    const child = spawn(request.command, [...request.args], {
      cwd: request.cwd,
      env: request.env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = tail(this.#stderr + text, STDERR_TAIL_CHARS);
    });
    child.on("error", () => undefined); // the SDK tells of it
    this.#child = child;
    return child;
  }

  async #read(query: SdkQuery): Promise<void> {
    let why = "Claude Code ended; send a message to go on";
    try {
      for await (const message of query) {
        this.#messages.handle(message);
        this.#wake();
      }
    } catch {
      why = this.#whyEnded();
    }
    this.#over = true;
    this.#wake();
    for (const requestId of [...this.#prompts.keys()]) this.#gone(requestId);
    if (!this.#closed && this.#started) this.#spec.emit({ type: "exited", why });
  }

  #whyEnded(): string {
    const { signalCode, exitCode } = this.#child ?? {};
    const how = signalCode ? `was killed (${signalCode})` : `ended with code ${exitCode ?? "?"}`;
    return `Claude Code ${how}; send a message to go on`;
  }

  #startFailure(): Error {
    if (/No conversation found/i.test(this.#stderr))
      return unavailable("Claude no longer has this conversation; start over with /clear");
    if (/root/i.test(this.#stderr) && /skip-permissions/i.test(this.#stderr)) {
      return unavailable(
        "Claude Code does not run as root in the mode bypassPermissions; choose another mode",
      );
    }
    return unavailable(
      `${this.#whyEnded().split(";", 1)[0]} while it started; try \`claude\` in a terminal of the workstation`,
    );
  }

  #ask(tool: string, input: Record<string, unknown>, context: PermissionContext): Promise<PermissionResult> {
    const requestId = context.requestId ?? randomUUID();
    const { agentID } = context;
    const prompt = promptOf(tool, input, context, {
      requestId,
      agent: agentID === undefined ? undefined : (this.#agents.get(agentID) ?? agentID),
      allowedModes: this.#spec.dangerousModes,
    });
    return new Promise((resolve) => {
      this.#prompts.set(requestId, { prompt, resolve });
      context.signal.addEventListener("abort", () => this.#gone(requestId));
      this.#spec.emit({ type: "request", request: prompt.request });
    });
  }

  /** Answered elsewhere, or nobody waits for it any more. */
  #gone(requestId: string): void {
    const open = this.#prompts.get(requestId);
    if (open === undefined) return;
    this.#prompts.delete(requestId);
    open.resolve({ behavior: "deny", message: "Nobody waits for this any more" });
    this.#spec.emit({ type: "request-gone", requestId });
  }

  /** Resolves when the program says something, or after a while that is as good. */
  #nextMessage(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ANSWER_SEEN_MS);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }

  #note(text: string): void {
    const at = this.#deps.now();
    this.#spec.emit({ type: "item", item: { kind: "notice", key: `start-${at}`, at, level: "warn", text } });
  }

  /** Waits for the process, and kills its group when it does not go. */
  async #ended(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    await within(STOP_TIMEOUT_MS, exit, () => new Error("still there")).catch(() => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    });
  }
}

/** The program's own choice is no argument at all. */
const modelArgument = (model: string | null): string | undefined =>
  model === null || model === "default" ? undefined : model;
