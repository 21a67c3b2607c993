/**
 * A terminal of another machine's daemon on this one: its watch is drawn, keys
 * go as the protocol names them. Characters arrive there as a paste, so a
 * program that treats pastes apart (vim outside insert mode) sees them so.
 */
import type { NexusClient } from "../../client/client.js";
import type { RpcParams } from "../../protocol/rpc.js";
import { type DetachKey, findDetachKey } from "../detach-key.js";
import { printable } from "../printable.js";
import { openRawInput } from "../raw-input.js";
import { type Screen, terminalSize, withScreen } from "../screen.js";
import { type Stop, untilStopped } from "../until-stopped.js";
import type { AttachTarget } from "./attach-local.js";
import { drawBottom } from "./terminal-watch.js";
import { TypedKeys } from "./typed-keys.js";

/** Local pastes come framed, so that their lines are no Enter keys. */
const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";

/** Pieces of typing that wait for the link; the keys after them are dropped. */
const MAX_WAITING = 256;

/** Resolves when the person left it; fails when the terminal or the right to it is gone. */
export async function attachThere(
  client: NexusClient,
  target: AttachTarget,
  key: DetachKey,
): Promise<string | undefined> {
  const { workspaceId, tabId } = target;
  await withScreen({ plain: false }, async (screen) => {
    process.stdout.write(PASTE_ON);
    try {
      await untilStopped(undefined, (stop) => {
        const closeView = view(client, { workspaceId, tabId }, { screen, stop });
        const closeKeys = typeInto(client, { workspaceId, tabId }, { key, stop });
        return () => {
          closeKeys();
          closeView();
        };
      });
    } finally {
      process.stdout.write(PASTE_OFF);
    }
  });
  return undefined;
}

/** Draws it, and while the link is away why. */
function view(client: NexusClient, target: AttachTarget, to: { screen: Screen; stop: Stop }): () => void {
  const { screen, stop } = to;
  const handle = client.watchTerminal(
    { ...target, ansi: true, lines: terminalSize().rows },
    {
      onChange: (text) => drawBottom(screen, text, true),
      onError: (error, final) => {
        if (final) stop(error);
      },
    },
  );
  const removeState = client.onState((state) => {
    if (state.state === "offline") screen.draw([printable(`offline: ${state.reason}; trying again …`)]);
  });
  return () => {
    removeState();
    handle.close();
  };
}

function typeInto(
  client: NexusClient,
  target: AttachTarget,
  how: { key: DetachKey; stop: Stop },
): () => void {
  const { key, stop } = how;
  const input = openRawInput();
  const typed = new TypedKeys();
  let sending: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const send = (params: Omit<RpcParams<"terminal.input">, keyof AttachTarget>): void => {
    if (waiting >= MAX_WAITING) return;
    waiting++;
    sending = sending
      .then(() => client.call("terminal.input", { ...target, ...params }))
      .then(() => void waiting--, stop);
  };
  input.onData((bytes) => {
    const at = findDetachKey(bytes, key);
    for (const piece of typed.push(at === -1 ? bytes : bytes.subarray(0, at))) send(piece);
    if (at !== -1) stop();
  });
  return () => input.close();
}
