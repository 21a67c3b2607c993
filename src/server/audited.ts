/** Which requests the audit log tells of, and what it says of them: ids, sizes and outcomes, no content. */
import type { Caller } from "../methods/context.js";
import { isAgentMethod } from "../policy/agents.js";
import type { AuditEntry } from "../policy/audit.js";
import { isRpcMethod, RPC_METHODS, type RpcMethod } from "../protocol/rpc.js";
import { AgentSenderSchema } from "../protocol/view.js";
import type { Request } from "./request.js";

/** Ids are at most 20 characters; what a caller makes up is cut. */
const MAX_AUDITED_ID_CHARS = 64;

/** Whether a request of this method changes something, so that it may act only once. */
export function hasEffect(method: RpcMethod): boolean {
  return RPC_METHODS[method].capability.endsWith(".control") && method !== "terminal.shells";
}

/** undefined for a request without an effect. */
export function auditEntryOf(
  caller: Caller,
  { method, params }: Request,
  how: Pick<AuditEntry, "outcome" | "consent">,
): AuditEntry | undefined {
  if (!isRpcMethod(method) || !hasEffect(method)) return undefined;
  const { workspaceId, tabId, requestId, from, text, prompt, command, data } = params as Record<
    string,
    unknown
  >;
  const entry = {
    workspaceId: id(workspaceId),
    tabId: id(tabId),
    target: id(requestId),
    bytes: sizeOf(text ?? prompt ?? command ?? data),
    consent: how.consent,
  };
  const sender =
    caller.sender ?? (isAgentMethod(method) ? AgentSenderSchema.safeParse(from).data : undefined);
  const given = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  return {
    device: caller.deviceId,
    method,
    outcome: how.outcome,
    ...given,
    ...(sender === undefined
      ? {}
      : {
          from: { kind: sender.kind, workspaceId: sender.workspaceId, tabId: sender.tabId },
          hops: sender.hops,
        }),
  };
}

function id(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, MAX_AUDITED_ID_CHARS) : undefined;
}

function sizeOf(content: unknown): number | undefined {
  return typeof content === "string" ? Buffer.byteLength(content) : undefined;
}
