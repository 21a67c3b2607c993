/**
 * One watch over all its links: opened on each new one, kept in step by the
 * numbers of its updates, and opened anew when one of them is missing. Its
 * consumer always gets the whole state.
 */
import { forbidden, RpcErrorCode, RpcFailure } from "../protocol/errors.js";
import {
  RPC_METHODS,
  RPC_NOTIFICATIONS,
  type RpcNotificationMethod,
  type RpcNotificationParams,
  type RpcParams,
  type RpcResult,
} from "../protocol/rpc.js";
import { ClientError } from "./errors.js";
import { WATCH_RETRY_FIRST_MS, WATCH_RETRY_MAX_MS } from "./limits.js";
import { guarded } from "./listeners.js";
import { backoffMs } from "./reconnect.js";

export type WatchMethod = "sessions.watch" | "chat.watch" | "terminal.watch";

/** How one kind of watch is opened, updated and ended. */
export interface WatchKind<W extends WatchMethod, U extends RpcNotificationMethod, S> {
  readonly watch: W;
  readonly unwatch: "sessions.unwatch" | "chat.unwatch" | "terminal.unwatch";
  readonly update: U;
  begin(result: RpcResult<W>): S;
  /** Undefined when the update does not fit the state. */
  apply(state: S, update: RpcNotificationParams<U>): S | undefined;
  /** Counts from 1 without gaps; undefined for updates that are whole states. */
  rev(update: RpcNotificationParams<U>): number | undefined;
}

export interface WatchHandlers<S> {
  /** The whole state, at first and after each change. */
  onChange(state: S): void;
  /** With `final` it is over: what is watched is gone, or the right to it. Otherwise it is tried again. */
  onError?(error: Error, final: boolean): void;
}

export interface WatchHandle {
  close(): void;
}

/** What a watch needs of its client. */
export interface WatchHost {
  request(method: string, params: unknown): Promise<unknown>;
  /** The watch that this id means on the link now; the answer to its opening may follow its first updates. */
  register(watchId: string, watch: AnyWatch): void;
  unregister(watchId: string): void;
  /** Between these no update of an unknown watch is thrown away. */
  opening(): void;
  opened(): void;
  ended(watch: AnyWatch): void;
}

/** A watch as its client sees it. */
export interface AnyWatch extends WatchHandle {
  readonly update: RpcNotificationMethod;
  readonly capability: string;
  linkUp(): void;
  linkDown(): void;
  receive(params: unknown): void;
  end(error: Error): void;
}

export class Watch<W extends WatchMethod, U extends RpcNotificationMethod, S> implements AnyWatch {
  readonly #kind: WatchKind<W, U, S>;
  readonly #params: RpcParams<W>;
  readonly #handlers: WatchHandlers<S>;
  readonly #host: WatchHost;
  #id: string | undefined;
  #state: S | undefined;
  #rev = 0;
  /** Counts openings: an answer to an older one is not ours any more. */
  #opening = 0;
  #troubles = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #linked = false;
  #closed = false;

  constructor(kind: WatchKind<W, U, S>, params: RpcParams<W>, handlers: WatchHandlers<S>, host: WatchHost) {
    this.#kind = kind;
    this.#params = params;
    this.#handlers = handlers;
    this.#host = host;
  }

  get update(): U {
    return this.#kind.update;
  }

  get capability(): string {
    return RPC_METHODS[this.#kind.watch].capability;
  }

  linkUp(): void {
    this.#linked = true;
    this.#troubles = 0;
    this.#open();
  }

  /** The watch ended with its link; there is nothing to unwatch. */
  linkDown(): void {
    this.#linked = false;
    this.#forget();
  }

  receive(params: unknown): void {
    const update = RPC_NOTIFICATIONS[this.#kind.update].safeParse(params);
    if (this.#state === undefined || !update.success) {
      this.#reopen();
      return;
    }
    const fields = update.data as RpcNotificationParams<U>; // the schema of this very method
    const rev = this.#kind.rev(fields);
    if (rev !== undefined && rev <= this.#rev) return;
    const fits = rev === undefined || rev === this.#rev + 1;
    const state = fits ? this.#kind.apply(this.#state, fields) : undefined;
    if (state === undefined) {
      this.#reopen();
      return;
    }
    this.#rev = rev ?? 0;
    this.#troubles = 0;
    this.#emit(state);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch(this.#id);
    this.#forget();
    this.#host.ended(this);
  }

  end(error: Error): void {
    if (this.#closed) return;
    this.close();
    guarded(() => this.#handlers.onError?.(error, true));
  }

  #open(): void {
    if (this.#closed || !this.#linked) return;
    const opening = ++this.#opening;
    this.#host.opening();
    this.#host
      .request(this.#kind.watch, this.#params)
      .then((result) => this.#begin(opening, result))
      .catch((error: unknown) => this.#failed(opening, error))
      .finally(() => this.#host.opened());
  }

  #begin(opening: number, result: unknown): void {
    const parsed = RPC_METHODS[this.#kind.watch].result.safeParse(result);
    if (!parsed.success)
      throw new ClientError("bad-answer", `The answer to ${this.#kind.watch} has another shape`);
    const { watchId } = parsed.data as { watchId: string };
    if (this.#closed || opening !== this.#opening) {
      this.#unwatch(watchId);
      return;
    }
    this.#id = watchId;
    this.#rev = 0;
    this.#emit(this.#kind.begin(parsed.data as RpcResult<W>)); // the schema of this very method
    // the consumer may have closed it just now
    if (this.#id === watchId) this.#host.register(watchId, this);
  }

  /** Out of step: a fresh watch gives the whole state again. */
  #reopen(): void {
    const id = this.#id;
    this.#forget();
    this.#unwatch(id);
    // the first time at once; a server that keeps losing updates is asked more and more slowly
    if (this.#troubles++ === 0) this.#open();
    else this.#openLater();
  }

  #failed(opening: number, error: unknown): void {
    if (this.#closed || opening !== this.#opening || !this.#linked) return;
    const failure = error instanceof Error ? error : new Error(String(error));
    if (isFinal(failure)) {
      this.end(failure);
      return;
    }
    this.#troubles++;
    guarded(() => this.#handlers.onError?.(failure, false));
    this.#openLater();
  }

  #openLater(): void {
    clearTimeout(this.#timer);
    const delay = backoffMs(WATCH_RETRY_FIRST_MS, WATCH_RETRY_MAX_MS, this.#troubles, 0);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#opening++;
    if (this.#id !== undefined) this.#host.unregister(this.#id);
    this.#id = undefined;
    this.#state = undefined;
    this.#rev = 0;
  }

  #unwatch(id: string | undefined): void {
    if (id === undefined || !this.#linked) return;
    // it may be gone already, or the link with it: both are what is wanted
    this.#host.request(this.#kind.unwatch, { watchId: id }).catch(() => undefined);
  }

  #emit(state: S): void {
    this.#state = state;
    guarded(() => this.#handlers.onChange(state));
  }
}

export function missingRight(capability: string): Error {
  return forbidden(`This device no longer holds the right ${capability}`);
}

const PASSING: readonly number[] = [RpcErrorCode.Unavailable, RpcErrorCode.InternalError];

function isFinal(error: Error): boolean {
  if (error instanceof RpcFailure) return !PASSING.includes(error.code);
  return error instanceof ClientError && (error.kind === "closed" || error.kind === "bad-answer");
}
