/** Chats in a folder of their own, run by a scripted agent. */
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Chats, type ChatsOptions, type ProfileSource } from "../../src/chat/chats.js";
import type { AgentDriver, AgentProfile } from "../../src/chat/driver.js";
import { notFound } from "../../src/protocol/errors.js";
import { ScriptedDriver } from "./scripted-agent.js";

export const PROFILE: AgentProfile = { id: "claude", name: "Claude", agent: "claude", driver: "claude" };

export function profileSource(profiles: readonly AgentProfile[]): ProfileSource {
  return {
    list: (agent) => profiles.filter((profile) => agent === undefined || profile.agent === agent),
    get: (id) => profiles.find((profile) => profile.id === id),
    choose(agent, idOrName) {
      const found = profiles.find(
        (profile) =>
          profile.agent === agent &&
          (idOrName === undefined || [profile.id, profile.name].includes(idOrName)),
      );
      if (found === undefined) throw notFound("profile");
      return found;
    },
  };
}

export interface TestChats {
  readonly chats: Chats;
  readonly driver: ScriptedDriver;
  readonly dir: string;
  /** Another daemon on the state as it is now, as if this one had been killed. */
  again(driver?: ScriptedDriver): Promise<Chats>;
  cleanup(): Promise<void>;
}

export async function testFolder(): Promise<{ dir: string; cleanup(): Promise<void> }> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "nexusd-chat-")));
  return { dir, cleanup: () => rm(dir, { recursive: true, force: true }) };
}

export async function startChats(options: Partial<ChatsOptions> = {}): Promise<TestChats> {
  const { dir, cleanup } = await testFolder();
  const driver = new ScriptedDriver();
  const all: Chats[] = [];
  const start = async (agent: AgentDriver): Promise<Chats> => {
    const stateDir = path.join(dir, `state${all.length === 0 ? "" : all.length}`);
    if (all.length > 0) await cp(path.join(dir, "state"), stateDir, { recursive: true });
    const chats = new Chats({
      stateDir,
      profiles: profileSource([PROFILE]),
      driver: () => agent,
      images: {
        shrink: async (data) => ({ mediaType: "image/png", data, width: 1, height: 1 }),
      },
      log: { warn: () => undefined },
      now: () => Date.now(),
      ...options,
    });
    all.push(chats);
    await chats.open();
    return chats;
  };
  return {
    chats: await start(driver),
    driver,
    dir,
    again: (other = new ScriptedDriver()) => start(other),
    cleanup: async () => {
      await Promise.all(all.map((chats) => chats.dispose()));
      await cleanup();
    },
  };
}
