/** The command line's one reader of the environment. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Paths, resolvePaths } from "../server/paths.js";

/** The tab of a daemon that this process runs in, as the daemon told its programs. */
interface OwnTab {
  readonly socket: string;
  readonly token: string;
  readonly tabId: string | undefined;
  readonly workspaceId: string | undefined;
}

export interface CliEnv {
  /** Where this machine's daemon keeps what it keeps. */
  readonly paths: Paths;
  /** 0700; one record for each daemon that this user paired with. */
  readonly devicesDir: string;
  /** Set inside a tab. */
  readonly tab: OwnTab | undefined;
  /** Something of a tab is set, whole or not: the owner's verbs refuse. */
  readonly insideTab: boolean;
  readonly noColor: boolean;
  /** The user's choice of a program that opens links. */
  readonly browser: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

export function readEnv(env: Env = process.env): CliEnv {
  const { NEXUS_SOCKET: socket, NEXUS_TOKEN: token, NEXUS_TAB: tabId, NEXUS_WORKSPACE: workspaceId } = env;
  const data = env.XDG_DATA_HOME;
  const dataHome =
    data !== undefined && isAbsolute(data) ? data : join(env.HOME || homedir(), ".local", "share");
  return {
    paths: resolvePaths(env),
    devicesDir: join(dataHome, "nexus", "devices"),
    tab: socket && token ? { socket, token, tabId, workspaceId } : undefined,
    insideTab: [socket, token, tabId].some((value) => value !== undefined && value !== ""),
    noColor: env.NO_COLOR !== undefined && env.NO_COLOR !== "",
    browser: env.BROWSER || undefined,
  };
}
