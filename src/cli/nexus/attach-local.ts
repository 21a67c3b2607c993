/**
 * A terminal of this machine's daemon on this one, byte for byte: what its
 * program writes reaches the screen as it is, as it would without a daemon.
 */
import type { NexusClient, Notification } from "../../client/client.js";
import { OWNER_NOTIFICATIONS } from "../../protocol/owner.js";
import { ByteSender } from "../byte-sender.js";
import { type DetachKey, findDetachKey } from "../detach-key.js";
import { openRawInput } from "../raw-input.js";
import { terminalSize } from "../screen.js";
import { ScreenModes } from "../screen-modes.js";
import { type Stop, untilStopped } from "../until-stopped.js";

export interface AttachTarget {
  readonly workspaceId: string;
  readonly tabId: string;
}

/** Resolves when the person left it, or with the reason when the terminal ended. */
export async function attachHere(
  client: NexusClient,
  target: AttachTarget,
  key: DetachKey,
): Promise<string | undefined> {
  const modes = new ScreenModes();
  let reason: string | undefined;
  const early: Notification[] = [];
  let take = (notification: Notification): void => void early.push(notification);
  const unsubscribe = client.onNotification((notification) => take(notification));
  const { workspaceId, tabId } = target;
  const { attachId } = await client.request("owner.attach", { workspaceId, tabId, ...terminalSize() });
  const restore = (): void => modes.close();
  modes.begin(terminalSize().rows);
  process.once("exit", restore);
  try {
    await untilStopped(undefined, (stop) => {
      take = (notification) => {
        const ended = show(notification, attachId, modes);
        if (ended === undefined) return;
        reason = ended;
        stop();
      };
      for (const notification of early.splice(0)) take(notification);
      return typeInto(client, { attachId, key, stop });
    });
  } finally {
    unsubscribe();
    process.off("exit", restore);
    restore();
    // the daemon lets go of it with the connection anyway
    await client.request("owner.attach.detach", { attachId }).catch(() => undefined);
  }
  return reason;
}

/** Writes what came for this window; the reason when it ended. */
function show(notification: Notification, attachId: string, modes: ScreenModes): string | undefined {
  if (notification.method === "owner.attach.data") {
    const data = OWNER_NOTIFICATIONS["owner.attach.data"].safeParse(notification.params).data;
    if (data?.attachId === attachId) modes.write(Buffer.from(data.data, "base64"));
  } else if (notification.method === "owner.attach.end") {
    const end = OWNER_NOTIFICATIONS["owner.attach.end"].safeParse(notification.params).data;
    if (end?.attachId === attachId) return end.reason;
  }
  return undefined;
}

interface Typing {
  readonly attachId: string;
  readonly key: DetachKey;
  readonly stop: Stop;
}

/** Sends keys and this window's size until what comes back is called. */
function typeInto(client: NexusClient, { attachId, key, stop }: Typing): () => void {
  const input = openRawInput();
  const sender = new ByteSender(async (bytes) => {
    await client.request("owner.attach.input", { attachId, data: bytes.toString("base64") });
  }, stop);
  input.onData((bytes) => {
    const at = findDetachKey(bytes, key);
    sender.push(at === -1 ? bytes : bytes.subarray(0, at));
    if (at !== -1) stop();
  });
  const resize = (): void => {
    client.request("owner.attach.resize", { attachId, ...terminalSize() }).catch(stop);
  };
  process.stdout.on("resize", resize);
  const removeState = client.onState(({ state, reason }) => {
    if (state === "closed") stop(new Error(`The daemon is gone: ${reason}`));
  });
  return () => {
    removeState();
    process.stdout.off("resize", resize);
    input.close();
  };
}
