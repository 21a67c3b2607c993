/**
 * Where Claude Code is: the SDK that `nexusd agents install claude` put into the
 * data folder, and the program, which is the profile's command, else the user's
 * own `claude`, else the one that was installed with the SDK.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { unavailable } from "../../../protocol/errors.js";
import type { AgentProfile } from "../../driver.js";

export interface ClaudeProgram {
  /** The SDK's module. */
  readonly sdk: string;
  readonly executable: string;
}

/** Where the SDK and its program lie in the folder that they were installed into. */
export const sdkFile = (dir: string): string =>
  path.join(dir, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs");

/** The program's packages for this machine, the likeliest first. */
export function bundledPrograms(dir: string): string[] {
  const base = `claude-agent-sdk-${process.platform}-${process.arch}`;
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  const packages = process.platform === "linux" ? [base, `${base}-musl`] : [base];
  return packages.map((folder) => path.join(dir, "node_modules", "@anthropic-ai", folder, name));
}

/** Unavailable with what to do when something is missing. */
export async function findProgram(o: {
  installDir: string;
  profile: AgentProfile;
  env: Readonly<Record<string, string>>;
}): Promise<ClaudeProgram> {
  const sdk = sdkFile(o.installDir);
  if (!(await isReadable(sdk))) {
    throw unavailable("Claude's SDK is not installed; run `nexusd agents install claude` on the workstation");
  }
  const { command } = o.profile;
  if (command !== undefined) {
    const named = command.includes(path.sep) ? [command] : onPath(command, o.env);
    const executable = await firstExecutable(named);
    if (executable !== undefined) return { sdk, executable };
    throw unavailable(
      `The profile ${o.profile.name} names a program that is not there; mend its \`command\` in the config`,
    );
  }
  const executable = await firstExecutable([...onPath("claude", o.env), ...bundledPrograms(o.installDir)]);
  if (executable === undefined) {
    throw unavailable("Claude Code is not installed; run `nexusd agents install claude` on the workstation");
  }
  return { sdk, executable };
}

/** Whether the user has a `claude` of their own. */
export async function ownProgram(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  return firstExecutable(onPath("claude", env));
}

function onPath(name: string, env: Readonly<Record<string, string>>): string[] {
  const folders = (env.PATH ?? "").split(path.delimiter);
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name));
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    if (await isAllowed(file, constants.X_OK)) return file;
  }
  return undefined;
}

const isReadable = (file: string): Promise<boolean> => isAllowed(file, constants.R_OK);

async function isAllowed(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
