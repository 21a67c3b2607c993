/** What carries a client's messages: a sealed WebSocket, or a Unix socket of this machine. */

/** Why a transport ended, or did not come up. `code` is a close code of the link; a bare one proves nothing. */
export interface TransportEnd {
  readonly code?: number;
  readonly reason: string;
}

export interface Transport {
  /** Whether the other side says link.ready before it takes requests. */
  readonly greets: boolean;
  /** One JSON message; dropped when the transport has ended. */
  send(text: string): void;
  /** Sets the one listener; what came before it is handed over at once. */
  onMessage(listener: (text: string) => void): void;
  /** Sets the one listener; called once, at once when the transport has ended. */
  onClose(listener: (end: TransportEnd) => void): void;
  /** Ends it now; the listener hears of `end`. */
  close(end?: TransportEnd): void;
}

/** Brings a transport up, or rejects, with a ConnectError where it can say why. */
export type Connect = (signal: AbortSignal) => Promise<Transport>;

export class ConnectError extends Error {
  readonly end: TransportEnd;

  constructor(end: TransportEnd, options?: ErrorOptions) {
    super(end.reason, options);
    this.name = "ConnectError";
    this.end = end;
  }
}

/** The two listeners of a transport, with what came before they were set. */
export class TransportEvents {
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((end: TransportEnd) => void) | undefined;
  #early: string[] = [];
  #end: TransportEnd | undefined;

  get end(): TransportEnd | undefined {
    return this.#end;
  }

  message(text: string): void {
    if (this.#end !== undefined) return;
    if (this.#onMessage === undefined) this.#early.push(text);
    else this.#onMessage(text);
  }

  /** The first end counts. */
  close(end: TransportEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#onClose?.(end);
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
    for (const text of this.#early.splice(0)) listener(text);
  }

  onClose(listener: (end: TransportEnd) => void): void {
    this.#onClose = listener;
    if (this.#end !== undefined) listener(this.#end);
  }
}
