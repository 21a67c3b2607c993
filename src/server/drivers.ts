/** The agents that this daemon can run, by the driver that a profile names. */
import { join } from "node:path";
import type { AgentDriver, AgentProfile } from "../chat/driver.js";
import { ClaudeDriver } from "../chat/drivers/claude/driver.js";
import type { Paths } from "./paths.js";

/** undefined for a driver that is not there. */
export type Drivers = (profile: AgentProfile) => AgentDriver | undefined;

/** Where `nexusd agents install claude` puts the SDK and its program. */
export const claudeInstallDir = (paths: Pick<Paths, "dataDir">): string =>
  join(paths.dataDir, "agents", "claude");

/** Where the owner's trust in folders is kept. */
export const trustFile = (paths: Pick<Paths, "stateDir">): string => join(paths.stateDir, "trust.json");

export function builtInDrivers(paths: Paths): Drivers {
  const claude = new ClaudeDriver({
    installDir: claudeInstallDir(paths),
    trustFile: trustFile(paths),
    forbidden: [paths.stateDir, paths.configDir, paths.runtimeDir],
  });
  return (profile) => (profile.driver === "claude" ? claude : undefined);
}
