/**
 * nexusd doctor: tries what the daemon stands on, really opening a terminal,
 * and says how to repair what does not hold. Nothing is changed.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { gitVersion } from "../git/version.js";
import type { DoctorCheck } from "../protocol/owner.js";
import { Terminals } from "../terminal/client.js";
import { terminalEnv } from "../terminal/env.js";
import { loadBinding } from "../terminal/host/binding.js";
import { DEFAULT_PORT, loadConfig } from "./config.js";
import {
  checkClock,
  checkModes,
  checkNode,
  checkPortFree,
  checkPortOpen,
  checkSockets,
} from "./doctor-checks.js";
import { BINDING_FILE, HOST_FILE } from "./host-files.js";
import { createLog } from "./log.js";
import type { Paths } from "./paths.js";

export interface DoctorDeps {
  readonly paths: Paths;
  /** The one that the daemon listens at. */
  readonly port: number;
  readonly terminals: Terminals;
}

/** What a check found, or a thrown error with the sentence why not. */
type Probe = () => Promise<string> | string;

interface Trial {
  readonly name: string;
  readonly probe: Probe;
  readonly repair: string;
}

/** How long a shell may take to answer on a busy machine. */
const ECHO_MS = 10_000;

/** Typed with a sum in it, so that the echo of the typing is not taken for the answer. */
const TYPED = "echo 🦀$((6*7))";
const ANSWERED = "🦀42";

/** The checks of a daemon that runs. */
export async function runDoctor({ paths, port, terminals }: DoctorDeps): Promise<DoctorCheck[]> {
  return await runTrials([
    ...commonTrials(paths, { listening: true }),
    {
      name: "port",
      probe: () => checkPortOpen(port),
      repair: "Start it again with nexusd restart, or at another port with nexusd serve --port",
    },
    terminalTrial(() => tryTerminal(terminals)),
  ]);
}

/** The same without a daemon, in this process, with a terminal host of its own that ends with it. */
export async function runDoctorAlone(paths: Paths): Promise<DoctorCheck[]> {
  // a config file that does not read is told by its own check
  const { port, host } = await loadConfig().catch(() => ({ port: DEFAULT_PORT, host: undefined }));
  return await runTrials([
    ...commonTrials(paths, { listening: false }),
    {
      name: "port",
      probe: () => checkPortFree(port, host),
      repair: "Pick another port with nexusd serve --port, or as port in config.json",
    },
    terminalTrial(tryTerminalAlone),
  ]);
}

function commonTrials(paths: Paths, { listening }: { listening: boolean }): Trial[] {
  return [
    { name: "node", probe: checkNode, repair: "Install Node 20.19 or newer" },
    {
      name: "config",
      probe: async () => `${(await loadConfig()).paths.configFile} reads`,
      repair: "Correct the file, or move it away",
    },
    {
      name: "file modes",
      probe: () => checkModes([paths.stateDir, paths.runtimeDir]),
      repair: `chmod -R go= ${paths.stateDir} ${paths.runtimeDir}`,
    },
    {
      name: "sockets",
      probe: () => checkSockets(paths, listening),
      repair: "Set XDG_RUNTIME_DIR to a short folder of your own, then nexusd restart",
    },
    {
      name: "clock",
      probe: () => checkClock(paths.stateDir),
      repair: "Set the clock: timedatectl set-ntp true",
    },
    {
      name: "git",
      probe: async () => await gitVersion((await loadConfig()).gitEnvironment),
      repair: "Install git 2.38 or newer; without it git.* answers Unavailable",
    },
    {
      name: "native binding",
      probe: () => {
        loadBinding(BINDING_FILE);
        return "node-pty's binding loads and has its functions";
      },
      repair: "npm rebuild node-pty (it needs g++, make and python3)",
    },
  ];
}

function terminalTrial(probe: Probe): Trial {
  return {
    name: "terminal",
    probe,
    repair: "npm ci and npm run build, then nexusd restart; hosts/host.log in the state folder says more",
  };
}

/** One after the other: a slow machine is not to fail by the checks themselves. */
async function runTrials(trials: readonly Trial[]): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const { name, probe, repair } of trials) {
    try {
      checks.push({ name, ok: true, detail: await probe() });
    } catch (error) {
      checks.push({ name, ok: false, detail: (error as Error).message, repair });
    }
  }
  return checks;
}

/** A shell in a new terminal gets an emoji typed and gives it back. */
async function tryTerminal(terminals: Terminals): Promise<string> {
  const id = `doctor-${randomBytes(6).toString("hex")}`;
  const startedAt = performance.now();
  await terminals.open({
    id,
    cwd: homedir(),
    shell: { id: "doctor", name: "sh", path: "/bin/sh", isDefault: false },
    env: terminalEnv({}),
  });
  try {
    await terminals.input(id, { text: TYPED, enter: true });
    const wait = { asker: id, match: ANSWERED, timeoutMs: ECHO_MS };
    const { done, state } = await terminals.wait(id, wait, AbortSignal.timeout(2 * ECHO_MS));
    if (!done || state !== "matched") {
      throw new Error(
        `A shell was opened and did not give back an emoji within ${ECHO_MS / 1000} s (${state})`,
      );
    }
  } finally {
    await terminals.close(id, { force: true });
  }
  return `a shell opened and gave back an emoji in ${Math.round(performance.now() - startedAt)} ms`;
}

/** In folders of its own: the hosts that a daemon left running are not touched. */
async function tryTerminalAlone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "nexusd-doctor-"));
  try {
    const terminals = await Terminals.start({
      stateDir: join(folder, "state"),
      runtimeDir: join(folder, "run"),
      hostFile: HOST_FILE,
      bindingFile: BINDING_FILE,
      log: createLog("silent"),
    });
    try {
      return await tryTerminal(terminals);
    } finally {
      await terminals.stopAll();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
