/**
 * What a chat was before this start: its own log, what the agent's own log says
 * beyond that, messages that were handed over and that nobody saw arrive, and
 * the turn that was cut off.
 */
import type { AgentDriver, DriverEvent, PastPlace } from "./driver.js";
import type { Journal } from "./journal.js";
import type { ChatModel } from "./model.js";
import type { Outbox } from "./outbox.js";
import type { ChatFile } from "./store.js";

export interface EarlierLifeDeps {
  readonly model: ChatModel;
  readonly outbox: Outbox;
  readonly journal: Journal;
  readonly driver: AgentDriver;
  readonly place: PastPlace;
  readonly sessionId: () => string | undefined;
  /** A message turned out to have reached the agent. */
  readonly taken: (messageId: string) => void;
  readonly changed: () => void;
  readonly warn: (error: unknown, message: string) => void;
}

export class EarlierLife {
  /** How far the agent's own log is known. */
  cursor: number | undefined;
  readonly #deps: EarlierLifeDeps;
  #turn: ChatFile["turn"];
  #loading: Promise<void> | undefined;

  constructor(deps: EarlierLifeDeps, file: Pick<ChatFile, "cursor" | "turn">) {
    this.#deps = deps;
    this.cursor = file.cursor;
    this.#turn = file.turn;
  }

  /** The chat begins now: there is nothing to load. */
  none(): void {
    this.#loading = Promise.resolve();
  }

  /** Resolves when all that was is shown again. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Before each start of the program: what another one wrote meanwhile, and which messages arrived unseen. */
  async reconcile(): Promise<void> {
    const { outbox, driver, place, journal } = this.#deps;
    await this.load();
    await this.#catchUp();
    const handed = outbox.handed();
    if (handed.length === 0) return;
    const sessionId = this.#deps.sessionId();
    for (const { id } of handed) {
      if (sessionId !== undefined && (await driver.wasTaken(place, sessionId, id))) this.#deps.taken(id);
      else outbox.mark(id, false);
    }
    await journal.saveState();
  }

  /** Fills a new chat from the agent's own log; its title when it has one. */
  async importPast(sessionId: string): Promise<string | undefined> {
    const { driver, place, model } = this.#deps;
    const past = await driver.readPast(place, sessionId);
    if (past.skippedBytes > 0) {
      const size = (past.skippedBytes / (1024 * 1024)).toFixed(1);
      model.notice("info", `${size} MB of this chat's log lie before this and are not shown`);
    }
    for await (const event of past.events) model.apply(event);
    this.cursor = past.cursor;
    this.#settle();
    return past.title;
  }

  /** All that a finished turn left is on disk when this resolves. */
  async turnEnded(): Promise<void> {
    const { driver, place, journal } = this.#deps;
    this.cursor = (await driver.position(place, this.#deps.sessionId())) ?? this.cursor;
    await Promise.all([journal.flush(), journal.saveState()]);
  }

  async #load(): Promise<void> {
    await this.#deps.journal.load();
    await this.#catchUp();
    this.#settle();
    this.#deps.changed();
  }

  async #catchUp(): Promise<void> {
    const { driver, place, model } = this.#deps;
    const sessionId = this.#deps.sessionId();
    if (sessionId === undefined) return;
    try {
      const past = await driver.readPast(place, sessionId, this.cursor ?? 0);
      for await (const event of past.events) if (isNews(model, event)) model.apply(event);
      this.cursor = past.cursor;
    } catch (error) {
      this.#deps.warn(error, "the agent's own log could not be read");
    }
  }

  /** Nothing runs after a start: what looks as if it did was cut off. */
  #settle(): void {
    const { model } = this.#deps;
    for (const item of [...model.items.items]) {
      if ((item.kind === "text" || item.kind === "thinking") && item.streaming === true) {
        const { streaming: _streaming, ...rest } = item;
        model.items.put(rest);
      }
    }
    model.closeAll("the daemon was restarted since");
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) return;
    model.startTurn(turn.startedAt);
    const message = "The daemon was restarted while this turn ran; send a message to go on";
    model.endTurn({ result: "interrupted", error: { message, kind: "restart" } });
    this.#deps.journal.saveState().catch((error: unknown) => {
      this.#deps.warn(error, "a chat's state could not be written");
    });
  }
}

/** What catching up may add: nothing that is shown already. */
function isNews(model: ChatModel, event: DriverEvent): boolean {
  if (event.type === "item") return !model.items.has(event.item.key);
  if (event.type === "text") return !model.items.has(event.key);
  if (event.type === "tool") return model.items.tools.get(event.call.toolUseId)?.result === undefined;
  return event.type !== "file-changed";
}
