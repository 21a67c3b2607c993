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
import { type AgentMethod, isAgentMethod } from "../policy/agents.js";
import type { AuditEntry } from "../policy/audit.js";
import type { AgentGate, GateCall } from "../policy/gate.js";
import { forbidden, methodNotFound, RpcErrorCode, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_MESSAGE_BYTES } from "../protocol/limits.js";
import { CloseCode } from "../protocol/link.js";
import { isOwnerMethod, OWNER_METHODS } from "../protocol/owner.js";
import { type Capability, isRpcMethod, RPC_METHODS, type RpcId, type RpcMethod } from "../protocol/rpc.js";
import type { AgentSender } from "../protocol/view.js";
import { newId } from "../sessions/ids.js";
import { auditEntryOf, hasEffect } from "./audited.js";
import type { Connection, Running } from "./connection.js";
import type { Log } from "./log.js";
import { PEER_READS } from "./peer-reads.js";
import { BadRequestError, BrokenPeerError, type Request, readRequest } from "./request.js";
import { Waits } from "./waits.js";
import { encodeError, encodeResult, envelopeBytes, parseParams, stackOf } from "./wording.js";

/** Remembers requests with an effect, so that one sent twice acts once (policy/once.ts). */
export interface AtMostOnce {
  run(
    request: { deviceId: string; id: RpcId; method: RpcMethod; params: unknown },
    act: (reserved: { tabId?: string }) => Promise<unknown>,
  ): Promise<unknown>;
}

/** The agents' gate, with the words it puts around their texts. */
export interface DispatchGate {
  admit: AgentGate["admit"];
  run: AgentGate["run"];
  frameOf(caller: Caller, from: AgentSender): (text: string) => string;
  /** A person asked this of a tab: it is no agent's turn that follows. */
  person(method: string, params: unknown): void;
}

export interface DispatchDeps {
  readonly handlers: Handlers;
  readonly owner: OwnerHandlers;
  readonly once: AtMostOnce;
  readonly gate: DispatchGate;
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
  /** It is a request of an agent that goes through the gate. */
  readonly agent: AgentCall | undefined;
  readonly acts: boolean;
  readonly result: z.ZodType;
  handle(ctx: RequestContext): Promise<unknown>;
  fit(result: unknown, budget: number): unknown;
}

/** Of one request: when its answer is out, and what the audit log is told beside the outcome. */
interface Told {
  readonly answered: Promise<void>;
  readonly trace: GateCall["trace"];
}

interface AgentCall {
  readonly method: AgentMethod;
  readonly from: AgentSender;
}

