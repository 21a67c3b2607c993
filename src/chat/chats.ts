/**
 * All chats of this daemon: opens, finds and closes them, and has them back
 * after a restart. A session of an agent is held by one chat at a time.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { invalidParams, notFound, unavailable } from "../protocol/errors.js";
import type { AgentSender } from "../protocol/view.js";
import { Attachments } from "./attachments.js";
import { Chat, type ChatContext, type ChatLog, type ChatState } from "./chat.js";
import type { AgentDriver, AgentProfile, PastEntry } from "./driver.js";
import type { ImageShrinker } from "./images.js";
import { CLOSED_CHAT_MS, MAX_OPEN_CHATS } from "./limits.js";
import type { SettingsPatch } from "./settings.js";
import { Starts } from "./starts.js";
import { type ChatFile, ChatStore } from "./store.js";
import { oneLine } from "./text.js";

type Agent = "claude" | "codex";

/** The configured profiles, as the sessions keep them. */
export interface ProfileSource {
  list(agent?: Agent): readonly { id: string }[];
  get(id: string): AgentProfile | undefined;
  /** By id or name, the agent's default without; NotFound. */
  choose(agent: Agent, idOrName?: string): AgentProfile;
}

export interface ChatsOptions {
  /** `chats/` inside it is ours. */
  readonly stateDir: string;
  readonly profiles: ProfileSource;
  /** By a profile's `driver`; undefined when this daemon cannot run it. */
  readonly driver: (profile: AgentProfile) => AgentDriver | undefined;
  readonly images: ImageShrinker;
  readonly log: ChatLog;
  readonly now: () => number;
  /** NEXUS_SOCKET and the like; overrides what the programs' environment has otherwise. */
  readonly tabEnv?: (tab: { tabId: string; workspaceId: string }) => Readonly<Record<string, string>>;
  readonly dangerousModes?: (workspaceId: string) => readonly string[];
  readonly idleStopMs?: number;
}

export interface NewChat {
  readonly workspaceId: string;
  /** Where it runs: the workspace's folder or one inside it, checked by the caller. */
  readonly folder: string;
  readonly agent: Agent;
  /** By id or name; the first of that agent otherwise. */
  readonly profile?: string | undefined;
  readonly tabId?: string | undefined;
  readonly title?: string | undefined;
  readonly settings?: SettingsPatch;
  readonly prompt?: string | undefined;
  readonly from?: AgentSender | undefined;
  readonly device?: string | undefined;
  /** An agent's prompt in the frame that tells the reading agent whose it is. */
  readonly framed?: string | undefined;
}

export interface PastChatRef {
  readonly workspaceId: string;
  readonly folder: string;
  readonly agent: Agent;
  readonly sessionId: string;
  readonly tabId?: string | undefined;
}

export type StateListener = (chat: Chat, state: ChatState) => void;

export class Chats {
  readonly attachments: Attachments;
  readonly #options: ChatsOptions;
  readonly #context: ChatContext;
  readonly #chats = new Map<string, Chat>();
  readonly #closedAt = new Map<string, { chat: Chat; at: number }>();
  readonly #listeners = new Set<StateListener>();
  /** Resumes under way, so that two devices do not open a session twice. */
  readonly #resuming = new Map<string, Promise<Chat>>();

