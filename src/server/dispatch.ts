/**
 * The one life of a request, from the bytes of an opened record to the answer:
 * depth scan, JSON, shape, known method, params, gate, at-most-once, handler,
 * fit, encode. Every step returns or throws; one place turns what was thrown
 * into an answer.
 */
import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Caller, Handler, Handlers, OwnerHandlers, RequestContext } from "../methods/context.js";
import { FIT } from "../methods/fit.js";
import type { AuditEntry } from "../policy/audit.js";
import { forbidden, methodNotFound, RpcErrorCode, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_MESSAGE_BYTES, MAX_WAITS_PER_DEVICE } from "../protocol/limits.js";
import { CloseCode } from "../protocol/link.js";
import { isOwnerMethod, OWNER_METHODS } from "../protocol/owner.js";
import { type Capability, isRpcMethod, RPC_METHODS, type RpcId, type RpcMethod } from "../protocol/rpc.js";
import type { AgentSender } from "../protocol/view.js";
import type { Connection, Running } from "./connection.js";
import type { Log } from "./log.js";
import { BadRequestError, BrokenPeerError, type Request, readRequest } from "./request.js";

/** Remembers requests with an effect, so that one sent twice acts once (policy/once.ts). */
export interface AtMostOnce {
  run(
    request: { deviceId: string; id: RpcId; method: RpcMethod; params: unknown },
    act: (reserved: { tabId?: string }) => Promise<unknown>,
  ): Promise<unknown>;
}

export interface DispatchDeps {
  readonly handlers: Handlers;
  readonly owner: OwnerHandlers;
  readonly once: AtMostOnce;
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly log: Log;
  /** Checks each result against its schema: on in tests, where a wrong one is a fault of ours. */
  readonly checkResults: boolean;
  now(): number;
}

/** What to run for a request, after its method is known and its params are parsed. */
interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly capability: Capability | undefined;
  readonly from: AgentSender | undefined;
  readonly acts: boolean;
  readonly result: z.ZodType;
  handle(ctx: RequestContext): Promise<unknown>;
  fit(result: unknown, budget: number): unknown;
}

/** Ids are at most 20 characters; what a caller makes up is cut. */
const MAX_AUDITED_ID_CHARS = 64;

