/** What one daemon may read of another: the tabs that it opened there or may write to for good. */
import type { RpcMethod } from "../protocol/rpc.js";

/** Their other methods are about more than a tab. */
export const PEER_READS: ReadonlySet<string> = new Set<RpcMethod>([
  "sessions.list",
  "sessions.watch",
  "sessions.unwatch",
  "events.read",
  "chat.read",
  "chat.watch",
  "chat.unwatch",
  "chat.panel",
  "chat.tool",
  "chat.image",
  "chat.wait",
  "terminal.read",
  "terminal.watch",
  "terminal.unwatch",
  "terminal.wait",
]);
