/**
 * What the daemon serves, opened from its state and tied together: workspaces,
 * tabs, their terminals, and how they stand.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Chats } from "../chat/chats.js";
import { ImageShrinker } from "../files/image.js";
import { Git } from "../git/git.js";
import { tieChats } from "../methods/chat-tabs.js";
import type { MethodDeps } from "../methods/index.js";
import { systemClock } from "../policy/clock.js";
import { ConsentsFileSchema, EMPTY_CONSENTS } from "../policy/consent-rules.js";
import { createRoots, forbiddenFolders, isInside, type Roots, realFolder } from "../policy/roots.js";
import { forbidden, notFound } from "../protocol/errors.js";
import { Profiles } from "../sessions/profiles.js";
import { Sessions } from "../sessions/sessions.js";
import { EMPTY_TABS, Tabs, TabsFileSchema } from "../sessions/tabs.js";
import { EMPTY_WORKSPACES, Workspaces, WorkspacesFileSchema } from "../sessions/workspaces.js";
import { Terminals } from "../terminal/client.js";
import { terminalEnv } from "../terminal/env.js";
import { listShells } from "../terminal/shells.js";
import type { TerminalStatus } from "../terminal/types.js";
import { AgentWorld } from "./agent-world.js";
import { Agents, openPolicy } from "./agents.js";
import type { Config } from "./config.js";
import type { Drivers } from "./drivers.js";
import { GitWorkspaces } from "./git-workspaces.js";
import { BINDING_FILE, HOST_FILE } from "./host-files.js";
import type { Log } from "./log.js";
import { openKept } from "./state.js";
import type { TabTokens } from "./tab-token.js";

const dist = fileURLToPath(new URL("../", import.meta.url));

export interface Domain {
  readonly workspaces: Workspaces;
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  readonly terminals: Terminals;
  readonly profiles: Profiles;
  readonly chats: Chats;
  readonly agents: Agents;
  readonly gitWorkspaces: GitWorkspaces;
  /** What the registry's handlers need of it. */
  readonly methods: Omit<MethodDeps, "hub">;
  /** What the owner should know, in sentences. */
  problems(): string[];
  close(): Promise<void>;
}

export interface DomainDeps {
  readonly config: Config;
  readonly log: Log;
  readonly tokens: TabTokens;
  readonly drivers: Drivers;
  /** What this daemon calls the other daemon with this device id. */
  peerName(deviceId: string): string | undefined;
}

export async function openDomain(deps: DomainDeps): Promise<Domain> {
  const { config, log } = deps;
  const { paths } = config;
  const closed = await forbiddenFolders([paths.stateDir, paths.configDir, paths.runtimeDir]);
  const workspaces = await Workspaces.open({
    kept: await openKept(join(paths.stateDir, "workspaces.json"), WorkspacesFileSchema, EMPTY_WORKSPACES),
    managerPath: join(paths.dataDir, "manager"),
    forbidden: closed,
  });
  const tabs = new Tabs(
    await openKept(join(paths.stateDir, "tabs.json"), TabsFileSchema, EMPTY_TABS),
    systemClock,
  );
  const sessions = new Sessions({ workspaces, tabs, clock: systemClock });
  const terminals = await Terminals.start({
    stateDir: paths.stateDir,
    runtimeDir: paths.runtimeDir,
    hostFile: HOST_FILE,
    bindingFile: BINDING_FILE,
    log,
  });
  await tieTerminals({ tabs, sessions, terminals, log });
  const roots = (workspaceId: string): Roots => {
    const workspace = workspaces.get(workspaceId);
    if (workspace === undefined) throw notFound("workspace");
    return createRoots({ own: workspace.path, given: () => [], forbidden: closed });
  };
  const profiles = new Profiles(config.profiles);
  const images = new ImageShrinker();
  const git = new Git({ environment: config.gitEnvironment });
  const folder: FolderOf = (workspaceId, path) => folderInside(roots(workspaceId), path);
  const chats = new Chats({
    stateDir: paths.stateDir,
    profiles,
    driver: deps.drivers,
    images,
    log,
    now: Date.now,
    tabEnv: (tab) => tabEnv(deps, tab),
    dangerousModes: (workspaceId) => dangerousModes(deps, workspaces.get(workspaceId)?.path),
  });
  await chats.open();
  const failed = (tab: string, error: unknown): void => {
    log.warn({ tab, reason: (error as Error).message }, "could not write a title");
  };
  const untieChats = await tieChats({ chats, tabs, sessions, failed });
  const policy = openPolicy(
    await openKept(join(paths.stateDir, "consents.json"), ConsentsFileSchema, EMPTY_CONSENTS),
    systemClock,
  );
  const world = new AgentWorld({ tabs, sessions, workspaces, chats, terminals, profiles, folder });
  const { peerName } = deps;
  const agents = new Agents({
    ...policy,
    world,
    clock: systemClock,
    tabs,
    sessions,
    chats,
    log,
    peerName,
  });
  await agents.gate.clearAhead();
  const gitWorkspaces = new GitWorkspaces({
    git,
    workspaces,
    tabs,
    sessions,
    forbidden: closed,
    projectRoots: config.projectRoots ?? [],
    log,
  });
  return {
    workspaces,
    tabs,
    sessions,
    terminals,
    profiles,
    chats,
    agents,
    gitWorkspaces,
    methods: {
      chats,
      consents: policy.consents,
      roots,
      images,
      git,
      workspaces,
      tabs,
      sessions,
      terminals,
      profiles,
      size: config.terminal ?? {},
      shells: listShells,
      folder,
      tabEnv: (tab) => tabEnv(deps, tab),
    },
    problems: () => [],
    async close() {
      gitWorkspaces.close();
      git.close();
      untieChats();
      await chats.dispose();
      images.close();
      sessions.dispose();
      terminals.dispose();
      await tabs.flush();
    },
  };
}