export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #waits = new Waits();

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
    const trace: GateCall["trace"] = {};
    try {
      text = await this.#respond(connection, request, { answered, trace });
    } catch (error) {
      const failure = this.#failure(error, request.method);
      outcome = failure.code;
      text = encodeError(request.id, failure);
    }
    this.#note(connection.caller, request, { outcome, ...trace });
    await connection.answer(text);
    sent();
  }

  /** One line in the audit log for each request of a method that has an effect, refused ones included. */
  #note(caller: Caller, request: Request, how: Pick<AuditEntry, "outcome" | "consent">): void {
    const entry = auditEntryOf(caller, request, how);
    if (entry === undefined) return;
    this.#deps.audit.append(entry).catch((error: unknown) => {
      this.#deps.log.error(
        { method: entry.method, reason: (error as Error).message },
        "could not write the audit log",
      );
    });
  }

  async #respond(connection: Connection, request: Request, told: Told): Promise<string> {
    const call = this.#call(connection, request);
    const running = connection.start({
      id: request.id,
      capability: call.capability,
      // An agent's request is withdrawn with its link until it may act.
      outlivesLink: call.acts && call.agent === undefined,
    });
    const isWait = call.method.endsWith(".wait");
    if (isWait) this.#waits.park(connection.caller.deviceId);
    try {
      const result = await this.#act(connection, request, call, running, told);
      if (running.abort.signal.aborted) throw running.abort.signal.reason;
      if (this.#deps.checkResults) call.result.parse(result);
      return encodeResult(request.id, result, call.fit);
    } finally {
      if (isWait) this.#waits.unpark(connection.caller.deviceId);
      connection.finish(running);
    }
  }

  async #act(
    connection: Connection,
    request: Request,
    call: Call,
    running: Running,
    { answered, trace }: Told,
  ): Promise<unknown> {
    const { caller } = connection;
    const ctx: RequestContext = {
      caller,
      link: connection,
      signal: running.abort.signal,
      from: call.from,
      resultBudgetBytes: MAX_MESSAGE_BYTES - envelopeBytes(request.id),
      answered,
      reserved: undefined,
      now: this.#deps.now,
    };
    const { acts, method, agent } = call;
    if (!acts || !isRpcMethod(method)) return await call.handle(ctx);
    const { deviceId } = caller;
    return await this.#deps.once.run(
      { deviceId, id: request.id, method, params: call.params },
      (reserved) => {
        if (agent === undefined) return this.#actAsPerson(ctx, call, reserved.tabId);
        return this.#actForAgent(
          { ...ctx, reserved: reserved.tabId ?? newId() },
          { call, agent, running, trace },
        );
      },
    );
  }

  async #actAsPerson(ctx: RequestContext, call: Call, reserved: string | undefined): Promise<unknown> {
    const result = await call.handle({ ...ctx, reserved });
    this.#deps.gate.person(call.method, call.params);
    return result;
  }

  #actForAgent(
    ctx: RequestContext & { reserved: string },
    o: { call: Call; agent: AgentCall; running: Running; trace: GateCall["trace"] },
  ): Promise<unknown> {
    const { call, agent, running, trace } = o;
    const { caller, signal } = ctx;
    const params = call.params as GateCall["params"];
    const gateCall = { caller, ...agent, params, signal, newTabId: ctx.reserved, trace };
    const allowed = (): void => {
      running.outlivesLink = true;
    };
    // What was let through names its tab, which the caller may not see otherwise.
    const sees = (tabId: string): boolean => tabId === params.tabId || caller.sees(tabId);
    const frame = this.#deps.gate.frameOf(caller, agent.from);
    return this.#deps.gate.run(gateCall, allowed, () =>
      call.handle({ ...ctx, caller: { ...caller, sees }, frame }),
    );
  }

  #call(connection: Connection, request: Request): Call {
    const { caller } = connection;
    const { method } = request;
    if (isRpcMethod(method)) {
      const { capability, params: schema, result } = RPC_METHODS[method];
      const params = parseParams(schema, request.params);
      const from = caller.sender ?? (params as { from?: AgentSender }).from;
      const agent = from !== undefined && isAgentMethod(method) ? { method, from } : undefined;
      this.#admit(caller, { capability, method, agent, params: params as GateCall["params"] });
      return {
        method,
        params,
        capability: agent === undefined ? capability : "agents",
        from,
        agent,
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
        agent: undefined,
        acts: false,
        result,
        handle: async (ctx) => await handler(ctx, params),
        fit: (value) => value,
      };
    }
    throw methodNotFound(method);
  }

  /** The method's own right; for a request of an agent the `agents` right, and the first half of the agents' gate. */
  #admit(
    caller: Caller,
    call: {
      capability: Capability;
      method: RpcMethod;
      agent: AgentCall | undefined;
      params: GateCall["params"];
    },
  ): void {
    const { agent, capability, method, params } = call;
    const right = agent === undefined ? capability : "agents";
    const isRead = !caller.onlyItsTabs || agent !== undefined || PEER_READS.has(method);
    if (!caller.can(right) || !isRead) {
      throw forbidden(`This device does not hold the right ${right}; the owner can grant it`);
    }
    if (agent === undefined) return;
    this.#deps.gate.admit({ caller, ...agent, target: String(params.tabId ?? params.workspaceId) });
  }

  #ownerMay(connection: Connection, method: keyof typeof OWNER_METHODS): boolean {
    if (connection.caller.kind === "owner") return true;
    return OWNER_METHODS[method].remote && connection.caller.can("owner");
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
