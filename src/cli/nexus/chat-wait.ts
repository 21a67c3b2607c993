/** nexus chat wait: asks again until the turn is over, or the time is. */
import { type ChatWaitState, MAX_WAIT_MS, type RpcParams } from "../../protocol/rpc.js";
import type { CommonOptions } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { CommandFailure, ExitCode, timedOut } from "../exit.js";
import { createOutput, type Output } from "../output.js";
import { chatTab, refOf } from "./chat-verbs.js";

export async function wait(tab: string, options: CommonOptions & { after?: number }): Promise<void> {
  const output = createOutput(options);
  const { after, timeout } = options;
  // the time is the wait's, not that of each request
  await withClient({ ...options, timeout: undefined }, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    await waitOn(session, { ...ref, ...(after !== undefined && { after }) }, { output, timeout });
  });
}

/** What a turn's outcome is to a script: it failed, or it waits for a person, or the chat is no more. */
const OUTCOMES: Readonly<Partial<Record<ChatWaitState, ExitCode>>> = {
  error: ExitCode.failed,
  asking: ExitCode.unavailable,
  closed: ExitCode.unavailable,
};

/** Prints what the agent said, or that it asks, failed or was closed; the exit code tells too. */
export async function waitOn(
  { client }: Session,
  params: Omit<RpcParams<"chat.wait">, "timeoutMs">,
  { output, timeout }: { output: Output; timeout: number | undefined },
): Promise<void> {
  const end = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  for (;;) {
    const timeoutMs = Math.max(1, Math.min(MAX_WAIT_MS, Math.ceil(end - Date.now())));
    const result = await client.call("chat.wait", { ...params, timeoutMs });
    if (!result.done && Date.now() < end) continue;
    output.value(result);
    if (result.state === "idle") output.text(result.message ?? "");
    else output.line(result.message === undefined ? result.state : `${result.state}: ${result.message}`);
    if (result.done) {
      const code = OUTCOMES[result.state];
      if (code === undefined) return;
      throw new CommandFailure(code, ""); // what it says is printed already
    }
    throw output.json ? new CommandFailure(ExitCode.timedOut, "") : timedOut("The time of --timeout is over");
  }
}