  constructor(options: ChatsOptions) {
    this.#options = options;
    this.attachments = new Attachments(options.now);
    this.#context = {
      starts: new Starts(),
      images: options.images,
      log: options.log,
      now: options.now,
      tabEnv: options.tabEnv ?? (() => ({})),
      dangerousModes: options.dangerousModes ?? (() => []),
      idleStopMs: options.idleStopMs,
    };
  }

  /** Every chat of an earlier life is there again; a damaged file stops the start with its name. */
  async open(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir)) {
      const dir = path.join(this.#dir, name);
      if (!(await hasState(dir))) continue; // its first save did not get through: it never was
      const file = await ChatStore.read(dir);
      const profile = this.#options.profiles.get(file.profileId);
      const driver = profile === undefined ? undefined : this.#options.driver(profile);
      if (profile === undefined || driver === undefined) {
        this.#options.log.warn(
          { tabId: file.tabId },
          "a chat's profile is no longer configured; it stays closed",
        );
        continue;
      }
      this.#add(new Chat(file, { context: this.#context, driver, profile, store: new ChatStore(dir) }));
    }
    for (const chat of this.#chats.values()) {
      chat
        .resumeDelivery()
        .catch(() => this.#options.log.warn({ tabId: chat.tabId }, "a chat could not be loaded"));
    }
  }

  /** NotFound for a tab that is no chat, or of another workspace; closed ones answer for a while. */
  get(tabId: string, workspaceId?: string): Chat {
    const chat = this.#chats.get(tabId) ?? this.#closed(tabId);
    if (chat === undefined || (workspaceId !== undefined && chat.workspaceId !== workspaceId))
      throw notFound("tab");
    return chat;
  }

  find(tabId: string): Chat | undefined {
    return this.#chats.get(tabId);
  }

  list(): Chat[] {
    return [...this.#chats.values()];
  }

  /** Called when a chat's place in the list of sessions may have changed. */
  onState(listener: StateListener): () => void {
    const own: StateListener = (chat, state) => listener(chat, state);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /**
   * Opens a chat. `error` says why model, effort or mode could not be set; the
   * prompt is not sent then.
   */
  async new(o: NewChat): Promise<{ chat: Chat; error?: string }> {
    const known = o.tabId === undefined ? undefined : this.#chats.get(o.tabId);
    if (known !== undefined) return { chat: known, ...(await startNew(known, o)) };
    this.#refuseFull();
    const { profile, driver } = this.#profile(o.agent, o.profile);
    const cwd = await existing(o.folder);
    const file = this.#newFile({ ...o, profile, driver, cwd });
    const chat = await this.#create(file, profile, driver);
    return { chat, ...(await startNew(chat, o)) };
  }

  /** Opens a past chat of the workspace's folder; NotFound for one of any other folder. */
  async resume(ref: PastChatRef): Promise<Chat> {
    const opened = this.list().find((chat) => chat.agent === ref.agent && chat.sessionId === ref.sessionId);
    if (opened !== undefined) {
      if (opened.workspaceId !== ref.workspaceId) throw unavailable("That chat is open in another workspace");
      return opened;
    }
    const under = this.#resuming.get(ref.sessionId);
    if (under !== undefined) return under;
    const resuming = this.#resume(ref).finally(() => this.#resuming.delete(ref.sessionId));
    this.#resuming.set(ref.sessionId, resuming);
    return resuming;
  }

  /** Past chats of the folder and below, of all profiles of the agent, latest first. */
  async history(
    agent: Agent,
    folder: string,
    o: { query?: string | undefined; limit: number; signal?: AbortSignal },
  ): Promise<PastEntry[]> {
    const { query, ...rest } = o;
    const lists = await Promise.all(
      this.#profiles(agent).map(async (profile) => {
        const driver = this.#options.driver(profile);
        return (
          (await driver?.history(profile, folder, { ...rest, ...(query === undefined ? {} : { query }) })) ??
          []
        );
      }),
    );
    const seen = new Set<string>();
    return lists
      .flat()
      .sort((a, b) => b.at - a.at)
      .filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId))
      .slice(0, o.limit);
  }

  async close(tabId: string): Promise<void> {
    const chat = this.#chats.get(tabId);
    if (chat === undefined) return;
    this.#chats.delete(tabId);
    this.#closedAt.set(tabId, { chat, at: this.#options.now() });
    await chat.close();
    this.#tell(chat);
  }

  /** Ends all programs; the chats themselves stay for the next start. */
  async dispose(): Promise<void> {
    await Promise.all(this.list().map((chat) => chat.suspend()));
    const drivers = new Set(this.#profiles().map((profile) => this.#options.driver(profile)));
    await Promise.all([...drivers].flatMap((driver) => (driver === undefined ? [] : [driver.close()])));
  }

  /** Chats that would lose work if the daemon stopped now. */
  busy(): Chat[] {
    return this.list().filter((chat) => chat.busy());
  }

  get #dir(): string {
    return path.join(this.#options.stateDir, "chats");
  }

  async #resume(ref: PastChatRef): Promise<Chat> {
    this.#refuseFull();
    for (const profile of this.#profiles(ref.agent)) {
      const driver = this.#options.driver(profile);
      const place = await driver?.findPast(profile, ref.folder, ref.sessionId);
      if (driver === undefined || place === undefined) continue;
      const file = this.#newFile({ ...ref, profile, driver, cwd: place.cwd });
      const chat = await this.#create({ ...file, sessionId: ref.sessionId }, profile, driver);
      await chat.importPast();
      return chat;
    }
    throw notFound("past chat in this workspace");
  }

  #newFile(o: {
    workspaceId: string;
    agent: Agent;
    profile: AgentProfile;
    driver: AgentDriver;
    cwd: string;
    tabId?: string | undefined;
    title?: string | undefined;
    prompt?: string | undefined;
  }): ChatFile {
    const fromPrompt = oneLine(o.prompt ?? "", 60);
    const agentName = o.agent === "claude" ? "Claude" : "Codex";
    const label = o.profile.driver === "phi" ? `${agentName} (phi)` : agentName;
    return {
      version: 1,
      tabId: o.tabId ?? randomBytes(12).toString("base64url"),
      workspaceId: o.workspaceId,
      agent: o.agent,
      profileId: o.profile.id,
      cwd: o.cwd,
      title: oneLine(o.title ?? "", 200) || fromPrompt || label,
      titled: o.title !== undefined,
      settings: o.driver.defaults(o.profile),
      queue: [],
      requests: [],
      since: this.#options.now(),
    };
  }

  async #create(file: ChatFile, profile: AgentProfile, driver: AgentDriver): Promise<Chat> {
    if (this.#chats.has(file.tabId)) throw unavailable("A chat with this id is open already");
    const store = new ChatStore(path.join(this.#dir, safeName(file.tabId)));
    const chat = new Chat(file, { context: this.#context, driver, profile, store });
    await chat.create();
    this.#add(chat);
    this.#tell(chat);
    return chat;
  }

  #add(chat: Chat): void {
    this.#chats.set(chat.tabId, chat);
    chat.onChange(() => this.#tell(chat));
  }

  #tell(chat: Chat): void {
    const state = chat.state();
    for (const listener of [...this.#listeners]) listener(chat, state);
  }

  #closed(tabId: string): Chat | undefined {
    for (const [id, { at }] of this.#closedAt) {
      if (at + CLOSED_CHAT_MS <= this.#options.now()) this.#closedAt.delete(id);
    }
    return this.#closedAt.get(tabId)?.chat;
  }

  #profiles(agent?: Agent): AgentProfile[] {
    const { profiles } = this.#options;
    return profiles.list(agent).flatMap(({ id }) => profiles.get(id) ?? []);
  }

  #profile(agent: Agent, choice: string | undefined): { profile: AgentProfile; driver: AgentDriver } {
    const profile = this.#options.profiles.choose(agent, choice);
    const driver = this.#options.driver(profile);
    if (driver === undefined) throw unavailable(`This daemon cannot run ${profile.driver} yet`);
    return { profile, driver };
  }

  #refuseFull(): void {
    if (this.#chats.size >= MAX_OPEN_CHATS)
      throw unavailable(`${MAX_OPEN_CHATS} chats are open; close one first`);
  }
}

/** Sets what was asked for, then sends the prompt; under its id, so that doing it again sends nothing twice. */
async function startNew(chat: Chat, o: NewChat): Promise<{ error?: string }> {
  try {
    const patch = o.settings ?? {};
    if (Object.values(patch).some((value) => value !== undefined)) await chat.configure(patch);
  } catch (error) {
    return { error: error instanceof Error ? error.message : "The settings could not be set" };
  }
  if (o.prompt === undefined || o.prompt.trim() === "") return {};
  const { prompt: text, from, device, framed } = o;
  await chat.send({ id: promptId(chat.tabId), text, from, device, framed });
  return {};
}

/** The id of a chat's first message: a UUID that follows from the tab's. */
function promptId(tabId: string): string {
  const hex = createHash("sha256").update(`prompt ${tabId}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

async function existing(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  const found = real === undefined ? undefined : await stat(real);
  if (real === undefined || found?.isDirectory() !== true)
    throw invalidParams("The workspace has no such folder");
  return real;
}

async function hasState(dir: string): Promise<boolean> {
  return (await stat(path.join(dir, "chat.json")).catch(() => undefined)) !== undefined;
}

/** Tab ids are ours and random; anything else would be a path. */
function safeName(tabId: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tabId)) throw invalidParams("That is no id for a tab");
  return tabId;
}
