/** One line in the audit log for each of the owner's verbs that decides something, done or refused. */
import type { Audit } from "../policy/audit.js";
import { RpcErrorCode, RpcFailure } from "../protocol/errors.js";
import type { OwnerMethod } from "../protocol/owner.js";
import type { OwnerHandlers, RequestContext } from "./context.js";

/** owner.grant and owner.revoke write their own, with the device's id. */
const DECIDES: ReadonlySet<string> = new Set<OwnerMethod>([
  "owner.pair",
  "owner.approve",
  "owner.deny",
  "owner.workspace.add",
  "owner.workspace.remove",
  "owner.consent.answer",
  "owner.consent.set",
  "owner.consent.forget",
  "owner.agents.stop",
  "owner.agents.resume",
  "owner.peer.add",
  "owner.peer.remove",
]);

/** What it was about, where the params name it by an id: never a path, a code or a link. */
const TARGETS = ["id", "device", "peer"] as const;

type AnyHandler = (ctx: RequestContext, params: never) => unknown;

export function audited(handlers: OwnerHandlers, audit: Pick<Audit, "append">): OwnerHandlers {
  const wrapped = Object.entries(handlers).map(([method, handler]) => [
    method,
    DECIDES.has(method) ? noting(method, handler as AnyHandler, audit) : handler,
  ]);
  // The cast: the keys are the handlers' own.
  return Object.fromEntries(wrapped) as OwnerHandlers;
}

function noting(method: string, handler: AnyHandler, audit: Pick<Audit, "append">): AnyHandler {
  return async (ctx, params) => {
    const named = params as Record<string, unknown>;
    const target = TARGETS.map((name) => named[name]).find((value) => typeof value === "string");
    const device = ctx.caller.kind === "owner" ? "owner" : ctx.caller.deviceId;
    const note = (outcome: "ok" | number): Promise<void> =>
      audit.append({ device, method, outcome, ...(typeof target === "string" ? { target } : {}) });
    let result: unknown;
    try {
      result = await handler(ctx, params);
    } catch (error) {
      await note(error instanceof RpcFailure ? error.code : RpcErrorCode.InternalError);
      throw error;
    }
    await note("ok");
    return result;
  };
}
