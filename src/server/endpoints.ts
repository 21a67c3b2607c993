/** Where the daemon is reached: the HTTP front with the sealed link behind it, and the two Unix sockets. */
import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import type { Caller } from "../methods/context.js";
import { linkHost } from "./addresses.js";
import { OWNER } from "./callers.js";
import type { Closers } from "./closers.js";
import type { Config } from "./config.js";
import type { Connection } from "./connection.js";
import { createHttpServer } from "./http.js";
import { listen } from "./listen.js";
import { listenLocal, type Receiver } from "./local.js";
import { hostRules } from "./origin.js";
import { loadPage } from "./page.js";
import type { SealedFront } from "./sealed-front.js";

const PAGE_FOLDER = fileURLToPath(new URL("../web/", import.meta.url));

/** Opens the front; the answer is where devices find it, as pairing links say. */
export async function openFront(
  config: Config,
  front: SealedFront,
  closers: Closers,
): Promise<{ url: string; port: number }> {
  const { publicUrl, tls } = config;
  const server = createHttpServer({
    rules: hostRules({
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowedHosts: config.allowedHosts ?? [],
      allowedOrigins: config.allowedOrigins ?? [],
    }),
    files: await loadPage(PAGE_FOLDER),
    ...(tls === undefined ? {} : { tls }),
    upgrade: (request, socket, head, secure) => front.upgrade(request, socket, head, secure),
  });
  const port = await listen(server, { host: config.host, port: config.port });
  // A link that waits for an approval is a connection of the HTTP server's, which ends with its last one.
  closers.add(() => {
    front.dispose();
    return closeHttp(server);
  });
  return { url: publicUrl ?? (await ownUrl(config, port)), port };
}

async function ownUrl({ host, tls }: Config, port: number): Promise<string> {
  const loopbackOnly = host !== undefined && /^(127\.|::1$|localhost$)/.test(host);
  const name = loopbackOnly ? host : await linkHost();
  return `${tls === undefined ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}/`;
}

export interface LocalEndpoints {
  receive(connection: Connection, message: Uint8Array): Promise<void>;
  /** Who speaks on the agents' socket, by its first line. */
  agent(line: Uint8Array): Caller | Receiver | undefined;
}

export async function openSockets({ paths }: Config, to: LocalEndpoints, closers: Closers): Promise<void> {
  const { receive } = to;
  const owner = await listenLocal({ receive, path: paths.ownerSocket, identify: { first: OWNER } });
  closers.add(() => owner.close());
  const agents = await listenLocal({
    receive,
    path: paths.agentSocket,
    identify: { fromLine: (line) => to.agent(line) },
  });
  closers.add(() => agents.close());
}

function closeHttp(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
