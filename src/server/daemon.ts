/**
 * The daemon as a whole: opens the state, wires the parts to each other,
 * listens, and takes it all down again in order.
 */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMethods } from "../methods/index.js";
import { createOwnerMethods, type DaemonControl } from "../methods/owner.js";
import { Audit } from "../policy/audit.js";
import { systemClock } from "../policy/clock.js";
import { type Device, Devices, DevicesFileSchema, EMPTY_DEVICES } from "../policy/devices.js";
import { openJournal } from "../policy/journal.js";
import { Offers } from "../policy/offers.js";
import { Once } from "../policy/once.js";
import { ByteRate, HandshakeRate } from "../policy/rate.js";
import type { DaemonStatus } from "../protocol/owner.js";
import { formatPairLink } from "../protocol/seal/pairing.js";
import { WatchHub } from "../watches/hub.js";
import { linkHost } from "./addresses.js";
import { agentIdentity } from "./agent-identity.js";
import { AUDIT_FILE } from "./audit-log.js";
import { deviceCaller, OWNER } from "./callers.js";
import { type Config, type ConfigOptions, loadConfig } from "./config.js";
import type { Connection } from "./connection.js";
import { Dispatch } from "./dispatch.js";
import { runDoctor } from "./doctor.js";
import { type Domain, openDomain } from "./domain.js";
import { builtInDrivers, type Drivers } from "./drivers.js";
import { createHttpServer } from "./http.js";
import { openIdentity } from "./identity.js";
import { Links } from "./links.js";
import { listen } from "./listen.js";
import { listenLocal } from "./local.js";
import { takeLock } from "./lock.js";
import { createLog } from "./log.js";
import { hostRules } from "./origin.js";
import { loadPage } from "./page.js";
import { ensurePrivateFolder } from "./paths.js";
import { EMPTY_PEERS, Peers, PeersFileSchema } from "./peers.js";
import { SealedFront } from "./sealed-front.js";
import { openKept } from "./state.js";
import { TabTokens } from "./tab-token.js";
import { VERSION } from "./version.js";

