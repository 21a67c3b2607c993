/** What a paired device keeps to come back: where the server is, its key, and its own secret key. */
import { z } from "zod";
import { RPC_PATH } from "../protocol/link.js";
import { fromBase64Url } from "../protocol/seal/encoding.js";
import { isUsablePublicKey, keyPairOf } from "../protocol/seal/identity.js";
import type { KeyPair } from "../protocol/seal/noise.js";
import type { RecordCipherFactory } from "../protocol/seal/record.js";
import { KEY_BYTES } from "../protocol/seal/symmetric.js";
import { openLink } from "./link.js";
import type { SocketConstructor } from "./socket.js";
import { type Connect, ConnectError } from "./transport.js";

/** JSON as it is stored; the keys are base64url. It holds a secret. */
export const DeviceRecordSchema = z.object({
  /** Where the server's page is; tried in this order. */
  urls: z.array(z.string()).min(1),
  serverKey: z.string(),
  /** The server's name for itself. */
  serverName: z.string(),
  secretKey: z.string(),
  deviceId: z.string(),
  /** This device's name as the owner sees it. */
  name: z.string(),
});
export type DeviceRecord = z.infer<typeof DeviceRecordSchema>;

export interface DeviceOptions {
  readonly WebSocket: SocketConstructor;
  /** Which program this is, for the owner's eyes. */
  readonly client: string;
  readonly cipher?: RecordCipherFactory;
}

/** For NexusClient: links to the server that this device is paired with. Throws when the record's keys are damaged. */
export function connectDevice(record: DeviceRecord, options: DeviceOptions): Connect {
  const { serverKey, keyPair } = keysOf(record);
  const { WebSocket, client, cipher } = options;
  const handshake = {
    serverKey,
    keyPair,
    intent: { mode: "link", payload: { client } },
    ...(cipher !== undefined && { cipher }),
  } as const;
  return async (signal) => {
    let failure: ConnectError | undefined;
    for (const url of record.urls) {
      try {
        return await openLink({ url: rpcUrl(url), WebSocket, handshake, signal });
      } catch (error) {
        signal.throwIfAborted();
        const failed = error instanceof ConnectError ? error : new ConnectError({ reason: reasonOf(error) });
        // one that answered and refused tells more than one that was not there
        if (failure === undefined || isRefusal(failed)) failure = failed;
      }
    }
    throw failure ?? new ConnectError({ reason: "the record names no address" });
  };
}

/** Where a server's sealed link is, from where its page is. */
export function rpcUrl(pageUrl: string): string {
  const url = new URL(`.${RPC_PATH}`, pageUrl);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

function keysOf(record: DeviceRecord): { serverKey: Uint8Array; keyPair: KeyPair } {
  const serverKey = fromBase64Url(record.serverKey, KEY_BYTES);
  const secretKey = fromBase64Url(record.secretKey, KEY_BYTES);
  if (serverKey === undefined || secretKey === undefined || !isUsablePublicKey(serverKey)) {
    throw new Error("The keys of this pairing are damaged; pair this device again");
  }
  return { serverKey, keyPair: keyPairOf(secretKey) };
}

function isRefusal(error: ConnectError): boolean {
  return error.end.code !== undefined && error.end.code >= 4000;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "the connection failed";
}
