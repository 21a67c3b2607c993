/** sessions.watch: the list again at each change, paced by the sessions themselves. */
import type { RpcNotificationParams, RpcResult } from "../protocol/rpc.js";
import type { OpenedWatch } from "./hub.js";
import { LatestSender } from "./latest.js";

export interface SessionsFeed {
  list(): RpcResult<"sessions.list">;
  onChange(listener: () => void): () => void;
}

/**
 * Answers with the list now and sends it again whenever it differs from what
 * was sent last, once `answered` has resolved.
 */
export function watchSessions(
  feed: SessionsFeed,
  watch: OpenedWatch,
  to: {
    answered: Promise<void>;
    deliver(update: RpcNotificationParams<"sessions.update">): Promise<void>;
  },
): RpcResult<"sessions.list"> {
  const first = feed.list();
  let sent = JSON.stringify(first);
  const sender = new LatestSender(async () => {
    await to.answered;
    const list = feed.list();
    const text = JSON.stringify(list);
    if (text === sent || watch.closed) return;
    sent = text;
    await to.deliver({ ...list, watchId: watch.id });
  });
  watch.onStop(feed.onChange(() => sender.poke()));
  watch.onStop(() => sender.close());
  return first;
}