type FolderOf = (workspaceId: string, path: string) => Promise<string>;

/** The modes that the owner's config opens up for this folder: those that ask nothing. */
function dangerousModes({ config }: { config: Config }, path: string | undefined): readonly string[] {
  return path !== undefined && config.dangerousModes?.includes(path) === true
    ? ["bypassPermissions", "danger-full-access"]
    : [];
}

/** What terminals tell goes to their tabs; a tab whose terminal is gone says so. */
async function tieTerminals(deps: {
  tabs: Tabs;
  sessions: Sessions;
  terminals: Terminals;
  log: Log;
}): Promise<void> {
  const { tabs, sessions, terminals, log } = deps;
  const told = (status: TerminalStatus): void => {
    sessions.terminal(status.id, status);
    tabs.programTitle(status.id, status.title).catch((error: unknown) => {
      log.warn({ tab: status.id, reason: (error as Error).message }, "could not write a title");
    });
  };
  terminals.on("change", told);
  for (const status of terminals.list()) {
    if (tabs.get(status.id) === undefined) await terminals.close(status.id, { force: true });
    else told(status);
  }
  for (const tab of tabs.list()) {
    if (tab.kind !== "terminal" || terminals.get(tab.tabId) !== undefined) continue;
    sessions.terminal(tab.tabId, { phase: "ended", endedReason: "Its host process is gone" });
  }
}

/** A folder inside a workspace, by its real path; Forbidden for any other, there or not. */
async function folderInside(roots: Roots, path: string): Promise<string> {
  const folders = await roots.folders();
  const [own] = folders;
  const real = own === undefined || path.includes("\0") ? undefined : await realFolder(resolve(own, path));
  const inside =
    real !== undefined &&
    folders.some((folder) => isInside(folder, real)) &&
    !roots.forbidden.some((folder) => isInside(folder, real));
  if (!inside) throw forbidden("A terminal opens in a folder inside its workspace");
  return real;
}

/** The environment of a tab's programs: the user's own, where to find this daemon, and `nexus` on the path. */
function tabEnv(
  deps: { config: Config; tokens: TabTokens },
  tab: { tabId: string; workspaceId: string },
): Record<string, string> {
  return terminalEnv({
    NEXUS_SOCKET: deps.config.paths.agentSocket,
    NEXUS_WORKSPACE: tab.workspaceId,
    NEXUS_TAB: tab.tabId,
    NEXUS_TOKEN: deps.tokens.of(tab.tabId),
    binFolder: join(dist, "bin"),
  });
}
