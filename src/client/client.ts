/**
 * The typed client of a nexusd, over a sealed link or a Unix socket: calls that
 * survive a lost link, and watches that always know the whole state.
 */
import type { Capability } from "../protocol/capabilities.js";
import type { LinkReady } from "../protocol/link.js";
import {
  isOwnerMethod,
  OWNER_METHODS,
  type OwnerMethod,
  type OwnerParams,
  type OwnerResult,
} from "../protocol/owner.js";
import {
  RPC_METHODS,
  RPC_NOTIFICATIONS,
  type RpcMethod,
  type RpcNotificationMethod,
  type RpcParams,
  type RpcResult,
} from "../protocol/rpc.js";
import type { ChatState } from "./apply.js";
import { type CallOptions, Calls } from "./calls.js";
import { ClientError } from "./errors.js";
import { LinkKeeper } from "./keeper.js";
import { Listeners } from "./listeners.js";
import type { Incoming } from "./messages.js";
import type { ClientState } from "./state.js";
import type { Connect } from "./transport.js";
import { Watch, type WatchHandle, type WatchHandlers } from "./watch.js";
import { CHAT, SESSIONS, type SessionsState, TERMINAL, Watches } from "./watches.js";

export interface ClientOptions {
  readonly connect: Connect;
  /** Whether a lost link is brought up again. True when absent; a command that runs once wants false. */
  readonly retry?: boolean;
  /** Unix milliseconds; Date.now when absent. */
  readonly now?: () => number;
  /** From 0 up to 1; Math.random when absent. */
  readonly random?: () => number;
}

export interface Notification {
  readonly method: string;
  readonly params: unknown;
}

export class NexusClient {
  readonly #keeper: LinkKeeper;
  readonly #calls: Calls;
  readonly #watches: Watches;
  readonly #states = new Listeners<ClientState>();
  readonly #notifications = new Listeners<Notification>();
  readonly #capabilityChanges = new Listeners<readonly Capability[]>();
  #ready: LinkReady | undefined;
  #capabilities: readonly Capability[] | undefined;
  #up = false;

