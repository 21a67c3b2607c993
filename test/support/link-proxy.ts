/** Someone on the path: sees each WebSocket message, and passes on what the test makes of it. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

export interface LinkProxyOptions {
  /** undefined: it is kept back. `which` counts from 1 in each direction. */
  toServer?(message: Buffer, which: number): Buffer | undefined;
  toClient?(message: Buffer, which: number): Buffer | undefined;
}

export interface LinkProxy {
  readonly port: number;
  /** What clients sent, over all links. */
  readonly fromClient: Buffer[];
  /** The same link with this address in it. */
  through(link: string): string;
  close(): Promise<void>;
}

export async function startLinkProxy(target: number, options: LinkProxyOptions = {}): Promise<LinkProxy> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const fromClient: Buffer[] = [];
  server.on("connection", (client) => pass(client, target, { options, fromClient }));
  return {
    port,
    fromClient,
    through: (link) => link.replace(/:\d+\//, `:${port}/`),
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}

function pass(
  client: WebSocket,
  target: number,
  { options, fromClient }: { options: LinkProxyOptions; fromClient: Buffer[] },
): void {
  const up = new WebSocket(`ws://127.0.0.1:${target}/rpc`, "nexus.sealed.1", { perMessageDeflate: false });
  const opened = once(up, "open");
  let [sent, received] = [0, 0];
  client.on("message", (message: Buffer) => {
    fromClient.push(message);
    const changed = options.toServer === undefined ? message : options.toServer(message, ++sent);
    if (changed !== undefined) void opened.then(() => up.send(changed));
  });
  up.on("message", (message: Buffer) => {
    const changed = options.toClient === undefined ? message : options.toClient(message, ++received);
    if (changed !== undefined) client.send(changed);
  });
  const end = (other: WebSocket) => (code: number) =>
    other.close(code >= 4000 || code === 1000 || code === 1001 ? code : 1000);
  client.on("close", end(up));
  up.on("close", end(client));
  for (const socket of [client, up]) socket.on("error", () => undefined);
}
