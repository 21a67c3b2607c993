/** Claude Code as an agent of this daemon: its programs, options, past chats and the trust in folders. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { unavailable } from "../../../protocol/errors.js";
import type {
  AgentDriver,
  AgentOptions,
  AgentProfile,
  AgentSettings,
  FolderTrust,
  ImageData,
  PastChat,
  PastEntry,
  PastPlace,
  RecalledTool,
  SessionSpec,
} from "../../driver.js";
import { START_TIMEOUT_MS } from "../../limits.js";
import { within } from "../../starts.js";
import { blocksOf, imagesOf, resultOf } from "./content.js";
import { claudeEnv, secretsOf } from "./env.js";
import { History, projectName } from "./history.js";
import { holderOf } from "./holders.js";
import { OPTIONS_TTL_MS, SESSION_RELEASE_MS } from "./limits.js";
import { findLine, readPast } from "./past.js";
import { findProgram } from "./program.js";
import { loadSdk } from "./sdk.js";
import { ClaudeSession, type Launch } from "./session.js";
import { Trust } from "./trust.js";

export interface ClaudeDriverOptions {
  /** What `nexusd agents install claude` filled. */
  readonly installDir: string;
  /** Where the owner's trust in folders is kept. */
  readonly trustFile: string;
  /** Folders that agents are told to stay out of: the daemon's own. */
  readonly forbidden?: readonly string[];
  /** The user's environment; this process's without. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
}

/** How often a session that is still held is looked at again. */
const HELD_POLL_MS = 250;

export class ClaudeDriver implements AgentDriver {
  readonly trusts: Trust;
  readonly #options: ClaudeDriverOptions;
  readonly #history = new History();
  readonly #sessions = new Set<ClaudeSession>();
  readonly #offers = new Map<string, { at: number; options: Promise<AgentOptions> }>();
  readonly #now: () => number;

  constructor(options: ClaudeDriverOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.trusts = new Trust(options.trustFile);
  }

