/**
 * The daemon as a whole: opens the state, wires the parts to each other,
 * listens, and takes it all down again in order.
 */
import { randomBytes } from "node:crypto";
import { createMethods } from "../methods/index.js";
import { createOwnerMethods, type DaemonControl } from "../methods/owner.js";
import { audited } from "../methods/owner-audit.js";
import { systemClock } from "../policy/clock.js";
import { ByteRate, HandshakeRate } from "../policy/rate.js";
import { formatPairLink } from "../protocol/seal/pairing.js";
import { WatchHub } from "../watches/hub.js";
import { agentIdentity } from "./agent-identity.js";
import { deviceCaller } from "./callers.js";
import { Closers } from "./closers.js";
import { type Config, type ConfigOptions, loadConfig } from "./config.js";
import type { Connection } from "./connection.js";
import { followDevices } from "./device-changes.js";
import { Dispatch } from "./dispatch.js";
import { runDoctor } from "./doctor.js";
import { type Domain, openDomain } from "./domain.js";
import { builtInDrivers, type Drivers } from "./drivers.js";
import { openFront, openSockets } from "./endpoints.js";
import { type Identity, openIdentity } from "./identity.js";
import { Links } from "./links.js";
import { takeLock } from "./lock.js";
import { createLog, type Log } from "./log.js";
import { ensurePrivateFolder } from "./paths.js";
import { openRecords, type Records } from "./records.js";
import { SealedFront } from "./sealed-front.js";
import { TabTokens } from "./tab-token.js";
import { VERSION } from "./version.js";

export interface StartOptions extends ConfigOptions {
  /** A folder to serve as a workspace. */
  readonly folder?: string;
  /** What runs the agents; the built-in drivers when absent. */
  readonly drivers?: Drivers;
}

export interface Daemon {
  /** Where devices find it, as pairing links say. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The workspace of the folder that was to be served. */
  readonly workspace: { readonly name: string; readonly path: string } | undefined;
  /** Resolves when it has ended, by close() or by owner.stop. */
  readonly ended: Promise<void>;
  close(options?: { keepTerminals?: boolean }): Promise<void>;
}

/**
 * Starts the daemon. Rejects with AlreadyRunningError when one serves this
 * state, with a sentence about the file for damaged state or config, and with
 * the system's word when the port is taken.
 */
