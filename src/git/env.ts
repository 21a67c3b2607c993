/** The environment of each git process, built from scratch: nothing of ours goes along but what stands here. */
import { isAbsolute } from "node:path";

/** What the daemon's own environment says, handed in. */
export interface GitEnvironment {
  /** PATH. */
  readonly path: string;
  /** HOME, for the user's own configuration. */
  readonly home: string;
  /** XDG_CONFIG_HOME, when set. */
  readonly configHome?: string;
}

export interface GitPlace {
  readonly gitDir: string;
  readonly commonDir: string;
  readonly topLevel: string;
}

/** Absolute folders only: a relative one would be looked up in the repository. */
export function searchPath(path: string): string[] {
  return path.split(":").filter((folder) => isAbsolute(folder));
}

/**
 * The git dir and the work tree are named, so that `core.worktree` and what
 * lies around count for nothing. No protocol is allowed, so a missing object
 * is never fetched; no configuration can allow one again.
 */
export function gitEnv(environment: GitEnvironment, place: GitPlace): Record<string, string> {
  return {
    PATH: searchPath(environment.path).join(":"),
    HOME: environment.home,
    ...(environment.configHome === undefined ? {} : { XDG_CONFIG_HOME: environment.configHome }),
    LANG: "C",
    LC_ALL: "C",
    GIT_DIR: place.gitDir,
    // Named as well, since a planted git dir may say `commondir` and lead to another repository's.
    GIT_COMMON_DIR: place.commonDir,
    GIT_WORK_TREE: place.topLevel,
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** Before each command. What a repository's configuration could run or write is switched off here. */
export const SAFE_ARGS: readonly string[] = [
  "--no-pager",
  "--no-optional-locks",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "safe.bareRepository=explicit",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // Without this git diff would take index.lock to write down what it found unchanged.
    "diff.autoRefreshIndex=false",
    "diff.suppressBlankEmpty=false",
    "diff.submodule=short",
    "diff.ignoreSubmodules=dirty",
    "diff.orderFile=/dev/null",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "i18n.logOutputEncoding=UTF-8",
  ].flatMap((setting) => ["-c", setting]),
];
