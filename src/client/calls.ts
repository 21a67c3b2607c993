/**
 * The requests in hand: they wait for the link, are sent a few at a time, are
 * sent again with the same id on the next link where that is safe, and each
 * ends exactly once.
 */
import { MAX_MESSAGE_BYTES } from "../protocol/limits.js";
import { ClientError } from "./errors.js";
import { CALL_TIMEOUT_MS, MAX_PENDING_BYTES, MAX_PENDING_REQUESTS, MAX_SENT_REQUESTS } from "./limits.js";
import type { Incoming } from "./messages.js";
import { mayResend } from "./resend.js";
import { randomUuid } from "./uuid.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** CALL_TIMEOUT_MS when absent; the time without a link counts. */
  readonly timeoutMs?: number;
}

interface Call {
  readonly method: string;
  readonly text: string;
  readonly bytes: number;
  /** It means nothing on another link: it fails when this one is lost. */
  readonly linkBound: boolean;
  sent: boolean;
  first?: { readonly sentAt: number; readonly boot: string | undefined };
  settle(outcome: { readonly result: unknown } | { readonly error: unknown }): void;
}

export interface NewCall extends CallOptions {
  readonly method: string;
  readonly params: unknown;
  readonly linkBound?: boolean;
}

/** A link that takes requests. */
export interface CallLink {
  send(text: string): void;
  readonly boot: string | undefined;
}

export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #now: () => number;
  #link: CallLink | undefined;
  #bytes = 0;
  #sent = 0;
  #closed: Error | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get pending(): number {
    return this.#calls.size;
  }

  /** The result as it came, or a rejection: RpcFailure, ClientError, or the signal's reason. */
  async add(request: NewCall): Promise<unknown> {
    if (this.#closed !== undefined) throw this.#closed;
    request.signal?.throwIfAborted();
    const { method, params, linkBound = false } = request;
    if (linkBound && this.#link === undefined) throw linkLost();
    const id = randomUuid();
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: params ?? {} });
    const bytes = new TextEncoder().encode(text).length;
    this.#checkRoom(bytes);
    return await new Promise((resolve, reject) => {
      const end = this.#endOf(id, request);
      const call: Call = {
        method,
        text,
        bytes,
        linkBound,
        sent: false,
        settle: (outcome) => {
          end();
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.result);
        },
      };
      this.#calls.set(id, call);
      this.#bytes += bytes;
      this.#flush();
    });
  }

  /** An answer arrived; one that nobody waits for any more is dropped. */
  answer(message: Exclude<Incoming, { kind: "notification" }>): void {
    const outcome = message.kind === "answer" ? { result: message.result } : { error: message.failure };
    this.#settle(message.id, outcome);
    this.#flush();
  }

  linkUp(link: CallLink): void {
    this.#link = link;
    const now = this.#now();
    for (const [id, { method, first }] of this.#calls) {
      if (first === undefined || mayResend({ method, ...first }, now, link.boot)) continue;
      const why = "The link was lost before the answer came; look whether it was done before you try again";
      this.#settle(id, { error: new ClientError("uncertain", why) });
    }
    this.#flush();
  }

  linkDown(): void {
    this.#link = undefined;
    this.#sent = 0;
    for (const [id, call] of this.#calls) {
      call.sent = false;
      if (call.linkBound) this.#settle(id, { error: linkLost() });
    }
  }

  close(error: Error): void {
    this.#closed ??= error;
    this.#link = undefined;
    for (const id of [...this.#calls.keys()]) this.#settle(id, { error });
  }

  #checkRoom(bytes: number): void {
    if (bytes > MAX_MESSAGE_BYTES) {
      throw new ClientError("too-much", `A request takes at most ${MAX_MESSAGE_BYTES} bytes`);
    }
    if (this.#calls.size >= MAX_PENDING_REQUESTS || this.#bytes + bytes > MAX_PENDING_BYTES) {
      throw new ClientError("too-much", "Too many requests wait for their answers; let some end first");
    }
  }

  /** Arms the limits of a call; what comes back takes it out and disarms them. */
  #endOf(id: string, { signal, timeoutMs = CALL_TIMEOUT_MS, method }: NewCall): () => void {
    const timer = setTimeout(() => {
      this.#settle(id, {
        error: new ClientError("timeout", `No answer to ${method} within ${timeoutMs} ms`),
      });
      this.#flush();
    }, timeoutMs);
    const abort = (): void => {
      this.#settle(id, { error: signal?.reason });
      this.#flush();
    };
    signal?.addEventListener("abort", abort);
    return () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  }

  #settle(id: string, outcome: Parameters<Call["settle"]>[0]): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#bytes -= call.bytes;
    if (call.sent) this.#sent--;
    call.settle(outcome);
  }

  #flush(): void {
    const link = this.#link;
    if (link === undefined) return;
    for (const call of this.#calls.values()) {
      if (this.#sent >= MAX_SENT_REQUESTS) return;
      if (call.sent) continue;
      call.sent = true;
      call.first ??= { sentAt: this.#now(), boot: link.boot };
      this.#sent++;
      link.send(call.text);
    }
  }
}

function linkLost(): ClientError {
  return new ClientError("link-lost", "The link was lost");
}
