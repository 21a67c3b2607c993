/** An agent whose program is the test: it tells what the test says, and remembers what it was asked. */
import type {
  AgentDriver,
  AgentOptions,
  AgentProfile,
  AgentSession,
  AgentSettings,
  DriverEvent,
  OutgoingMessage,
  PastChat,
  PastEvent,
  RequestAnswer,
  SessionSpec,
} from "../../src/chat/driver.js";

export const OPTIONS: AgentOptions = {
  models: [
    { id: "default", label: "Default", aliases: ["big-5"], efforts: ["low", "high"] },
    { id: "small", label: "Small one", aliases: [], efforts: [] },
  ],
  modes: [
    { id: "default", label: "Ask" },
    { id: "plan", label: "Plan" },
    { id: "everything", label: "Everything", dangerous: true },
  ],
  commands: [
    { name: "review", description: "Reviews", args: "<what>" },
    { name: "clear", description: "The agent's own" },
  ],
};

export class ScriptedSession implements AgentSession {
  readonly spec: SessionSpec;
  readonly sent: OutgoingMessage[] = [];
  readonly answers: { requestId: string; answer: RequestAnswer }[] = [];
  readonly configured: Partial<AgentSettings>[] = [];
  readonly stopped: string[] = [];
  interrupts = 0;
  closed = false;
  working = false;
  #startFailure: Error | undefined;

  constructor(spec: SessionSpec, startFailure: Error | undefined) {
    this.spec = spec;
    this.#startFailure = startFailure;
  }

  emit(event: DriverEvent): void {
    this.spec.emit(event);
  }

  async start(): Promise<void> {
    if (this.#startFailure !== undefined) throw this.#startFailure;
  }

  async send(message: OutgoingMessage): Promise<void> {
    this.sent.push(message);
  }

  async interrupt(): Promise<void> {
    this.interrupts += 1;
  }

  async answer(requestId: string, answer: RequestAnswer): Promise<void> {
    this.answers.push({ requestId, answer });
  }

  async configure(settings: Partial<AgentSettings>): Promise<void> {
    this.configured.push(settings);
  }

  async stopTask(taskId: string): Promise<void> {
    this.stopped.push(taskId);
  }

  async rename(): Promise<void> {}

  async compact(): Promise<void> {}

  busy(): boolean {
    return this.working;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

export class ScriptedDriver implements AgentDriver {
  readonly sessions: ScriptedSession[] = [];
  startFailure: Error | undefined;
  past: PastEvent[] = [];
  /** Message ids that reached the agent although nobody saw it. */
  readonly arrived = new Set<string>();
  secretValues: string[] = [];

  get session(): ScriptedSession | undefined {
    return this.sessions.at(-1);
  }

  open(spec: SessionSpec): ScriptedSession {
    const session = new ScriptedSession(spec, this.startFailure);
    this.sessions.push(session);
    return session;
  }

  async options(): Promise<AgentOptions> {
    return OPTIONS;
  }

  defaults(): AgentSettings {
    return { model: null, effort: null, permissionMode: "default" };
  }

  async history(profile: AgentProfile) {
    return [{ sessionId: "past-1", title: "An old chat", at: 1, profile: profile.id }];
  }

  async findPast(profile: AgentProfile, folder: string, sessionId: string) {
    return sessionId === "past-1" ? { profile, cwd: folder } : undefined;
  }

  async readPast(): Promise<PastChat> {
    return { events: this.past, skippedBytes: 0, cursor: this.past.length, title: "An old chat" };
  }

  async position(): Promise<number | undefined> {
    return undefined;
  }

  async recall() {
    return undefined;
  }

  async recallMessage() {
    return undefined;
  }

  async wasTaken(_place: unknown, _sessionId: string, messageId: string): Promise<boolean> {
    return this.arrived.has(messageId);
  }

  async trust() {
    return { trusted: true, wouldRun: [] };
  }

  secrets(): readonly string[] {
    return this.secretValues;
  }

  async close(): Promise<void> {}
}