const PAGE_FOLDER = fileURLToPath(new URL("../web/", import.meta.url));

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
  const { folder, drivers = builtInDrivers, ...said } = options;
  const config = await loadConfig(said);
  const { paths } = config;
  for (const path of [paths.stateDir, paths.configDir, paths.dataDir, paths.runtimeDir]) {
    ensurePrivateFolder(path);
  }
  const lock = await takeLock(paths.stateDir);
  const closers: (() => unknown)[] = [() => lock.release()];
  try {
    return await run(config, { folder, drivers }, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function run(
  config: Config,
  { folder, drivers }: { folder: string | undefined; drivers: Drivers },
  closers: (() => unknown)[],
): Promise<Daemon> {
  const { paths } = config;
  const log = createLog(config.logLevel ?? "info");
  const startedAt = Date.now();
  const boot = randomBytes(9).toString("base64url");
  const identity = await openIdentity(paths.stateDir);
  const tokens = new TabTokens(identity.tabKey);

  const devices = new Devices(
    await openKept(join(paths.stateDir, "devices.json"), DevicesFileSchema, EMPTY_DEVICES),
    Date.now,
  );
  closers.push(() => devices.flush());
  const offers = new Offers(devices, systemClock);
  closers.push(() => offers.dispose());
  const journal = await openJournal(join(paths.stateDir, "once.jsonl"));
  closers.push(() => journal.close());
  const once = await Once.open({ journal, clock: systemClock });
  const audit = await Audit.open({ path: join(paths.stateDir, AUDIT_FILE), now: Date.now });
  closers.push(() => audit.close());

  const peers = new Peers({
    kept: await openKept(join(paths.stateDir, "peers.json"), PeersFileSchema, EMPTY_PEERS),
    keyPair: identity.keyPair,
    name: config.name,
    devices,
    now: Date.now,
  });
  closers.push(() => peers.dispose());

  const hub = new WatchHub();
  const links = new Links();
  const domain = await openDomain({
    config,
    log,
    tokens,
    drivers,
    peerName: (deviceId) => peers.nameOf(deviceId),
  });
  closers.push(() => domain.close());
  links.onCount(() => domain.gitWorkspaces.setWatched(links.size > 0));
  const { gate } = domain.agents;
  const callers = { tabs: domain.tabs, rules: gate.rules, chains: gate.chains };
  const workspace = folder === undefined ? undefined : await domain.workspaces.add(folder);

  const finished = deferred();
  let closing: Promise<void> | undefined;
  const close = (how: { keepTerminals?: boolean } = {}): Promise<void> => {
    closing ??= (async () => {
      links.goAway();
      if (how.keepTerminals === false) await domain.terminals.stopAll();
      await closeAll(closers);
      log.info({ pid: process.pid }, "stopped");
      finished.resolve();
    })();
    return closing;
  };

  let url = "";
  let port = 0;
  const control: DaemonControl = {
    status: (): DaemonStatus => ({
      version: VERSION,
      pid: process.pid,
      url,
      port,
      startedAt,
      boot,
      links: links.size,
      devices: devices.list().length,
      workspaces: domain.workspaces.list().length,
      sessions: countStates(domain),
      rss: process.memoryUsage.rss(),
      stateDir: paths.stateDir,
      problems: domain.problems(),
    }),
    doctor: () => runDoctor({ paths, port, terminals: domain.terminals }),
    pairLink: ({ offerId, secret }) =>
      formatPairLink({
        url,
        offerId: Buffer.from(offerId, "base64url"),
        serverKey: identity.keyPair.publicKey,
        secret,
      }),
    links: (deviceId) => links.of(deviceId).length,
    stop: ({ keepTerminals }) => void close({ keepTerminals }),
  };
  const dispatch = new Dispatch({
    handlers: createMethods({ ...domain.methods, hub }),
    owner: createOwnerMethods({ ...domain, gate, peers, daemon: control, devices, offers, hub, audit }),
    once,
    gate: domain.agents,
    audit,
    log,
    checkResults: config.checkResults,
    now: Date.now,
  });
  const receive = (connection: Connection, message: Uint8Array): Promise<void> =>
    dispatch.run(connection, message);

  const noteRights = (type: "added" | "granted", { id, capabilities }: Device): void => {
    const method = type === "added" ? "pair" : "grant";
    audit.append({ device: id, method, outcome: "ok", capabilities }).catch((error: unknown) => {
      log.error({ method, reason: (error as Error).message }, "could not write the audit log");
    });
  };
  const bytes = new ByteRate(systemClock.monotonic);
  devices.onChange(({ type, device }) => {
    if (type === "added" || type === "granted") noteRights(type, device);
    if (type === "removed") {
      links.revoke(device.id);
      bytes.drop(device.id);
      domain.agents.dropDevice(device.id).catch((error: unknown) => {
        log.error(
          { device: device.id, reason: (error as Error).message },
          "could not forget a device's consents",
        );
      });
      once.drop(device.id).catch((error: unknown) => {
        log.error(
          { device: device.id, reason: (error as Error).message },
          "could not forget a device's requests",
        );
      });
    } else if (type === "granted") {
      for (const connection of links.of(device.id)) {
        connection.narrow();
        hub.narrow(connection, (capability) => connection.caller.can(capability));
        connection.notifyNow("link.capabilities", { capabilities: device.capabilities });
      }
    }
  });

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
  closers.push(() => front.dispose());
  const http = createHttpServer({
    rules: hostRules({
      ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
      allowedHosts: config.allowedHosts ?? [],
      allowedOrigins: config.allowedOrigins ?? [],
    }),
    files: await loadPage(PAGE_FOLDER),
    ...(config.tls === undefined ? {} : { tls: config.tls }),
    upgrade: (request, socket, head, secure) => front.upgrade(request, socket, head, secure),
  });
  port = await listen(http, { host: config.host, port: config.port });
  closers.push(() => closeHttp(http));
  const scheme = config.tls === undefined ? "http" : "https";
  const loopbackOnly = config.host !== undefined && /^(127\.|::1$|localhost$)/.test(config.host);
  const host = loopbackOnly ? config.host : await linkHost();
  url = config.publicUrl ?? `${scheme}://${host?.includes(":") ? `[${host}]` : host}:${port}/`;

  const local = { receive, opened: () => undefined, closed: () => undefined };
  const ownerSocket = await listenLocal({ ...local, path: paths.ownerSocket, identify: { first: OWNER } });
  closers.push(() => ownerSocket.close());
  const agentSocket = await listenLocal({
    ...local,
    path: paths.agentSocket,
    identify: { fromLine: agentIdentity({ tokens, callers, peers, gate: domain.agents, audit, log }) },
  });
  closers.push(() => agentSocket.close());
  log.info({ pid: process.pid, port, version: VERSION }, "started");
  return { url, port, pid: process.pid, workspace, ended: finished.promise, close };
}

function countStates({ tabs, sessions }: Domain): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { tabId } of tabs.list()) {
    const state = sessions.get(tabId)?.state ?? "idle";
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** Closes in the opposite order; one that fails keeps none of the others from it. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch {
      // The process ends; what could not be closed ends with it.
    }
  }
}

function closeHttp(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
