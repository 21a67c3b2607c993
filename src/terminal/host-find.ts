/** Finds the terminal hosts that live, and clears away what dead ones left. */
import { HostChannel, type HostChannelEvents } from "./host-channel.js";
import { HostVersionError } from "./host-link.js";
import { hostSockets, removeSocket } from "./host-start.js";

export interface FindOptions {
  readonly runtimeDir: string;
  readonly log: { warn(fields: object, message: string): void };
}

export interface FoundHosts {
  readonly channels: HostChannel[];
  /** A host may live that could not be spoken to: its files must stay. */
  readonly unknown: boolean;
}

export async function findHosts(options: FindOptions, events: HostChannelEvents): Promise<FoundHosts> {
  const sockets = await hostSockets(options.runtimeDir);
  const found = await Promise.all(sockets.map((socket) => connect(socket, options, events)));
  return {
    channels: found.filter((channel) => channel instanceof HostChannel),
    unknown: found.includes("unknown"),
  };
}

async function connect(
  socket: string,
  { log }: FindOptions,
  events: HostChannelEvents,
): Promise<HostChannel | "none" | "unknown"> {
  try {
    return await HostChannel.connect(socket, events);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED" || code === "ENOENT") {
      await removeSocket(socket);
      return "none";
    }
    const why = error instanceof HostVersionError ? "it is of another version" : "it does not answer";
    log.warn({ socket, reason: message }, `terminal host left alone: ${why}`);
    return "unknown";
  }
}
