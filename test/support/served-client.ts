/** A client and its server for one test, both gone when it ends. */
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type ClientOptions, NexusClient } from "../../src/client/client.js";
import { connectDevice, type DeviceRecord } from "../../src/client/device-record.js";
import { toBase64Url } from "../../src/protocol/seal/encoding.js";
import { generateKeyPair } from "../../src/protocol/seal/identity.js";
import { SealedServer, type ServerOptions } from "./sealed-server.js";

export async function startSealedServer(options: ServerOptions = {}): Promise<SealedServer> {
  const server = await SealedServer.start(options);
  onTestFinished(() => server.close());
  return server;
}

export function recordFor(server: SealedServer): DeviceRecord {
  const { secretKey } = generateKeyPair();
  return {
    urls: [server.url],
    serverKey: toBase64Url(server.keyPair.publicKey),
    serverName: "here",
    secretKey: toBase64Url(secretKey),
    deviceId: "test",
    name: "test",
  };
}

/** A client of `server`, started. Waits between attempts are as short as chance may make them. */
export function clientOf(server: SealedServer, options: Partial<ClientOptions> = {}): NexusClient {
  const connect = connectDevice(recordFor(server), { WebSocket, client: "test" });
  const client = new NexusClient({ connect, random: () => 0.99, ...options }).start();
  onTestFinished(() => client.close());
  return client;
}
