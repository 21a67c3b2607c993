/**
 * Filters (clean, smudge, process) that a repository's own configuration
 * names: git would run them to compare files. Each is overridden by what the
 * user's own configuration says for it (git-lfs), or by nothing.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";

export type Overrides = readonly (readonly [key: string, value: string])[];

const PATTERN = "^(filter\\..*\\.(clean|smudge|process|required)|include\\.path|includeif\\..*\\.path)$";

const OWN_SCOPES: ReadonlySet<string> = new Set(["system", "global"]);

interface Known {
  readonly stamp: string;
  readonly overrides: Overrides;
}

/** Repositories remembered: as many as there are workspaces on a large machine. */
const MAX_KNOWN = 1000;

export class FilterOverrides {
  readonly #runner: GitRunner;
  readonly #known = new Map<string, Known>();

  constructor(runner: GitRunner) {
    this.#runner = runner;
  }

  /** What to override in runs that look at the work tree. Asked again whenever a configuration file changed. */
  async of(repository: Repository, signal?: AbortSignal): Promise<Overrides> {
    const stamp = await stampOf(repository, this.#runner.home);
    const known = this.#known.get(repository.gitDir);
    if (known !== undefined && known.stamp === stamp) return known.overrides;
    const { stdout } = await this.#runner.run({
      ...repository,
      args: ["config", "-z", "--show-scope", "--get-regexp", PATTERN],
      signal,
    });
    const settings = parseSettings(stdout);
    const overrides = overridesOf(settings);
    this.#known.delete(repository.gitDir);
    // An included file can change unseen, so then each run asks anew.
    if (!settings.some(({ key }) => key.startsWith("include"))) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(repository.gitDir, { stamp, overrides });
    }
    return overrides;
  }
}

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** `scope NUL key LF value NUL`; a key without a value means true. */
function parseSettings(output: Buffer): Setting[] {
  const fields = output.toString("utf8").split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = "", ...value] = (fields[at + 1] ?? "").split("\n");
    settings.push({ scope: fields[at] ?? "", key, value: value.length === 0 ? "true" : value.join("\n") });
  }
  return settings;
}

function overridesOf(settings: readonly Setting[]): Overrides {
  const own = new Map<string, string>();
  const planted = new Set<string>();
  for (const { scope, key, value } of settings) {
    if (key.startsWith("include")) continue;
    if (OWN_SCOPES.has(scope)) own.set(key, value);
    else planted.add(key);
  }
  // A filter that runs nothing must not be required, or git gives up on its files.
  for (const key of [...planted]) planted.add(`${key.slice(0, key.lastIndexOf("."))}.required`);
  return [...planted].map((key) => [key, own.get(key) ?? (key.endsWith(".required") ? "false" : "")]);
}

/** The configuration files as they are now: by time, size and inode. */
async function stampOf(repository: Repository, home: string): Promise<string> {
  const files = [
    join(repository.commonDir, "config"),
    join(repository.gitDir, "config.worktree"),
    join(home, ".gitconfig"),
    join(home, ".config", "git", "config"),
  ];
  const stamps = await Promise.all(
    files.map((file) =>
      stat(file, { bigint: true }).then(
        ({ mtimeNs, ctimeNs, size, ino }) => `${mtimeNs}.${ctimeNs}.${size}.${ino}`,
        () => "-",
      ),
    ),
  );
  return stamps.join(" ");
}
