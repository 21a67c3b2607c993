/** Another user's repository is served only when the user's own configuration says so, as git has it. */
import type { Repository } from "./repository.js";
import type { GitRunner } from "./run.js";
import { refused } from "./store.js";

/** Throws Unavailable for another user's repository that no `safe.directory` of the user's or the system's names. */
export async function checkTrust(
  runner: GitRunner,
  repository: Repository,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!repository.foreign) return;
  const { stdout } = await runner.run({
    ...repository,
    args: ["config", "-z", "--show-scope", "--get-all", "safe.directory"],
    signal,
  });
  const fields = stdout.toString("utf8").split("\0");
  let trusted = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, value = ""] = [fields[at], fields[at + 1]];
    // What the repository says of itself counts for nothing. An empty value takes back those before it.
    if (scope !== "system" && scope !== "global") continue;
    trusted = value !== "" && (trusted || value === "*" || value === repository.topLevel);
  }
  if (!trusted) {
    throw refused(
      "it belongs to another user; to have it, name it in safe.directory of your own git configuration",
    );
  }
}