export async function startDaemon(options: StartOptions = {}): Promise<Daemon> {
  const { folder, drivers, ...said } = options;
  const config = await loadConfig(said);
  const { paths } = config;
  for (const path of [paths.stateDir, paths.configDir, paths.dataDir, paths.runtimeDir]) {
    ensurePrivateFolder(path);
  }
  const lock = await takeLock(paths.stateDir);
  const closers = new Closers();
  closers.add(() => lock.release());
  try {
    return await run(config, { folder, drivers: drivers ?? builtInDrivers(config.paths) }, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** What the parts of a running daemon share. */
interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly identity: Identity;
  readonly tokens: TabTokens;
  readonly records: Records;
  readonly domain: Domain;
  readonly hub: WatchHub;
  readonly links: Links;
  /** Random at each start: event numbers and watches of another one mean nothing. */
  readonly boot: string;
  readonly startedAt: number;
}

async function run(
  config: Config,
  { folder, drivers }: { folder: string | undefined; drivers: Drivers },
  closers: Closers,
): Promise<Daemon> {
  const log = createLog(config.logLevel ?? "info");
  const identity = await openIdentity(config.paths.stateDir);
  const tokens = new TabTokens(identity.tabKey);
  const records = await openRecords(config, identity, closers);
  const peerName = (deviceId: string): string | undefined => records.peers.nameOf(deviceId);
  const domain = await openDomain({ config, log, tokens, drivers, peerName });
  closers.add(() => domain.close());
  const links = new Links();
  links.onCount(() => domain.gitWorkspaces.setWatched(links.size > 0));
  const boot = randomBytes(9).toString("base64url");
  const hub = new WatchHub();
  const parts: Parts = {
    config,
    log,
    identity,
    tokens,
    records,
    domain,
    hub,
    links,
    boot,
    startedAt: Date.now(),
  };
  const workspace = folder === undefined ? undefined : await domain.workspaces.add(folder);

  const ending = createEnding(parts, closers);
  const at = { url: "", port: 0 };
  const dispatch = createDispatch(parts, createControl(parts, at, ending.close));
  await open(parts, { dispatch, at }, closers);
  log.info({ pid: process.pid, port: at.port, version: VERSION }, "started");
  return { ...at, pid: process.pid, workspace, ended: ending.ended, close: ending.close };
}

/** Lets devices and this machine's programs in. */
async function open(
  parts: Parts,
  { dispatch, at }: { dispatch: Dispatch; at: { url: string; port: number } },
  closers: Closers,
): Promise<void> {
  const { config, log, identity, tokens, records, domain, hub, links, boot, startedAt } = parts;
  const { devices, offers, once, audit, peers } = records;
  const { gate } = domain.agents;
  const callers = {
    tabs: domain.tabs,
    rules: gate.rules,
    chains: gate.chains,
    isManager: (workspaceId: string) => domain.workspaces.manager.id === workspaceId,
  };
  const bytes = new ByteRate(systemClock.monotonic);
  followDevices({ devices, once, audit, links, hub, bytes, agents: domain.agents, log });
  const receive = (connection: Connection, message: Uint8Array): Promise<void> =>
    dispatch.run(connection, message);
  const front = new SealedFront({
    keyPair: identity.keyPair,
    devices,
    offers,
    links,
    handshakes: new HandshakeRate(systemClock.monotonic),
    bytes,
    log,
    trustProxy: config.trustProxy,
    callerOf: (device) => deviceCaller(device, devices, callers),
    receive,
    server: () => ({ name: config.name, version: VERSION, boot, startedAt }),
    now: Date.now,
    monotonic: systemClock.monotonic,
  });
  closers.add(() => front.dispose());
  Object.assign(at, await openFront(config, front, closers));
  const agent = agentIdentity({ tokens, callers, peers, gate: domain.agents, audit, log });
  await openSockets(config, { receive, agent }, closers);
}

function createDispatch({ config, log, records, domain, hub }: Parts, control: DaemonControl): Dispatch {
  const { once, audit } = records;
  return new Dispatch({
    handlers: createMethods({ ...domain.methods, hub }),
    owner: audited(
      createOwnerMethods({ ...domain, ...records, gate: domain.agents.gate, daemon: control, hub }),
      audit,
    ),
    once,
    gate: domain.agents,
    audit,
    log,
    checkResults: config.checkResults,
    now: Date.now,
  });
}

function createControl(
  { config, identity, records, domain, links, boot, startedAt }: Parts,
  at: { readonly url: string; readonly port: number },
  close: Daemon["close"],
): DaemonControl {
  const { paths } = config;
  return {
    status: () => ({
      version: VERSION,
      pid: process.pid,
      ...at,
      startedAt,
      boot,
      links: links.size,
      devices: records.devices.list().length,
      workspaces: domain.workspaces.list().length,
      sessions: domain.sessions.counts(),
      rss: process.memoryUsage.rss(),
      stateDir: paths.stateDir,
      problems: domain.problems(),
    }),
    doctor: () => runDoctor({ paths, port: at.port, terminals: domain.terminals }),
    pairLink: ({ offerId, secret }) =>
      formatPairLink({
        url: at.url,
        offerId: Buffer.from(offerId, "base64url"),
        serverKey: identity.keyPair.publicKey,
        secret,
      }),
    links: (deviceId) => links.of(deviceId).length,
    stop: ({ keepTerminals }) => void close({ keepTerminals }),
  };
}

/** The end of the daemon, which comes once, whoever asks for it. */
function createEnding(
  { log, domain, links }: Parts,
  closers: Closers,
): { ended: Promise<void>; close: Daemon["close"] } {
  let finish = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let closing: Promise<void> | undefined;
  const end = async (keepTerminals: boolean): Promise<void> => {
    links.goAway();
    if (!keepTerminals) await domain.terminals.stopAll();
    await closers.close();
    log.info({ pid: process.pid }, "stopped");
    finish();
  };
  return {
    ended,
    close: ({ keepTerminals = true } = {}) => {
      closing ??= end(keepTerminals);
      return closing;
    },
  };
}
