/** terminal.watch: a terminal's updates, numbered, each sent when the link took the one before. */
import type { RpcNotificationParams } from "../protocol/rpc.js";
import type { OpenedWatch } from "./hub.js";

/** The part of the terminals that a watch needs; an update counts from the text that was delivered last. */
export interface TerminalFeed {
  watch(
    id: string,
    options: { lines?: number; ansi?: boolean },
    deliver: (update: { start: number; text: string }) => Promise<void>,
    ended: (why: string) => void,
  ): Promise<{ text: string; close(): void }>;
}

export async function watchTerminal(
  feed: TerminalFeed,
  watch: OpenedWatch,
  what: { id: string; lines?: number; ansi?: boolean },
  to: {
    answered: Promise<void>;
    deliver(update: RpcNotificationParams<"terminal.update">): Promise<void>;
  },
): Promise<string> {
  const { id, ...options } = what;
  let rev = 0;
  const deliver = async (update: { start: number; text: string }): Promise<void> => {
    await to.answered;
    if (watch.closed) return;
    await to.deliver({ watchId: watch.id, rev: ++rev, ...update });
  };
  const source = await feed.watch(id, options, deliver, () => watch.close());
  watch.onStop(() => source.close());
  return source.text;
}
