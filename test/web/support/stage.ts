/** The built page, served as the daemon serves it, over a scripted daemon: for what no real one shows on demand. */
import type { IncomingMessage, Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { CAPABILITIES } from "../../../src/protocol/capabilities.js";
import { PROTOCOL_VERSION } from "../../../src/protocol/limits.js";
import { toBase64Url } from "../../../src/protocol/seal/encoding.js";
import { generateKeyPair } from "../../../src/protocol/seal/identity.js";
import { createHttpServer } from "../../../src/server/http.js";
import { hostRules } from "../../../src/server/origin.js";
import { loadPage } from "../../../src/server/page.js";
import { SealedServer, type ServedLink, type ServerOptions } from "../../support/sealed-server.js";
import { INSECURE_HOST } from "./browser.js";

export const PAGE_FOLDER = fileURLToPath(new URL("../../../dist/web", import.meta.url));

export interface Stage {
  readonly origin: string;
  readonly daemon: SealedServer;
  /** What a paired page has in its storage. */
  readonly record: object;
  close(): Promise<void>;
}

export async function startStage(options: ServerOptions): Promise<Stage> {
  const daemon = await SealedServer.start({ greet, ...options });
  const http = createHttpServer({
    rules: hostRules({ allowedHosts: [INSECURE_HOST], allowedOrigins: [] }),
    files: await loadPage(PAGE_FOLDER),
    upgrade: (request, socket, head) => passOn(daemon.port, { request, socket, head }),
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://${INSECURE_HOST}:${(http.address() as AddressInfo).port}`;
  const record = {
    urls: [`${origin}/`],
    serverKey: toBase64Url(daemon.keyPair.publicKey),
    serverName: "loom",
    secretKey: toBase64Url(generateKeyPair().secretKey),
    deviceId: "phone",
    name: "Phone",
  };
  return { origin, daemon, record, close: () => close(http, daemon) };
}

/** The first words of a workstation with a name. */
function greet(link: ServedLink): void {
  link.notify("link.ready", {
    device: { id: "phone", name: "Ada's phone" },
    capabilities: CAPABILITIES,
    protocol: PROTOCOL_VERSION,
    server: { name: "loom", version: "0.1.0", boot: "boot-1", startedAt: 1 },
    at: Date.now(),
  });
}

async function close(http: Server, daemon: SealedServer): Promise<void> {
  http.close();
  http.closeAllConnections();
  await daemon.close();
}

/** Hands an upgrade to the scripted daemon, byte for byte. */
function passOn(
  port: number,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
): void {
  const other = connect(port, "127.0.0.1", () => {
    const lines = request.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name}: ${request.rawHeaders[at + 1]}`] : [],
    );
    other.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    other.write(head);
    other.pipe(socket).pipe(other);
  });
  other.on("error", () => socket.destroy());
  socket.on("error", () => other.destroy());
}
