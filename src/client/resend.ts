/** Which requests may be sent again on a new link without the danger of acting twice. */
import { isOwnerMethod, type OwnerMethod } from "../protocol/owner.js";
import { isRpcMethod, RPC_METHODS } from "../protocol/rpc.js";
import { OUTCOME_MEMORY_MS } from "./limits.js";

/** Written down by the server before they act: their ids count over a restart too. */
const REMEMBERED_OVER_RESTARTS: ReadonlySet<string> = new Set([
  "chat.send",
  "chat.new",
  "chat.answer",
  "terminal.open",
]);

const OWNER_READS: ReadonlySet<OwnerMethod> = new Set<OwnerMethod>([
  "owner.pairing",
  "owner.devices",
  "owner.workspaces",
  "owner.status",
  "owner.doctor",
  "owner.audit",
]);

export interface SentRequest {
  readonly method: string;
  /** When it was first sent, in milliseconds. */
  readonly sentAt: number;
  /** The server's boot then; undefined where the other side tells none. */
  readonly boot: string | undefined;
}

/** Reads always may. What acts may while the same server still remembers its id, or wrote it down. */
export function mayResend(request: SentRequest, now: number, boot: string | undefined): boolean {
  if (isRead(request.method)) return true;
  if (isOwnerMethod(request.method) || now - request.sentAt > OUTCOME_MEMORY_MS) return false;
  if (REMEMBERED_OVER_RESTARTS.has(request.method)) return true;
  return boot !== undefined && boot === request.boot;
}

function isRead(method: string): boolean {
  if (isOwnerMethod(method)) return OWNER_READS.has(method);
  if (!isRpcMethod(method)) return false;
  return method === "terminal.shells" || !RPC_METHODS[method].capability.endsWith(".control");
}
