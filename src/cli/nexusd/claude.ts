/** nexusd agents install claude, and nexusd trust: what Claude Code needs at the workstation. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { folderTrust, setUpClaude } from "../../server/claude-setup.js";
import { jsonOption } from "../command.js";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode, usage } from "../exit.js";
import { createOutput } from "../output.js";

interface InstallOptions {
  readonly withProgram?: boolean;
  readonly json?: boolean;
}

export function registerClaude(program: Command): void {
  const agents = program.commands.find((command) => command.name() === "agents") ?? program;
  agents
    .command("install")
    .description("bring what an agent needs into this daemon's own data folder")
    .argument("<agent>", "claude")
    .option("--with-program", "Claude Code's program too (384 MB), even when there is one already")
    .addOption(jsonOption())
    .action(install);
  program
    .command("trust")
    .description("let a folder's own Claude settings, hooks and servers act in chats, as they are now")
    .argument("[dir]", "the folder; this one without it")
    .option("--yes", "without being asked; the list of what would run is printed in any case")
    .addOption(jsonOption())
    .action(trust);
}

async function install(agent: string, options: InstallOptions): Promise<void> {
  if (agent !== "claude") throw usage("There is claude to install; nexusd uses the user's own codex");
  const { paths } = ownerEnv();
  const output = createOutput(options);
  const installed = await setUpClaude(paths, { withProgram: options.withProgram === true });
  output.value(installed);
  output.line(
    installed.own === undefined
      ? `Claude Code and its SDK ${installed.version} are installed`
      : `Claude's SDK ${installed.version} is installed; chats run ${installed.own}`,
  );
}

async function trust(dir: string | undefined, options: { yes?: boolean; json?: boolean }): Promise<void> {
  const { paths } = ownerEnv();
  const output = createOutput(options);
  const { folder, before, trust: grant } = await folderTrust(paths, resolve(dir ?? "."));
  for (const line of before.wouldRun) output.note(line);
  if (!before.trusted && options.yes !== true) {
    throw new CommandFailure(
      ExitCode.forbidden,
      "These would act in chats of this folder; nexusd trust --yes lets them",
    );
  }
  await grant();
  output.value({ folder, trusted: true, wouldRun: before.wouldRun });
  output.line(
    before.wouldRun.length === 0
      ? `${folder} brings nothing that would run`
      : `${folder} is trusted as it is now`,
  );
}

/** The owner's word is given at the workstation, not by a program in one of its tabs. */
function ownerEnv() {
  const env = readEnv();
  if (env.insideTab)
    throw new CommandFailure(
      ExitCode.forbidden,
      "This is for the owner; run it in a terminal outside the daemon's tabs",
    );
  return env;
}
