/**
 * A tab's connection to another daemon: each request goes on over the sealed
 * link, those that act with the tab as their sender, and answers and watches
 * come back as they are. Nothing is kept for later: who is offline is offline.
 */
import { type Connect, ConnectError, type Transport, type TransportEnd } from "../client/transport.js";
import type { Caller } from "../methods/context.js";
import { isAgentMethod } from "../policy/agents.js";
import type { AuditEntry } from "../policy/audit.js";
import { forbidden, RpcErrorCode, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_IN_FLIGHT } from "../protocol/limits.js";
import { CloseCode, isLinkNotification, LINK_NOTIFICATIONS } from "../protocol/link.js";
import { refused } from "../protocol/refusal.js";
import type { AgentSender, RpcId } from "../protocol/rpc.js";
import { auditEntryOf } from "./audited.js";
import type { Carrier } from "./connection.js";
import type { DispatchGate } from "./dispatch.js";
import { PEER_ANSWER_MS, PEER_CONNECT_MS } from "./limits.js";
import { PEER_READS } from "./peer-reads.js";
import type { Peer } from "./peers.js";
import { BadRequestError, BrokenPeerError, type Request, readRequest } from "./request.js";
import { encodeError } from "./wording.js";

export interface RelayOptions {
  readonly peer: Peer;
  readonly connect: Connect;
  readonly caller: Caller;
  readonly gate: Pick<DispatchGate, "admit">;
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly auditFailed: (error: unknown) => void;
}

interface Pending {
  readonly request: Request;
  readonly from: AgentSender | undefined;
  readonly timer: NodeJS.Timeout;
}

export class PeerRelay {
  readonly #options: RelayOptions;
  readonly #carrier: Carrier;
  readonly #pending = new Map<RpcId, Pending>();
  readonly #ended = new AbortController();
  #link: Promise<Transport> | undefined;

  constructor(options: RelayOptions, carrier: Carrier) {
    this.#options = options;
    this.#carrier = carrier;
  }

  /** One message of the tab. */
  line(bytes: Uint8Array): void {
    let request: Request;
    try {
      request = readRequest(bytes);
    } catch (error) {
      if (error instanceof BadRequestError) this.#carrier.send(encodeError(error.id, error.failure));
      else if (error instanceof BrokenPeerError) this.#carrier.close(CloseCode.protocol, "protocol");
      else throw error;
      return;
    }
    this.#forward(request).catch((error: unknown) => {
      if (!(error instanceof RpcFailure)) throw error;
      this.#finish(request, error.code, encodeError(request.id, error));
    });
  }

  /** The tab's end is gone: the link goes, and with it what waits for the other owner's yes. */
  close(): void {
    this.#ended.abort();
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
    void this.#link?.then(
      (link) => link.close(),
      () => undefined, // it never came up
    );
  }

  async #forward(request: Request): Promise<void> {
    const { caller, gate, peer } = this.#options;
    const { method, id } = request;
    const params = request.params as Record<string, unknown>;
    let from: AgentSender | undefined;
    if (isAgentMethod(method)) {
      if (!caller.can("agents")) throw forbidden("This tab is closed");
      from = caller.sender;
      if (from === undefined) throw forbidden("Only what runs in a tab sends to another daemon");
      const target = `${peer.id}/${String(params.tabId ?? params.workspaceId)}`;
      gate.admit({ caller, from, method, target });
    } else if (!PEER_READS.has(method)) {
      throw forbidden(`An agent cannot ask ${method.slice(0, 40)} of another daemon`);
    }
    if (this.#pending.size >= MAX_IN_FLIGHT)
      throw unavailable("Too many requests are under way; wait for answers");
    const timer = setTimeout(() => this.#lostOne(id, "did not answer in time"), PEER_ANSWER_MS);
    timer.unref();
    this.#pending.set(id, { request, from, timer });
    const link = await this.#connected();
    if (!this.#pending.has(id)) return;
    const { from: _claimed, ...own } = params;
    const sent = from === undefined ? own : { ...own, from };
    link.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: sent }));
  }

  #connected(): Promise<Transport> {
    this.#link ??= this.#connect().catch((error: unknown) => {
      this.#link = undefined;
      throw error;
    });
    return this.#link;
  }

  async #connect(): Promise<Transport> {
    const { connect } = this.#options;
    const limit = AbortSignal.timeout(PEER_CONNECT_MS);
    let link: Transport;
    try {
      link = await connect(AbortSignal.any([this.#ended.signal, limit]));
    } catch (error) {
      throw this.#offline(error instanceof ConnectError ? error.end : undefined);
    }
    return await new Promise((resolve, reject) => {
      let ready = false;
      const late = setTimeout(() => link.close({ reason: "no greeting in time" }), PEER_CONNECT_MS);
      link.onClose((end) => {
        clearTimeout(late);
        this.#link = undefined;
        if (!ready) reject(this.#offline(end));
        else for (const id of [...this.#pending.keys()]) this.#lostOne(id, "was lost");
      });
      link.onMessage((text) => {
        if (this.#received(text) !== "link.ready") return;
        clearTimeout(late);
        ready = true;
        resolve(link);
      });
      if (this.#ended.signal.aborted) link.close();
    });
  }

  /** Passes an answer or a watch's update on; the link's own words are for the relay. */
  #received(text: string): string | undefined {
    const message = JSON.parse(text) as {
      id?: RpcId;
      method?: string;
      params?: unknown;
      error?: { code: number };
    };
    if (message.method !== undefined) {
      if (!isLinkNotification(message.method)) this.#carrier.send(text);
      else if (message.method === "link.closed") this.#said(message.params);
      return message.method;
    }
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (pending !== undefined) this.#finish(pending.request, message.error?.code ?? "ok", text);
    return undefined;
  }

  #said(params: unknown): void {
    const reason = LINK_NOTIFICATIONS["link.closed"].safeParse(params).data?.reason;
    if (reason !== "revoked") return;
    for (const { request } of [...this.#pending.values()]) {
      const failure = forbidden(`The owner of ${this.#options.peer.name} shut this machine out`);
      this.#finish(request, failure.code, encodeError(request.id, failure));
    }
  }

  #lostOne(id: RpcId, how: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const why = `The link to ${this.#options.peer.name} ${how}; what was asked may have been done, so look before you try again`;
    const failure = refused(RpcErrorCode.Unavailable, "lost", why);
    this.#finish(pending.request, failure.code, encodeError(id, failure));
  }

  #offline(end: TransportEnd | undefined): RpcFailure {
    const { name } = this.#options.peer;
    if (end?.code === CloseCode.handshake) {
      return forbidden(`${name} does not know this machine any more; its owner can pair it again`);
    }
    const why = `${name} is offline and nothing was sent; tell your user, or try again later`;
    return refused(RpcErrorCode.Unavailable, "offline", why);
  }

  #finish(request: Request, outcome: AuditEntry["outcome"], answer: string): void {
    const pending = this.#pending.get(request.id);
    if (pending !== undefined) clearTimeout(pending.timer);
    this.#pending.delete(request.id);
    if (!this.#ended.signal.aborted) this.#carrier.send(answer);
    const { caller, peer, audit, auditFailed } = this.#options;
    const entry = auditEntryOf(caller, request, { outcome });
    if (entry !== undefined) audit.append({ ...entry, target: peer.id }).catch(auditFailed);
  }
}
