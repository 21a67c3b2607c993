/**
 * How each shell is started so that it marks its prompts and commands (OSC 133),
 * without a change to any file of the user's. A shell that is not known starts
 * plain: what it does is then told from the process table.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Launch } from "../host/launch.js";
import type { Shell } from "../types.js";
import { BASH_RC } from "./bash.js";
import { FISH_INIT } from "./fish.js";
import { ZSH_ENV } from "./zsh.js";

const FILES = {
  bash: "bash/rc",
  zsh: "zsh/.zshenv",
  fish: "fish/init.fish",
} as const;

/** Writes the shells' files below `folder`, once per host. */
export async function installShellIntegration(folder: string): Promise<void> {
  const texts = { bash: BASH_RC, zsh: ZSH_ENV, fish: FISH_INIT };
  for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) {
    const file = path.join(folder, FILES[name]);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, texts[name], { mode: 0o600 });
  }
}

export interface ShellStart {
  readonly launch: Launch;
  readonly env: Record<string, string>;
  /** Whether the shell is expected to mark its prompts. */
  readonly marked: boolean;
}

/** `mark` goes into each mark, so that nothing a program prints can pass for the shell's. */
export function startOf(
  shell: Shell,
  env: Readonly<Record<string, string>>,
  files: { folder: string; mark: string },
): ShellStart {
  const marked = { ...env, NEXUS_SHELL_MARK: files.mark };
  // A terminal of macOS runs login shells, and what sets PATH there is read by those alone.
  const login = process.platform === "darwin";
  switch (path.basename(shell.path)) {
    case "bash":
      return {
        launch: { file: shell.path, args: ["--init-file", path.join(files.folder, FILES.bash), "-i"] },
        env: login ? { ...marked, NEXUS_SHELL_LOGIN: "1" } : marked,
        marked: true,
      };
    case "zsh":
      return {
        launch: { file: shell.path, args: login ? ["-l", "-i"] : ["-i"] },
        env: zshEnv(marked, path.join(files.folder, path.dirname(FILES.zsh))),
        marked: true,
      };
    case "fish": {
      const init = ["-C", `source ${fishQuoted(path.join(files.folder, FILES.fish))}`];
      return {
        launch: { file: shell.path, args: [...(login ? ["-l"] : []), "-i", ...init] },
        env: marked,
        marked: true,
      };
    }
    default:
      return { launch: { file: shell.path, args: ["-i"] }, env: { ...env }, marked: false };
  }
}

function zshEnv(env: Record<string, string>, folder: string): Record<string, string> {
  const { ZDOTDIR: own } = env;
  return { ...env, ZDOTDIR: folder, ...(own === undefined ? {} : { NEXUS_USER_ZDOTDIR: own }) };
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