export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #waits = new Map<string, number>();

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /** Answers one message of a connection; never rejects. */
  async run(connection: Connection, bytes: Uint8Array): Promise<void> {
    let request: Request;
    try {
      request = readRequest(bytes);
    } catch (error) {
      if (error instanceof BadRequestError) return connection.answer(encodeError(error.id, error.failure));
      if (!(error instanceof BrokenPeerError)) throw error;
      return connection.refuse(CloseCode.protocol, "protocol");
    }
    let sent = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      sent = resolve;
    });
    let text: string;
    let outcome: AuditEntry["outcome"] = "ok";
    try {
      text = await this.#respond(connection, request, answered);
    } catch (error) {
      const failure = this.#failure(error, request.method);
      outcome = failure.code;
      text = encodeError(request.id, failure);
    }
    this.#note(connection.caller, request, outcome);
    await connection.answer(text);
    sent();
  }

  /** One line in the audit log for each request of a method that has an effect, refused ones included. */
  #note(caller: Caller, { method, params }: Request, outcome: AuditEntry["outcome"]): void {
    if (!isRpcMethod(method) || !hasEffect(method)) return;
    const { workspaceId, tabId, requestId } = params as Record<string, unknown>;
    const id = (value: unknown): string | undefined =>
      typeof value === "string" ? value.slice(0, MAX_AUDITED_ID_CHARS) : undefined;
    const entry = { workspaceId: id(workspaceId), tabId: id(tabId), target: id(requestId) };
    const known = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
    const { sender } = caller;
    const from = sender && { kind: sender.kind, workspaceId: sender.workspaceId, tabId: sender.tabId };
    this.#deps.audit
      .append({
        device: caller.deviceId,
        method,
        outcome,
        ...known,
        ...(from ? { from, hops: sender.hops } : {}),
      })
      .catch((error: unknown) => {
        this.#deps.log.error({ method, reason: (error as Error).message }, "could not write the audit log");
      });
  }

  async #respond(connection: Connection, request: Request, answered: Promise<void>): Promise<string> {
    const call = this.#call(connection, request);
    const running = connection.start({
      id: request.id,
      capability: call.capability,
      outlivesLink: call.acts,
    });
    const isWait = call.method.endsWith(".wait");
    if (isWait) this.#park(connection.caller.deviceId);
    try {
      const result = await this.#act(connection, request, call, running, answered);
      if (running.abort.signal.aborted) throw running.abort.signal.reason;
      if (this.#deps.checkResults) call.result.parse(result);
      return encodeResult(request.id, result, call.fit);
    } finally {
      if (isWait) this.#unpark(connection.caller.deviceId);
      connection.finish(running);
    }
  }

  async #act(
    connection: Connection,
    request: Request,
    call: Call,
    running: Running,
    answered: Promise<void>,
  ): Promise<unknown> {
    const ctx: RequestContext = {
      caller: connection.caller,
      link: connection,
      signal: running.abort.signal,
      from: call.from,
      resultBudgetBytes: MAX_MESSAGE_BYTES - envelopeBytes(request.id),
      answered,
      reserved: undefined,
      now: this.#deps.now,
    };
    const { acts, method } = call;
    if (!acts || !isRpcMethod(method)) return await call.handle(ctx);
    const { deviceId } = connection.caller;
    return await this.#deps.once.run({ deviceId, id: request.id, method, params: call.params }, (reserved) =>
      call.handle({ ...ctx, reserved: reserved.tabId }),
    );
  }

  #call(connection: Connection, request: Request): Call {
    const { caller } = connection;
    const { method } = request;
    if (isRpcMethod(method)) {
      const { capability, params: schema, result } = RPC_METHODS[method];
      const params = parseParams(schema, request.params);
      const from = caller.sender ?? (params as { from?: AgentSender }).from;
      this.#admit(caller, { capability, from, takesFrom: "from" in schema.shape });
      return {
        method,
        params,
        capability: from !== undefined && "from" in schema.shape ? "agents" : capability,
        from,
        acts: hasEffect(method),
        result,
        // The one cast: the registry pairs each method with a handler of its own params.
        handle: async (ctx) =>
          await (this.#deps.handlers[method] as Handler<RpcMethod>)(ctx, params as never),
        fit: FIT[method] as Call["fit"],
      };
    }
    if (isOwnerMethod(method) && this.#ownerMay(connection, method)) {
      const { params: schema, result } = OWNER_METHODS[method];
      const params = parseParams(schema, request.params);
      const handler = this.#deps.owner[method] as (ctx: RequestContext, params: unknown) => unknown;
      return {
        method,
        params,
        capability: caller.kind === "owner" ? undefined : "owner",
        from: undefined,
        acts: false,
        result,
        handle: async (ctx) => await handler(ctx, params),
        fit: (value) => value,
      };
    }
    throw methodNotFound(method);
  }

  /** The gate: the method's own right, or for a request of an agent the `agents` right and the owner's limits. */
  #admit(
    caller: Caller,
    call: { capability: Capability; from: AgentSender | undefined; takesFrom: boolean },
  ): void {
    if (call.from === undefined || !call.takesFrom) {
      if (caller.can(call.capability)) return;
      throw forbidden(`This device does not hold the right ${call.capability}; the owner can grant it`);
    }
    if (!caller.can("agents")) {
      throw forbidden("This device does not hold the right agents; the owner can grant it");
    }
    throw unavailable("This daemon does not take requests from agents yet");
  }

  #ownerMay(connection: Connection, method: keyof typeof OWNER_METHODS): boolean {
    if (connection.caller.kind === "owner") return true;
    return OWNER_METHODS[method].remote && connection.caller.can("owner");
  }

  #park(deviceId: string): void {
    const parked = this.#waits.get(deviceId) ?? 0;
    if (parked >= MAX_WAITS_PER_DEVICE) {
      throw unavailable(`This device waits ${MAX_WAITS_PER_DEVICE} times already; let one end first`);
    }
    this.#waits.set(deviceId, parked + 1);
  }

  #unpark(deviceId: string): void {
    const parked = this.#waits.get(deviceId) ?? 0;
    if (parked <= 1) this.#waits.delete(deviceId);
    else this.#waits.set(deviceId, parked - 1);
  }

  #failure(error: unknown, method: string): RpcFailure {
    if (error instanceof RpcFailure) return error;
    if (error instanceof Error && error.name === "ConnectionClosedError") {
      return unavailable("The link ended before the request did");
    }
    const incident = randomBytes(4).toString("hex");
    const stack = error instanceof Error ? stackOf(error) : typeof error;
    this.#deps.log.error({ incident, method: method.slice(0, 40), stack }, "a request failed unexpectedly");
    return new RpcFailure(RpcErrorCode.InternalError, `Internal error (${incident})`);
  }
}

/** Whether a request of this method changes something, so that it may act only once. */
export function hasEffect(method: RpcMethod): boolean {
  return RPC_METHODS[method].capability.endsWith(".control") && method !== "terminal.shells";
}

/** The first few issues by path and kind; never a value, which may be a secret or a megabyte. */
const MAX_ISSUES = 5;

function parseParams(schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issue.path.map((part) => String(part).slice(0, 40)).join("."),
    code: issue.code,
  }));
  const named = issues.map((issue) => `${issue.path || "params"} (${issue.code})`).join(", ");
  throw new RpcFailure(RpcErrorCode.InvalidParams, `These params do not fit the method: ${named}`, {
    data: { issues },
  });
}

/** Bytes of an answer around its result. */
function envelopeBytes(id: RpcId): number {
  return Buffer.byteLength(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":}`);
}

function encodeResult(id: RpcId, result: unknown, fit: (result: unknown, budget: number) => unknown): string {
  const budget = MAX_MESSAGE_BYTES - envelopeBytes(id);
  let json = JSON.stringify(result);
  if (Buffer.byteLength(json) > budget) json = JSON.stringify(fit(result, budget));
  if (Buffer.byteLength(json) > budget) throw unavailable("The answer is larger than a frame takes");
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
}

function encodeError(id: RpcId, failure: RpcFailure): string {
  const { code, message, data } = failure;
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  });
}

/** An error's type and frames without its message, which may quote what it was about. */
function stackOf(error: Error): string {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join("\n");
}
