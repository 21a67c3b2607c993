/**
 * From a command to a daemon: this machine's owner socket, the agents' socket
 * inside a tab, or with --device the sealed link of a pairing.
 */
import { WebSocket } from "ws";
import { NexusClient } from "../client/client.js";
import { connectDevice } from "../client/device-record.js";
import { connectLocal } from "../client/local.js";
import type { Connect } from "../client/transport.js";
import { CLOSE_REASONS, CloseCode } from "../protocol/link.js";
import { VERSION } from "../server/version.js";
import { readEnv } from "./env.js";
import { CommandFailure, ExitCode } from "./exit.js";
import { findRecord } from "./records.js";

export interface Session {
  readonly client: NexusClient;
  /** Limits of each call. */
  readonly call: { readonly timeoutMs?: number };
  readonly over: "owner" | "agent" | "device";
}

export interface SessionOptions {
  readonly device?: string | undefined;
  /** Milliseconds for the first link, and again for each call. */
  readonly timeout?: number | undefined;
  /** Whether a lost link is brought up again, for what runs on. */
  readonly retry?: boolean;
}

/** Runs `use` with a client that is connected, and closes it. */
export async function withClient<T>(
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const { connect, over } = await chooseConnect(options.device);
  return await withConnection({ connect, over, ...options }, use);
}

/** The same over the owner's socket, which a program inside a tab is refused. */
export async function withOwner<T>(
  options: Pick<SessionOptions, "timeout" | "retry">,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  refuseInsideTab();
  const connect = connectLocal({ path: readEnv().paths.ownerSocket });
  return await withConnection({ connect, over: "owner", ...options }, use);
}

/** Owner verbs are the person's at the machine: what a tab prints is read by devices, and its program may be an agent. */
export function refuseInsideTab(): void {
  if (!readEnv().insideTab) return;
  throw new CommandFailure(
    ExitCode.forbidden,
    "This is a tab of nexusd, whose agents and devices must not act as the owner; run it in a terminal of your own",
  );
}

async function withConnection<T>(
  how: SessionOptions & { connect: Connect; over: Session["over"] },
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const client = new NexusClient({ connect: how.connect, retry: how.retry === true });
  const call = how.timeout === undefined ? {} : { timeoutMs: how.timeout };
  client.start();
  try {
    await firstLink(client, how);
    return await use({ client, call, over: how.over });
  } finally {
    client.close();
  }
}

/** A daemon that is not there at the start is told at once, also by what retries later. */
async function firstLink(
  client: NexusClient,
  how: SessionOptions & { over: Session["over"] },
): Promise<void> {
  const failed = new AbortController();
  const remove = client.onState((state) => {
    if (state.state === "offline") failed.abort(new CommandFailure(ExitCode.unavailable, state.reason));
  });
  const limit = how.timeout === undefined ? [] : [AbortSignal.timeout(how.timeout)];
  try {
    await client.whenReady(AbortSignal.any([failed.signal, ...limit]));
  } catch (error) {
    throw explained(error, client, how.over);
  } finally {
    remove();
  }
}

function explained(error: unknown, client: NexusClient, over: Session["over"]): unknown {
  const { state, reason } = client.state;
  if (state === "closed" && reason === "revoked") {
    return new CommandFailure(ExitCode.forbidden, "The owner revoked this device; pair it again");
  }
  if (over === "owner" && reason.startsWith("no daemon runs")) {
    return new CommandFailure(
      ExitCode.unavailable,
      "No daemon runs on this machine; start one with nexusd serve",
    );
  }
  if (over === "device" && reason === CLOSE_REASONS[CloseCode.handshake]) {
    const why = "The daemon there does not know this device, or is another one; pair again with nexus pair";
    return new CommandFailure(ExitCode.forbidden, why);
  }
  return error;
}

async function chooseConnect(
  device: string | undefined,
): Promise<{ connect: Connect; over: Session["over"] }> {
  const env = readEnv();
  if (device !== undefined && env.tab === undefined) {
    const { record } = await findRecord(env.devicesDir, device);
    return { connect: connectDevice(record, { WebSocket, client: `nexus ${VERSION}` }), over: "device" };
  }
  if (env.tab !== undefined) {
    const { socket, token } = env.tab;
    // What runs in a tab speaks to other daemons through its own, which says whose words they are.
    const firstLine = JSON.stringify({ token, ...(device !== undefined && { device }) });
    return {
      connect: connectLocal({ path: socket, firstLine }),
      over: device === undefined ? "agent" : "device",
    };
  }
  return { connect: connectLocal({ path: env.paths.ownerSocket }), over: "owner" };
}