  open(spec: SessionSpec): ClaudeSession {
    const session = new ClaudeSession(spec, {
      launch: () => this.#launch(spec),
      now: this.#now,
      closed: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** By a program that starts for this alone when no chat has one yet. */
  options(profile: AgentProfile, cwd: string): Promise<AgentOptions> {
    const key = `${profile.id} ${cwd}`;
    const known = this.#offers.get(key);
    if (known !== undefined && this.#now() - known.at < OPTIONS_TTL_MS) return known.options;
    const options = this.#ask(profile, cwd);
    this.#offers.set(key, { at: this.#now(), options });
    options.catch(() => this.#offers.delete(key)); // asked again next time
    return options;
  }

  defaults(): AgentSettings {
    return { model: null, effort: null, permissionMode: "default" };
  }

  async history(
    profile: AgentProfile,
    folder: string,
    o: { query?: string; limit: number; signal?: AbortSignal },
  ): Promise<PastEntry[]> {
    const entries = await this.#history.list(this.#configDir(profile), folder, o);
    return entries.map((entry) => ({ ...entry, profile: profile.id }));
  }

  async findPast(profile: AgentProfile, folder: string, sessionId: string): Promise<PastPlace | undefined> {
    const found = await this.#history.find(this.#configDir(profile), folder, sessionId);
    return found === undefined ? undefined : { profile, cwd: found.cwd };
  }

  async readPast(place: PastPlace, sessionId: string, cursor?: number): Promise<PastChat> {
    const file = this.#logFile(place, sessionId);
    if ((await sizeOf(file)) === undefined) return { events: [], skippedBytes: 0, cursor: cursor ?? 0 };
    return readPast(file, place.cwd, cursor);
  }

  async position(place: PastPlace, sessionId: string | undefined): Promise<number | undefined> {
    return sessionId === undefined ? undefined : sizeOf(this.#logFile(place, sessionId));
  }

  async recall(place: PastPlace, sessionId: string, toolUseId: string): Promise<RecalledTool | undefined> {
    const record = await this.#find(place, sessionId, [`"tool_use_id":${JSON.stringify(toolUseId)}`]);
    if (record === undefined) return undefined;
    const block = blocksOf(record).find((one) => one.tool_use_id === toolUseId);
    return block === undefined ? undefined : resultOf(block.content);
  }

  async recallMessage(
    place: PastPlace,
    sessionId: string,
    key: string,
  ): Promise<readonly ImageData[] | undefined> {
    const record = await this.#find(place, sessionId, [`"uuid":${JSON.stringify(key)}`]);
    return record === undefined ? undefined : imagesOf(blocksOf(record));
  }

  async wasTaken(place: PastPlace, sessionId: string, messageId: string): Promise<boolean> {
    const id = JSON.stringify(messageId);
    const own = await this.#find(place, sessionId, ['"type":"user"', `"uuid":${id}`]);
    return own !== undefined || (await this.#find(place, sessionId, [`"source_uuid":${id}`])) !== undefined;
  }

  trust(_profile: AgentProfile, cwd: string): Promise<FolderTrust> {
    return this.trusts.of(cwd);
  }

  secrets(profile: AgentProfile): readonly string[] {
    return secretsOf({ base: this.#options.env, profile: profile.env });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }

  async #launch(spec: SessionSpec): Promise<Launch> {
    const { profile, cwd, sessionId } = spec;
    const env = this.#env(profile, spec.tabEnv);
    const found = await stat(cwd).catch(() => undefined);
    if (found?.isDirectory() !== true)
      throw unavailable("The chat's folder is gone; put it back or open a new chat");
    const program = await findProgram({ installDir: this.#options.installDir, profile, env });
    if (sessionId !== undefined) await this.#waitForRelease(profile, sessionId);
    const trust = await this.trusts.of(cwd);
    const place = { profile, cwd };
    return {
      sdk: await loadSdk(program.sdk),
      executable: program.executable,
      env,
      settingSources: trust.trusted ? ["user", "project", "local"] : ["user"],
      disallowedTools: this.#denied(),
      resumes: sessionId !== undefined && (await sizeOf(this.#logFile(place, sessionId))) !== undefined,
      notice: trust.trusted ? undefined : untrusted(trust.wouldRun),
    };
  }

  /** One that is just ending may hold its session a little longer. */
  async #waitForRelease(profile: AgentProfile, sessionId: string): Promise<void> {
    const end = performance.now() + SESSION_RELEASE_MS;
    for (;;) {
      const holder = await holderOf(this.#configDir(profile), sessionId, new Set());
      if (holder === undefined) return;
      if (performance.now() > end) {
        throw unavailable(`This chat is open in another Claude Code (process ${holder}); end it there first`);
      }
      await new Promise((resolve) => setTimeout(resolve, HELD_POLL_MS));
    }
  }

  async #ask(profile: AgentProfile, cwd: string): Promise<AgentOptions> {
    let options: AgentOptions | undefined;
    const session = this.open({
      tabId: "",
      workspaceId: "",
      cwd,
      profile,
      settings: this.defaults(),
      tabEnv: {},
      dangerousModes: [],
      emit: (event) => {
        if (event.type === "options") options = event.options;
      },
    });
    try {
      await within(START_TIMEOUT_MS, session.start(), () =>
        unavailable("Claude Code does not answer; try again"),
      );
    } finally {
      await session.close();
    }
    if (options === undefined) throw unavailable("Claude Code does not say what it offers; try again");
    return options;
  }

  #env(profile: AgentProfile, tab: Readonly<Record<string, string>>): Record<string, string> {
    return claudeEnv({ base: this.#options.env, profile: profile.env, configDir: profile.configDir, tab });
  }

  #configDir(profile: AgentProfile): string {
    const env = this.#env(profile, {});
    return env.CLAUDE_CONFIG_DIR ?? path.join(env.HOME ?? homedir(), ".claude");
  }

  #logFile({ profile, cwd }: PastPlace, sessionId: string): string {
    return path.join(
      this.#configDir(profile),
      "projects",
      projectName(cwd),
      `${path.basename(sessionId)}.jsonl`,
    );
  }

  async #find(place: PastPlace, sessionId: string, words: readonly string[]) {
    const file = this.#logFile(place, sessionId);
    return (await sizeOf(file)) === undefined ? undefined : findLine(file, words);
  }

  /** Advice to the agent, not a wall: a program of the same user can do what the user can. */
  #denied(): string[] {
    const folders = (this.#options.forbidden ?? []).flatMap((folder) => [
      `Read(/${folder}/**)`,
      `Edit(/${folder}/**)`,
    ]);
    return ["Bash(nexusd:*)", ...folders];
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    (found) => found.size,
    () => undefined, // nothing was written yet
  );
}

function untrusted(wouldRun: readonly string[]): string {
  return [
    "This folder's own Claude settings have no effect: nobody trusted them on the workstation yet.",
    "`nexusd trust` in that folder lets these act:",
    ...wouldRun,
  ].join("\n");
}
