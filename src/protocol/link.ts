/**
 * The sealed link's own words: its WebSocket subprotocol, the bytes that begin
 * its messages, its close codes, and the notifications that are about the link
 * itself. The bounds of its messages stand in limits.ts.
 */
import { z } from "zod";
import { type Capability, isCapability } from "./capabilities.js";

export const RPC_PATH = "/rpc";
export const SUBPROTOCOL = "nexus.sealed.1";

/** The first byte of a WebSocket message. */
export const HANDSHAKE_BYTE = 0x01;
/** The first byte of a record, which the record's tag covers too. */
export const RECORD_BYTE = 0x02;

/** What a handshake is for: its mode byte. */
export const LINK_MODE = 0x01;
export const PAIR_MODE = 0x02;

export const CloseCode = {
  goingAway: 1001,
  tooBig: 1009,
  protocol: 4400,
  handshake: 4401,
  revoked: 4403,
  timeout: 4408,
  tooMany: 4429,
  tooSlow: 4508,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

/** Constant, so that a stranger learns nothing from them. */
export const CLOSE_REASONS: Readonly<Record<CloseCode, string>> = {
  1001: "going away",
  1009: "message too big",
  4400: "protocol error",
  4401: "handshake failed",
  4403: "not allowed",
  4408: "handshake timeout",
  4429: "too many",
  4508: "reader too slow",
};

const DEVICE_KINDS = ["phone", "laptop", "daemon", "cli"] as const;
export const DeviceKindSchema = z.enum(DEVICE_KINDS);
export type DeviceKind = z.infer<typeof DeviceKindSchema>;

/** Message 3 of a device that is known; `client` says which program it is, for the owner's eyes. */
export const LinkPayloadSchema = z.object({ client: z.string().max(200) });
export type LinkPayload = z.infer<typeof LinkPayloadSchema>;

/** Message 3 of a device that pairs. Wishes that this version does not know are dropped. */
export const PairPayloadSchema = z.object({
  name: z.string().min(1).max(200),
  kind: DeviceKindSchema,
  wants: z
    .array(z.string().max(100))
    .max(100)
    .transform((wishes): readonly Capability[] => [...new Set(wishes)].filter(isCapability)),
});
export type PairPayload = z.infer<typeof PairPayloadSchema>;

/** Rights of a newer server that this client does not know are dropped, not refused. */
const Granted = z.array(z.string()).transform((granted): Capability[] => granted.filter(isCapability));

/** The first record of a link that may be used. */
const LinkReadySchema = z.object({
  device: z.object({ id: z.string(), name: z.string() }),
  capabilities: Granted,
  protocol: z.string(),
  server: z.object({
    name: z.string(),
    version: z.string(),
    /** Random at each start: event numbers and watches of another boot mean nothing. */
    boot: z.string(),
    /** Unix milliseconds. */
    startedAt: z.number(),
  }),
  /** The server's clock, in Unix milliseconds. */
  at: z.number(),
});
export type LinkReady = z.infer<typeof LinkReadySchema>;

/** Sent by the server inside the link, beside RPC_NOTIFICATIONS. */
export const LINK_NOTIFICATIONS = {
  "link.ready": LinkReadySchema,
  /** The owner changed the grants. */
  "link.capabilities": z.object({ capabilities: Granted }),
  /** While a pairing waits for the owner; an approval is said by link.ready. */
  "link.pairing": z.object({ state: z.enum(["approve", "denied"]) }),
  /** Before a close that is meant; only this "revoked" is final, a bare close code never. */
  "link.closed": z.object({ reason: z.enum(["revoked", "going-away", "replaced"]) }),
} as const;

export type LinkNotification = keyof typeof LINK_NOTIFICATIONS;

export function isLinkNotification(method: string): method is LinkNotification {
  return Object.hasOwn(LINK_NOTIFICATIONS, method);
}
