/** owner.attach.*: a desk's window on a terminal, its bytes as they come, over the owner's socket. */
import { randomBytes } from "node:crypto";
import { notFound, unavailable } from "../protocol/errors.js";
import type { Tabs } from "../sessions/tabs.js";
import type { Terminals } from "../terminal/client.js";
import { checkWindowSize } from "../terminal/host/size.js";
import type { OwnerHandlers } from "./context.js";

type Attached = Awaited<ReturnType<Terminals["attach"]>>;

/** By attach id; each belongs to the connection that made it. */
export type Attachments = Map<string, { linkId: string; attached: Attached }>;

/** Windows attached at once, over all terminals: a desk has a few. */
const MAX_ATTACHMENTS = 32;

type AttachMethod = Extract<keyof OwnerHandlers, "owner.attach" | `owner.attach.${string}`>;

export function createAttachMethods(
  deps: { terminals: Terminals; tabs: Tabs },
  attachments: Attachments,
): Pick<OwnerHandlers, AttachMethod> {
  const find = (linkId: string, attachId: string): Attached => {
    const found = attachments.get(attachId);
    if (found?.linkId !== linkId) throw notFound("attached window");
    return found.attached;
  };
  return {
    "owner.attach": async (ctx, { workspaceId, tabId, cols, rows }) => {
      const tab = deps.tabs.get(tabId);
      if (tab?.kind !== "terminal" || tab.workspaceId !== workspaceId) throw notFound("tab");
      if (attachments.size >= MAX_ATTACHMENTS) {
        throw unavailable(`${MAX_ATTACHMENTS} windows are attached already; detach one first`);
      }
      const attachId = randomBytes(9).toString("base64url");
      const send = (method: string, params: object): void => {
        void ctx.answered.then(() => ctx.link.notify(method, { attachId, ...params })).catch(() => undefined); // the link ended, and the window with it
      };
      const attached = await deps.terminals.attach(tabId, {
        cols,
        rows,
        onData: (bytes) => send("owner.attach.data", { data: bytes.toString("base64") }),
        onEnd: (reason) => send("owner.attach.end", { reason }),
      });
      attachments.set(attachId, { linkId: ctx.link.id, attached });
      ctx.link.onClose(() => {
        if (attachments.delete(attachId)) attached.detach();
      });
      return { attachId };
    },
    "owner.attach.input": (ctx, { attachId, data }) => {
      find(ctx.link.id, attachId).write(Buffer.from(data, "base64"));
      return {};
    },
    "owner.attach.resize": (ctx, { attachId, cols, rows }) => {
      const attached = find(ctx.link.id, attachId);
      // the host is told, not asked: a size that it would refuse is refused here
      checkWindowSize({ cols, rows });
      attached.resize(cols, rows);
      return {};
    },
    "owner.attach.detach": (ctx, { attachId }) => {
      find(ctx.link.id, attachId).detach();
      attachments.delete(attachId);
      return {};
    },
  };
}
