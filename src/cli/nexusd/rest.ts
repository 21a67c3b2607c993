/** Waiting until no chat works: a turn that a restart cuts has to be told to go on. */
import type { RemoteSession } from "../../protocol/rpc.js";
import type { Session } from "../connect.js";
import { timedOut } from "../exit.js";

/** Resolves when no agent's turn runs. Fails as timed out after `timeoutMs`. */
export async function untilChatsRest({ client }: Session, timeoutMs: number | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = (act: () => void): void => {
      clearTimeout(timer);
      watch.close();
      act();
    };
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => end(() => reject(timedOut("A chat still works; the daemon goes on as it is"))),
            timeoutMs,
          );
    const watch = client.watchSessions({
      // the watch's handle is not there yet when its first state is: one turn later it is
      onChange: ({ sessions }) => {
        if (!sessions.some(isWorkingChat)) setImmediate(() => end(resolve));
      },
      onError: (error, final) => {
        if (final) setImmediate(() => end(() => reject(error)));
      },
    });
  });
}

function isWorkingChat({ kind, state }: Pick<RemoteSession, "kind" | "state">): boolean {
  return kind !== "terminal" && state === "running";
}
