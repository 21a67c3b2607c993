/** Reading the events, and following them: a change of the list says when to read on. */
import type { RpcResult, SessionEvent } from "../../protocol/rpc.js";
import type { Session } from "../connect.js";
import { EVENTS_PAGE, EVENTS_POLL_MS } from "../limits.js";
import { whenText } from "../output.js";
import type { Stop } from "../until-stopped.js";

export function eventLine(event: SessionEvent): string {
  const { at, kind, title, from, to, message } = event;
  const change = from === null ? to : `${from} → ${to}`;
  return `${whenText(at)}  ${kind} ${title}: ${change}${message === undefined || message === "" ? "" : `  ${message}`}`;
}

/** One page: with `since` the first after it, else the last. */
export async function readEvents(
  { client, call }: Session,
  params: { readonly since?: number; readonly limit?: number },
): Promise<RpcResult<"events.read">> {
  const { since, limit } = params;
  const given = { ...(since !== undefined && { since }), ...(limit !== undefined && { limit }) };
  return await client.call("events.read", given, call);
}

export interface FollowOptions {
  tell(event: SessionEvent): void;
  readonly stop: Stop;
}

/** Tells all that comes after `cursor`, each event once; what comes back ends it. */
export function followEvents(session: Session, cursor: number, options: FollowOptions): () => void {
  const reader = new EventReader(session, cursor, options);
  const read = (): void => reader.wake();
  const watch = session.client.watchSessions({
    onChange: read,
    onError: (error, final) => {
      if (final) options.stop(error);
    },
  });
  const timer = setInterval(read, EVENTS_POLL_MS);
  return () => {
    clearInterval(timer);
    watch.close();
    reader.close();
  };
}

class EventReader {
  readonly #session: Session;
  readonly #options: FollowOptions;
  #cursor: number;
  #boot: string | undefined;
  #reading = false;
  #again = false;
  #closed = false;

  constructor(session: Session, cursor: number, options: FollowOptions) {
    this.#session = session;
    this.#cursor = cursor;
    this.#options = options;
    this.#boot = session.client.ready?.server.boot;
  }

  /** Reads on; a call while it reads makes it read once more. */
  wake(): void {
    this.#again = true;
    if (this.#reading || this.#closed) return;
    this.#reading = true;
    this.#read()
      .catch((error: unknown) => this.#options.stop(error))
      .finally(() => {
        this.#reading = false;
      });
  }

  close(): void {
    this.#closed = true;
  }

  async #read(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      const since = this.#since();
      const page = await readEvents(this.#session, { since, limit: EVENTS_PAGE });
      if (this.#closed) return;
      for (const event of page.events) this.#options.tell(event);
      this.#cursor = page.events.at(-1)?.seq ?? page.cursor;
      if (page.more) this.#again = true;
    }
  }

  /** The numbers of another start of the daemon mean nothing: they are read from the first. */
  #since(): number {
    const boot = this.#session.client.ready?.server.boot;
    if (boot !== this.#boot) this.#cursor = 0;
    this.#boot = boot;
    return this.#cursor;
  }
}
