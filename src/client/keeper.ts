/**
 * Keeps one link to the other side: brings it up, hears its greeting, notices
 * when it is dead, and tries again until it is closed or told that the device
 * was revoked.
 */
import {
  CLOSE_REASONS,
  CloseCode,
  isLinkNotification,
  LINK_NOTIFICATIONS,
  type LinkNotification,
  type LinkReady,
} from "../protocol/link.js";
import { CONNECT_DEADLINE_MS, STABLE_LINK_MS } from "./limits.js";
import { Liveness } from "./liveness.js";
import { type Incoming, readMessage } from "./messages.js";
import { retryDelayMs } from "./reconnect.js";
import type { ClientState } from "./state.js";
import { type Connect, ConnectError, type Transport, type TransportEnd } from "./transport.js";

export interface KeeperOptions {
  readonly connect: Connect;
  /** Whether a lost link is brought up again; false: the first end is the last. */
  readonly retry: boolean;
  readonly now: () => number;
  /** From 0 up to 1, for the waits between attempts. */
  readonly random: () => number;
}

/** What the keeper tells its owner. */
export interface KeeperEvents {
  state(state: ClientState): void;
  /** Requests may be sent now. */
  up(transport: Transport, ready: LinkReady | undefined): void;
  down(): void;
  /** Everything but the notifications about the link itself. */
  message(message: Incoming): void;
  capabilities(capabilities: LinkReady["capabilities"]): void;
}

export class LinkKeeper {
  readonly #options: KeeperOptions;
  readonly #events: KeeperEvents;
  readonly #liveness: Liveness;
  #state: ClientState = { state: "connecting", reason: "not started" };
  #attempt: AbortController | undefined;
  #transport: Transport | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #upSince: number | undefined;
  #started = false;

  constructor(options: KeeperOptions, events: KeeperEvents) {
    this.#options = options;
    this.#events = events;
    this.#liveness = new Liveness({
      now: options.now,
      dead: () => this.#transport?.close({ reason: "no sign of life" }),
    });
  }

  get state(): ClientState {
    return this.#state;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#connect();
  }

  /** The device woke up or its network came back: tries now, or asks a link that seems alive for a sign. */
  wake(): void {
    if (this.#state.state === "offline") this.#connect();
    else if (this.#state.state === "ready") this.#liveness.wake();
  }

  close(reason: string): void {
    if (this.#state.state === "closed") return;
    this.#started = true;
    clearTimeout(this.#timer);
    this.#attempt?.abort();
    const transport = this.#transport;
    this.#lose();
    transport?.close();
    this.#set({ state: "closed", reason });
  }

  #connect(): void {
    clearTimeout(this.#timer);
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#set({ state: "connecting", reason: this.#failures === 0 ? "connecting" : "trying again" });
    this.#options.connect(attempt.signal).then(
      (transport) => {
        if (attempt.signal.aborted) transport.close();
        else this.#adopt(transport);
      },
      (error: unknown) => {
        if (!attempt.signal.aborted) this.#ended(endOf(error));
      },
    );
  }

  #adopt(transport: Transport): void {
    this.#transport = transport;
    const own = (): boolean => this.#transport === transport;
    if (transport.greets) {
      // a server that finished the handshake and says nothing more is as good as none
      this.#timer = setTimeout(() => transport.close({ reason: "no greeting in time" }), CONNECT_DEADLINE_MS);
    } else {
      this.#up(transport, undefined);
    }
    transport.onClose((end) => {
      if (own()) this.#ended(end);
    });
    transport.onMessage((text) => {
      if (own()) this.#receive(transport, text);
    });
  }

  #receive(transport: Transport, text: string): void {
    this.#liveness.heard();
    const message = readMessage(text);
    if (message === undefined) {
      transport.close({ code: CloseCode.protocol, reason: CLOSE_REASONS[CloseCode.protocol] });
    } else if (message.kind === "notification" && isLinkNotification(message.method)) {
      this.#linkNotification(transport, message.method, message.params);
    } else if (this.#upSince !== undefined) {
      this.#events.message(message);
    }
  }

  #linkNotification(transport: Transport, method: LinkNotification, params: unknown): void {
    if (method === "link.ready") {
      const ready = LINK_NOTIFICATIONS[method].safeParse(params).data;
      if (ready !== undefined && this.#upSince === undefined) this.#up(transport, ready);
    } else if (method === "link.capabilities") {
      const changed = LINK_NOTIFICATIONS[method].safeParse(params).data;
      if (changed !== undefined) this.#events.capabilities(changed.capabilities);
    } else if (method === "link.closed") {
      const reason = LINK_NOTIFICATIONS[method].safeParse(params).data?.reason;
      if (reason === "revoked") this.close("revoked");
      // another link of this device took its place: coming back at once would take that one's
      else if (reason === "replaced") transport.close({ code: CloseCode.tooMany, reason: "replaced" });
    }
  }

  #up(transport: Transport, ready: LinkReady | undefined): void {
    clearTimeout(this.#timer);
    this.#upSince = this.#options.now();
    if (transport.greets) this.#liveness.start((text) => transport.send(text));
    this.#set({ state: "ready", reason: "ready", ready });
    this.#events.up(transport, ready);
  }

  #ended(end: TransportEnd): void {
    const stable = this.#upSince !== undefined && this.#options.now() - this.#upSince >= STABLE_LINK_MS;
    this.#failures = stable ? 1 : this.#failures + 1;
    this.#lose();
    if (this.#state.state === "closed") return;
    if (!this.#options.retry) {
      this.#set({ state: "closed", reason: end.reason });
      return;
    }
    const delay = retryDelayMs(end, this.#failures, this.#options.random());
    this.#timer = setTimeout(() => this.#connect(), delay);
    this.#set({ state: "offline", reason: end.reason, retryAt: this.#options.now() + delay });
  }

  #lose(): void {
    clearTimeout(this.#timer);
    this.#liveness.stop();
    this.#transport = undefined;
    if (this.#upSince === undefined) return;
    this.#upSince = undefined;
    this.#events.down();
  }

  #set(state: ClientState): void {
    this.#state = state;
    this.#events.state(state);
  }
}

function endOf(error: unknown): TransportEnd {
  if (error instanceof ConnectError) return error.end;
  return { reason: error instanceof Error ? error.message : "the connection failed" };
}
