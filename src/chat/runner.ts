/**
 * The program of one chat: started with the first message, ended when the chat
 * was idle for a while, started again by the next message.
 */
import { unavailable } from "../protocol/errors.js";
import type { AgentSession } from "./driver.js";
import { IDLE_STOP_MS, START_TIMEOUT_MS } from "./limits.js";
import { type Starts, within } from "./starts.js";

export interface RunnerDeps {
  readonly starts: Starts;
  /** A session for this start; nothing runs yet. */
  readonly open: () => AgentSession;
  /** Called before each start, while nothing else writes to the session. */
  readonly prepare: () => Promise<void>;
  readonly changed: () => void;
  readonly idle: () => boolean;
  readonly idleStopMs?: number | undefined;
}

export class Runner {
  readonly #deps: RunnerDeps;
  #session: AgentSession | undefined;
  #starting: Promise<AgentSession> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** The program when it runs. */
  get session(): AgentSession | undefined {
    return this.#session;
  }

  get starting(): boolean {
    return this.#starting !== undefined;
  }

  /** The program, started if need be; rejects with a sentence when it cannot start. */
  ensure(): Promise<AgentSession> {
    this.touch();
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#starting ??= this.#deps.starts
      .run(() => this.#start())
      .finally(() => {
        this.#starting = undefined;
        this.#deps.changed();
      });
    return this.#starting;
  }

  /** The program ended by itself. */
  lost(): void {
    const session = this.#session;
    this.#session = undefined;
    void session?.close().catch(() => undefined); // only releases what it held
  }

  /** Something happened: the idle time counts anew. */
  touch(): void {
    clearTimeout(this.#idleTimer);
    if (this.#closed) return;
    this.#idleTimer = setTimeout(() => this.#stopIdle(), this.#deps.idleStopMs ?? IDLE_STOP_MS);
    this.#idleTimer.unref();
  }

  /** Ends the program, and one that is just starting; a later ensure() starts a new one. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#starting?.catch(() => undefined);
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
  }

  async #start(): Promise<AgentSession> {
    if (this.#closed) throw unavailable("The chat is closed");
    await this.#deps.prepare();
    const session = this.#deps.open();
    this.#deps.changed();
    try {
      await within(START_TIMEOUT_MS, session.start(), () =>
        unavailable("The agent's program does not answer; try again"),
      );
    } catch (error) {
      await session.close().catch(() => undefined); // the start's failure is what counts
      throw error;
    }
    this.#session = session;
    return session;
  }

  #stopIdle(): void {
    const session = this.#session;
    if (session === undefined) return;
    if (!this.#deps.idle() || session.busy()) {
      this.touch();
      return;
    }
    void this.stop()
      .catch(() => undefined)
      .finally(() => this.#deps.changed());
  }
}
