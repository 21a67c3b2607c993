/**
 * One authenticated connection, sealed or local: it counts what is under way,
 * sends answers and notifications no faster than they are taken, and ends what
 * may not go on when the link or a right is gone.
 */
import { randomBytes } from "node:crypto";
import type { Caller, WatchLink } from "../methods/context.js";
import type { Capability } from "../protocol/capabilities.js";
import { forbidden, unavailable } from "../protocol/errors.js";
import { MAX_IN_FLIGHT } from "../protocol/limits.js";
import type { RpcId, RpcNotificationMethod, RpcNotificationParams } from "../protocol/rpc.js";
import { SOFT_BUFFERED_BYTES } from "./limits.js";

/** What carries a connection's messages: a sealed WebSocket or a Unix socket. */
export interface Carrier {
  /** Bytes handed over and not yet taken by the kernel. */
  readonly bufferedBytes: number;
  send(json: string): void;
  /** Ends the link; `code` is a close code of the sealed link. */
  close(code: number, reason: string): void;
}

/** A request that runs: what it takes, and the way to stop it. */
export interface Running {
  readonly id: RpcId;
  readonly capability: Capability | undefined;
  /** A control request that was accepted is carried out though its link be lost. */
  outlivesLink: boolean;
  readonly abort: AbortController;
}

export class ConnectionClosedError extends Error {
  constructor() {
    super("The connection is closed");
    this.name = "ConnectionClosedError";
  }
}

export class Connection implements WatchLink {
  readonly id = randomBytes(9).toString("base64url");
  readonly caller: Caller;
  readonly #carrier: Carrier;
  readonly #running = new Set<Running>();
  readonly #closeListeners = new Set<() => void>();
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  /** Answers that wait for the link to take them; they still count as under way. */
  #answering = 0;
  #closed = false;

  constructor(caller: Caller, carrier: Carrier) {
    this.caller = caller;
    this.#carrier = carrier;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Registers a request; throws Unavailable past MAX_IN_FLIGHT. */
  start(request: Omit<Running, "abort">): Running {
    if (this.#running.size + this.#answering >= MAX_IN_FLIGHT) {
      throw unavailable(`More than ${MAX_IN_FLIGHT} requests of this link are under way; wait for answers`);
    }
    const running = { ...request, abort: new AbortController() };
    this.#running.add(running);
    return running;
  }

  finish(running: Running): void {
    this.#running.delete(running);
  }

  /** Sends an encoded message as soon as the link takes more; drops it when the link is gone. */
  async answer(json: string): Promise<void> {
    this.#answering++;
    try {
      await this.#writable();
      this.#send(json);
    } catch (error) {
      if (!(error instanceof ConnectionClosedError)) throw error; // there is nobody left to answer
    } finally {
      this.#answering--;
    }
  }

  async deliver<M extends RpcNotificationMethod>(method: M, params: RpcNotificationParams<M>): Promise<void> {
    await this.notify(method, params);
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.#writable();
    this.#send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    await this.#writable();
  }

  /** Sends past what waits: for the words that go before a close. */
  notifyNow(method: string, params: unknown): void {
    if (!this.#closed) this.#send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** The carrier's buffer shrank. */
  drained(): void {
    if (this.#carrier.bufferedBytes > SOFT_BUFFERED_BYTES) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve();
  }

  /** Stops the requests that the caller may no longer make. */
  narrow(): void {
    for (const running of this.#running) {
      if (running.capability !== undefined && !this.caller.can(running.capability)) {
        running.abort.abort(forbidden(`This device no longer holds the right ${running.capability}`));
      }
    }
  }

  /** The link is gone: reads and waits end, accepted control requests go on. */
  lost(): void {
    this.#end((running) => !running.outlivesLink);
  }

  /** The device is gone: all ends, and the carrier with it. */
  end(code: number, reason: string): void {
    this.#end(() => true);
    this.#carrier.close(code, reason);
  }

  /** Ends the link of a peer that broke the protocol or does not read; requests as when it is lost. */
  refuse(code: number, reason: string): void {
    this.lost();
    this.#carrier.close(code, reason);
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.add(listener);
  }

  #end(stops: (running: Running) => boolean): void {
    for (const running of this.#running) {
      if (stops(running)) running.abort.abort(new ConnectionClosedError());
    }
    if (this.#closed) return;
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new ConnectionClosedError());
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  #send(json: string): void {
    if (this.#closed) throw new ConnectionClosedError();
    this.#carrier.send(json);
  }

  #writable(): Promise<void> {
    if (this.#closed) return Promise.reject(new ConnectionClosedError());
    if (this.#carrier.bufferedBytes <= SOFT_BUFFERED_BYTES) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }
}
