/** nexusd status, stop and restart: the daemon as a whole. */
import type { Command } from "commander";
import type { DaemonStatus } from "../../protocol/owner.js";
import { lockHolder } from "../../server/lock.js";
import { jsonOption, timeoutOption } from "../command.js";
import { type Session, withOwner } from "../connect.js";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode, timedOut } from "../exit.js";
import { DAEMON_CHANGE_MS, DAEMON_POLL_MS } from "../limits.js";
import { createOutput, type Output, whenText } from "../output.js";
import { canAsk, confirm } from "../prompt.js";
import { launchDetached } from "./detached.js";
import { untilChatsRest } from "./rest.js";
import { readStarted } from "./serve-options.js";

interface StopOptions {
  readonly keepTerminals?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

interface RestartOptions {
  readonly whenIdle?: boolean;
  readonly json?: boolean;
  readonly timeout?: number;
}

export function registerLifecycle(program: Command): void {
  program.command("status").description("tell how the daemon stands").addOption(jsonOption()).action(status);
  program
    .command("stop")
    .description("end the daemon and its terminals, after saying what runs in them")
    .option("--keep-terminals", "let the terminals go on; the next start has them again")
    .option("--force", "end what runs without asking")
    .addOption(jsonOption())
    .action(stop);
  program
    .command("restart")
    .description("start the daemon anew in the background, with the options it has; terminals go on")
    .option("--when-idle", "wait until no chat works")
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(restart);
}

async function status(options: { json?: boolean }): Promise<void> {
  const output = createOutput(options);
  await withOwner({}, async ({ client }) => {
    const now = await client.request("owner.status", {});
    output.value(now);
    output.line(`nexusd ${now.version}, pid ${now.pid}, since ${whenText(now.startedAt)}`);
    output.line(`at ${now.url}`);
    output.line(`devices ${now.devices}, links ${now.links}, workspaces ${now.workspaces}`);
    output.line(`tabs ${tabsText(now)}`);
    output.line(`memory ${Math.round(now.rss / 2 ** 20)} MiB, state in ${now.stateDir}`);
    for (const problem of now.problems) output.line(`problem: ${problem}`);
  });
}

function tabsText(now: DaemonStatus): string {
  const counted = Object.entries(now.sessions).filter(([, count]) => count > 0);
  return counted.length === 0 ? "none" : counted.map(([state, count]) => `${count} ${state}`).join(", ");
}

async function stop(options: StopOptions): Promise<void> {
  const output = createOutput(options);
  const pid = await withOwner({}, async (session) => {
    const now = await session.client.request("owner.status", {});
    return (await askedToStop(session, options, output)) ? now.pid : undefined;
  });
  if (pid === undefined) return;
  await untilGone(pid);
  output.value({ stopped: pid });
  output.line(options.keepTerminals === true ? "The daemon ended; its terminals go on" : "The daemon ended");
}

/** False when the person at the terminal thought better of it. */
async function askedToStop({ client }: Session, options: StopOptions, output: Output): Promise<boolean> {
  const keep = options.keepTerminals === true ? { keepTerminals: true } : {};
  const force = options.force === true ? { force: true } : {};
  const { running } = await client.request("owner.stop", { ...keep, ...force });
  if (running.length === 0) return true;
  if (output.json || !canAsk()) {
    output.value({ running });
    for (const what of running) output.note(`  ${what}`);
    throw new CommandFailure(
      ExitCode.unavailable,
      "These still run; --force ends them, --keep-terminals lets them go on",
    );
  }
  for (const what of running) output.line(`  ${what}`);
  if (!(await confirm("These still run. End them?"))) {
    output.line("Nothing was ended");
    return false;
  }
  await client.request("owner.stop", { force: true });
  return true;
}

async function restart(options: RestartOptions): Promise<void> {
  const output = createOutput(options);
  const before = await withOwner({}, async (session) => {
    const now = await session.client.request("owner.status", {});
    if (options.whenIdle === true) await untilChatsRest(session, options.timeout);
    const started = await readStarted(now.pid);
    await session.client.request("owner.stop", { keepTerminals: true });
    return { port: now.port, pid: now.pid, started };
  });
  const { started, port, pid } = before;
  await untilGone(pid);
  const now = await launchDetached({
    folder: started?.folder,
    options: { ...started?.options, port },
  });
  output.value(now);
  output.line(`The daemon runs again in the background (pid ${now.pid}) at ${now.url}`);
}

/** Resolves when the daemon has let go of its state, which is the last that it does. */
async function untilGone(pid: number): Promise<void> {
  const { stateDir } = readEnv().paths;
  const end = Date.now() + DAEMON_CHANGE_MS;
  while ((await lockHolder(stateDir)) === pid) {
    if (Date.now() > end)
      throw timedOut(`The daemon (pid ${pid}) did not end within ${DAEMON_CHANGE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, DAEMON_POLL_MS));
  }
}
