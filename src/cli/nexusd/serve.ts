/** nexusd serve: runs the daemon here, or adds the folder to the one that runs already. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Daemon } from "../../server/daemon.js";
import { AlreadyRunningError } from "../../server/lock.js";
import { jsonOption } from "../command.js";
import { refuseInsideTab, withOwner } from "../connect.js";
import { ExitCode, exitCodeOf, usage } from "../exit.js";
import { createOutput, type Output } from "../output.js";
import { canAsk } from "../prompt.js";
import { showPairLink } from "./pair-link.js";
import { runOffer } from "./run-offer.js";
import { addServeOptions, keepStarted, type ServeOptions, startOptions } from "./serve-options.js";

interface ServeFlags extends ServeOptions {
  readonly json?: boolean;
  readonly printLink?: boolean;
  readonly verbose?: boolean;
}

export function registerServe(program: Command): void {
  const command = program
    .command("serve")
    .description("run the daemon and open a folder to your devices; on a terminal, offer to pair one")
    .argument("[dir]", "the folder; this one without it")
    .option("--print-link", "print a pairing link also when standard output is no terminal")
    .option("--verbose", "show the log on a terminal too")
    .addOption(jsonOption());
  addServeOptions(command).action(serve);
}

async function serve(dir: string | undefined, flags: ServeFlags): Promise<void> {
  refuseInsideTab();
  const output = createOutput(flags);
  const folder = servedFolder(dir);
  const running = await startServing(folder, flags);
  if (running === "already") {
    await addToRunning(folder, output);
    return;
  }
  const { daemon, options } = running;
  output.value({ url: daemon.url, port: daemon.port, pid: daemon.pid });
  output.line(`Serving ${folder} at ${daemon.url}`);
  output.line("Nothing is open to anyone who is not paired. Ctrl-C ends the daemon; terminals go on.");
  offerPairing(output, options).catch((error: unknown) => {
    // an offer that ended leaves the daemon as it is
    if (exitCodeOf(error) !== ExitCode.interrupted)
      output.note(`${(error as Error).message}. nexusd pair makes a new link`);
    else void daemon.close({ keepTerminals: true });
  });
  await daemon.ended;
  process.exit();
}

export interface Serving {
  readonly daemon: Daemon;
  readonly options: ServeFlags;
}

/** Starts the daemon in this process, and ends it on a signal; "already" when one runs on this state. */
export async function startServing(folder: string, options: ServeFlags): Promise<Serving | "already"> {
  const start = startOptions(folder, absolutePaths(options));
  const quiet = process.stderr.isTTY === true && options.verbose !== true;
  const { startDaemon } = await import("../../server/daemon.js");
  let daemon: Daemon;
  try {
    daemon = await startDaemon({ ...start, ...(quiet && { logLevel: "warn" }) });
  } catch (error) {
    if (error instanceof AlreadyRunningError) return "already";
    throw error;
  }
  endOnSignals(daemon);
  await keepStarted({ pid: daemon.pid, folder, options: { ...absolutePaths(options), port: daemon.port } });
  return { daemon, options };
}

/** The first signal ends the daemon in order and keeps the terminals; the second ends it now. */
function endOnSignals(daemon: Daemon): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(ExitCode.interrupted));
      void daemon.close({ keepTerminals: true });
    });
  }
}

/** An absolute path to a folder that is there, symbolic links resolved. Throws usage otherwise. */
export function servedFolder(dir: string | undefined): string {
  const path = resolve(dir ?? ".");
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    throw usage(`There is no folder ${path} (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
  throw usage(`${path} is no folder`);
}

function absolutePaths(options: ServeFlags): ServeOptions {
  const { tlsCert, tlsKey } = options;
  return {
    ...options,
    ...(tlsCert !== undefined && { tlsCert: resolve(tlsCert) }),
    ...(tlsKey !== undefined && { tlsKey: resolve(tlsKey) }),
  };
}

async function addToRunning(folder: string, output: Output): Promise<void> {
  await withOwner({}, async ({ client }) => {
    const added = await client.request("owner.workspace.add", { path: folder });
    const { url, port, pid } = await client.request("owner.status", {});
    output.value({ url, port, pid, added });
    output.line(`A daemon runs already (pid ${pid}); ${added.path} is open to your devices there, at ${url}`);
    output.line("nexusd pair lets a new device in.");
  });
}

/** A link on a terminal, or where the owner asked for one, and the approval of who uses it. */
async function offerPairing(output: Output, { printLink = false }: ServeFlags): Promise<void> {
  if (!printLink && (output.json || !output.isTerminal || !canAsk())) return;
  await withOwner({}, async (session) => {
    await runOffer(session, {
      output,
      yes: false,
      show: ({ link, expiresAt }) => showPairLink(output, link, { printLink, expiresAt }),
    });
  }).catch((error: unknown) => {
    // the daemon closes its sockets when it ends, which is no news
    if (exitCodeOf(error) !== ExitCode.unavailable) throw error;
  });
}
