/** What a handler is, and what it is handed beside its params. */
import type { OwnerMethod, OwnerParams, OwnerResult } from "../protocol/owner.js";
import type {
  Capability,
  RpcMethod,
  RpcNotificationMethod,
  RpcNotificationParams,
  RpcParams,
  RpcResult,
} from "../protocol/rpc.js";
import type { AgentSender } from "../protocol/view.js";

/** Who asks: a paired device, the owner at the workstation, or an agent in one of the tabs. */
export interface Caller {
  readonly kind: "device" | "owner" | "agent";
  /** The hash of the key that the handshake proved; `local` for the two Unix sockets. */
  readonly deviceId: string;
  readonly name: string;
  /** For an agent: what the gate takes as the sender of all that it asks. */
  readonly sender: AgentSender | undefined;
  can(capability: Capability): boolean;
  /** Whether this caller may know of a tab at all; all else is NotFound. */
  sees(tabId: string): boolean;
  /** Another daemon: it reads the tabs that it sees and nothing else, and nobody looks through it. */
  readonly onlyItsTabs: boolean;
  /** Whether it may consent to what other devices' agents ask: a person's device or the workstation. */
  readonly mayConsent: boolean;
}

/** The connection that a request came by, as watches need it. */
export interface WatchLink {
  readonly id: string;
  /** Sends one notification; resolves when the link can take more, rejects when it is closed. */
  deliver<M extends RpcNotificationMethod>(method: M, params: RpcNotificationParams<M>): Promise<void>;
  /** Notifications of the owner's socket, outside the protocol. */
  notify(method: string, params: unknown): Promise<void>;
  /** Called once when the link ends; also at once when it has ended already. */
  onClose(listener: () => void): void;
}

export interface RequestContext {
  readonly caller: Caller;
  readonly link: WatchLink;
  /** Aborted when the caller may not have the answer any more. */
  readonly signal: AbortSignal;
  /** The agent that sends this, when one does. */
  readonly from: AgentSender | undefined;
  /** Puts an agent's words into the frame that says whose they are; set with `from`. */
  readonly frame?: (text: string) => string;
  /** Most bytes that the JSON of the result may take. */
  readonly resultBudgetBytes: number;
  /** Resolves once the answer is on its way: a watch's updates wait for it. */
  readonly answered: Promise<void>;
  /** The id that a tab opened by this request takes: chosen and written down before it acts. */
  readonly reserved: string | undefined;
  now(): number;
}

/** Whether someone looks through this request: no agent, and no other daemon. */
export function isPerson(ctx: Pick<RequestContext, "from" | "caller">): boolean {
  return ctx.from === undefined && !ctx.caller.onlyItsTabs;
}

export type Handler<M extends RpcMethod> = (
  ctx: RequestContext,
  params: RpcParams<M>,
) => RpcResult<M> | Promise<RpcResult<M>>;

/** The handlers of one namespace: a missing one and an unknown one are compile errors. */
export type HandlersOf<N extends string> = {
  readonly [M in Extract<RpcMethod, `${N}.${string}`>]: Handler<M>;
};

export type Handlers = { readonly [M in RpcMethod]: Handler<M> };

export type OwnerHandler<M extends OwnerMethod> = (
  ctx: RequestContext,
  params: OwnerParams<M>,
) => OwnerResult<M> | Promise<OwnerResult<M>>;

export type OwnerHandlers = { readonly [M in OwnerMethod]: OwnerHandler<M> };