  constructor(options: ClientOptions) {
    const { connect, retry = true, now = Date.now, random = Math.random } = options;
    this.#calls = new Calls(now);
    this.#watches = new Watches((method, params) => this.#calls.add({ method, params, linkBound: true }));
    this.#keeper = new LinkKeeper(
      { connect, retry, now, random },
      {
        state: (state) => this.#stateChanged(state),
        up: (transport, ready) => {
          this.#up = true;
          this.#ready = ready;
          if (ready !== undefined) this.#granted(ready.capabilities);
          this.#calls.linkUp({ boot: ready?.server.boot, send: (text) => transport.send(text) });
          this.#watches.linkUp();
        },
        down: () => {
          this.#up = false;
          this.#calls.linkDown();
          this.#watches.linkDown();
        },
        message: (message) => this.#message(message),
        capabilities: (capabilities) => this.#granted(capabilities),
      },
    );
  }

  get state(): ClientState {
    return this.#keeper.state;
  }

  /** What the server said of itself when the link came up last; undefined over a local socket. */
  get ready(): LinkReady | undefined {
    return this.#ready;
  }

  /** The rights of this device; undefined before the first link, and over a local socket. */
  get capabilities(): readonly Capability[] | undefined {
    return this.#capabilities;
  }

  /** Begins to connect; everything asked before waits. */
  start(): this {
    this.#keeper.start();
    return this;
  }

  /** The device woke up or its network came back: do not wait for the next attempt. */
  wake(): void {
    this.#keeper.wake();
  }

  onState(listener: (state: ClientState) => void): () => void {
    return this.#states.add(listener);
  }

  /** Notifications that belong to no watch, such as owner.attach.data. */
  onNotification(listener: (notification: Notification) => void): () => void {
    return this.#notifications.add(listener);
  }

  onCapabilities(listener: (capabilities: readonly Capability[]) => void): () => void {
    return this.#capabilityChanges.add(listener);
  }

  /** Resolves when requests go out; rejects when the client is closed, or with the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const look = (state: ClientState): void => {
        if (state.state === "ready") end(resolve);
        else if (state.state === "closed") end(() => reject(closedError(state.reason)));
      };
      const remove = this.#states.add(look);
      const abort = (): void => end(() => reject(signal?.reason));
      const end = (act: () => void): void => {
        remove();
        signal?.removeEventListener("abort", abort);
        act();
      };
      signal?.addEventListener("abort", abort);
      look(this.state);
    });
  }

  /** Asks and waits for the answer; rejects with the server's RpcFailure or a ClientError. */
  async call<M extends RpcMethod>(
    method: M,
    params: RpcParams<M>,
    options: CallOptions = {},
  ): Promise<RpcResult<M>> {
    const result = await this.#calls.add({ ...options, method, params });
    const parsed = RPC_METHODS[method].result.safeParse(result);
    if (!parsed.success) throw badAnswer(method, parsed.error);
    return parsed.data as RpcResult<M>; // the schema of this very method
  }

  /** The same for what the owner asks. */
  request<M extends OwnerMethod>(
    method: M,
    params: OwnerParams<M>,
    options?: CallOptions,
  ): Promise<OwnerResult<M>>;
  /** The same for any method, unchecked: for forwarding. */
  request(method: string, params: unknown, options?: CallOptions): Promise<unknown>;
  async request(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    const result = await this.#calls.add({ ...options, method, params });
    if (!isOwnerMethod(method)) return result;
    const parsed = OWNER_METHODS[method].result.safeParse(result);
    if (!parsed.success) throw badAnswer(method, parsed.error);
    return parsed.data;
  }

  watchSessions(handlers: WatchHandlers<SessionsState>): WatchHandle {
    return this.#watch(new Watch(SESSIONS, {}, handlers, this.#watches));
  }

  watchChat(params: RpcParams<"chat.watch">, handlers: WatchHandlers<ChatState>): WatchHandle {
    return this.#watch(new Watch(CHAT, params, handlers, this.#watches));
  }

  watchTerminal(params: RpcParams<"terminal.watch">, handlers: WatchHandlers<string>): WatchHandle {
    return this.#watch(new Watch(TERMINAL, params, handlers, this.#watches));
  }

  /** Ends everything: requests and watches fail with ClientError "closed". */
  close(): void {
    this.#keeper.close("closed here");
  }

  #watch<W extends Parameters<Watches["add"]>[0]>(watch: W): WatchHandle {
    if (this.state.state === "closed") {
      // like every other end of a watch it comes after the call that opened it
      queueMicrotask(() => watch.end(closedError(this.state.reason)));
      return watch;
    }
    this.#watches.add(watch);
    if (this.#up) watch.linkUp();
    return watch;
  }

  #message(message: Incoming): void {
    if (message.kind !== "notification") this.#calls.answer(message);
    else if (isUpdate(message.method)) this.#watches.deliver(message.method, message.params);
    else this.#notifications.emit({ method: message.method, params: message.params });
  }

  #granted(capabilities: readonly Capability[]): void {
    this.#capabilities = capabilities;
    this.#watches.narrow(capabilities);
    this.#capabilityChanges.emit(capabilities);
  }

  #stateChanged(state: ClientState): void {
    if (state.state === "closed") {
      const error = closedError(state.reason);
      this.#calls.close(error);
      this.#watches.close(error);
    }
    this.#states.emit(state);
  }
}

function isUpdate(method: string): method is RpcNotificationMethod {
  return Object.hasOwn(RPC_NOTIFICATIONS, method);
}

function closedError(reason: string): ClientError {
  return new ClientError(
    "closed",
    reason === "revoked" ? "The owner revoked this device" : `Not connected: ${reason}`,
  );
}

function badAnswer(method: string, cause: Error): ClientError {
  return new ClientError("bad-answer", `The answer to ${method} has another shape; update this program`, {
    cause,
  });
}
