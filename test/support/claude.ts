/** Chats run by the SDK's real program against the fake Messages API: a home of its own, no other network. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Chat } from "../../src/chat/chat.js";
import { Chats, type ChatsOptions, type NewChat } from "../../src/chat/chats.js";
import type { AgentProfile } from "../../src/chat/driver.js";
import { ClaudeDriver } from "../../src/chat/drivers/claude/driver.js";
import { bundledPrograms } from "../../src/chat/drivers/claude/program.js";
import type { PermissionRequest, ViewItem, ViewToolCall } from "../../src/protocol/view.js";
import { type FakeAnthropic, startFakeAnthropic } from "./anthropic.js";
import { profileSource, testFolder } from "./chats.js";
import { waitFor } from "./wait-for.js";

/** Where .ci/run installs the agents' packages. */
export const AGENTS_DIR = fileURLToPath(new URL("../agents/", import.meta.url));

export const API_KEY = "sk-ant-canary-0123456789abcdef";

export interface ClaudeWorld {
  readonly api: FakeAnthropic;
  readonly dir: string;
  /** The workspace's folder. */
  readonly folder: string;
  readonly configDir: string;
  readonly profile: AgentProfile;
  readonly chats: Chats;
  readonly driver: ClaudeDriver;
  open(o?: Partial<NewChat>): Promise<Chat>;
  /** Another daemon on the same state and home; the one before has ended by then. */
  restart(): Promise<{ chats: Chats; driver: ClaudeDriver }>;
  cleanup(): Promise<void>;
}

export async function startClaude(
  options: Partial<ChatsOptions> & { env?: Record<string, string> } = {},
): Promise<ClaudeWorld> {
  const { env: extra, ...chatOptions } = options;
  const api = await startFakeAnthropic();
  const { dir, cleanup } = await testFolder();
  const folder = path.join(dir, "work");
  const configDir = path.join(dir, "claude");
  await mkdir(folder);
  await mkdir(configDir);
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TMPDIR: dir,
    ANTHROPIC_BASE_URL: api.url,
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    ...extra,
  };
  const profile: AgentProfile = {
    id: "claude",
    name: "Claude",
    agent: "claude",
    driver: "claude",
    command: bundledPrograms(AGENTS_DIR)[0],
    configDir,
    env: { ANTHROPIC_API_KEY: API_KEY },
  };
  const stop: (() => Promise<void>)[] = [];
  const start = async (): Promise<{ chats: Chats; driver: ClaudeDriver }> => {
    const driver = new ClaudeDriver({ installDir: AGENTS_DIR, trustFile: path.join(dir, "trust.json"), env });
    const chats = new Chats({
      stateDir: path.join(dir, "state"),
      profiles: profileSource([profile]),
      driver: () => driver,
      images: { shrink: async (data) => ({ mediaType: "image/png", data, width: 1, height: 1 }) },
      log: { warn: () => undefined },
      now: Date.now,
      ...chatOptions,
    });
    stop.push(() => chats.dispose());
    await chats.open();
    return { chats, driver };
  };
  const first = await start();
  return {
    api,
    dir,
    folder,
    configDir,
    profile,
    ...first,
    open: async (o) => (await first.chats.new({ workspaceId: "w", folder, agent: "claude", ...o })).chat,
    restart: start,
    cleanup: async () => {
      for (const dispose of stop) await dispose();
      await api.close();
      await cleanup();
    },
  };
}

/** Sends, and waits for the turn to be over or to ask. */
export async function turn(chat: Chat, text: string): Promise<void> {
  await chat.send({ text });
  await settled(chat);
}

export async function settled(chat: Chat): Promise<string> {
  await waitFor("the turn to end", () => chat.wait().done, 60_000);
  return chat.wait().state;
}

/** The chat's next open request. */
export const asked = (chat: Chat): Promise<PermissionRequest> =>
  waitFor("a request", () => chat.model.status().requests[0], 60_000);

export const items = (chat: Chat): readonly ViewItem[] => {
  chat.model.items.settle();
  return chat.model.items.items;
};

export const texts = (chat: Chat): string[] =>
  items(chat).flatMap((item) => (item.kind === "text" ? [item.text] : []));

export const lastTurn = (chat: Chat) => items(chat).findLast((item) => item.kind === "turn");

export const calls = (chat: Chat): ViewToolCall[] => [...chat.model.items.tools.values()];
