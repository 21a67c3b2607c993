/** What the owner sets up for Claude at the workstation, without a running daemon: the SDK, and trust in folders. */
import { realpath } from "node:fs/promises";
import type { FolderTrust } from "../chat/driver.js";
import { type Installed, installClaude } from "../chat/drivers/claude/install.js";
import { Trust } from "../chat/drivers/claude/trust.js";
import { claudeInstallDir, trustFile } from "./drivers.js";
import type { Paths } from "./paths.js";

export function setUpClaude(paths: Paths, o: { withProgram?: boolean }): Promise<Installed> {
  return installClaude(claudeInstallDir(paths), o);
}

export interface TrustedFolder {
  readonly folder: string;
  /** How it stood before. */
  readonly before: FolderTrust;
  trust(): Promise<void>;
}

/** The folder by its real path, and what it would run. */
export async function folderTrust(paths: Paths, dir: string): Promise<TrustedFolder> {
  const folder = await realpath(dir);
  const trusts = new Trust(trustFile(paths));
  return { folder, before: await trusts.of(folder), trust: () => trusts.grant(folder) };
}
