/** nexus terminal wait: asks again until what is waited for came, or the time is over. */
import { MAX_WAIT_MS, type RpcParams, type RpcResult } from "../../protocol/rpc.js";
import type { CommonOptions } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { CommandFailure, ExitCode, timedOut } from "../exit.js";
import { createOutput } from "../output.js";
import { terminalTab } from "./terminal-verbs.js";

interface WaitOptions extends CommonOptions {
  readonly exit?: boolean;
  readonly match?: string;
  readonly after?: number;
  readonly quiet?: number;
}

type Waited = RpcResult<"terminal.wait">;

export async function wait(tab: string, options: WaitOptions): Promise<void> {
  const output = createOutput(options);
  const { exit = false, match, after, quiet, timeout } = options;
  // the time is the wait's, not that of each request
  await withClient({ ...options, timeout: undefined }, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const result = await waitOn(session, timeout, {
      workspaceId,
      tabId,
      ...(exit && { exit }),
      ...(match !== undefined && { match }),
      ...(after !== undefined && { after }),
      ...(quiet !== undefined && { quietMs: quiet }),
    });
    output.value(result);
    output.line(result.message === undefined ? result.state : `${result.state}: ${result.message}`);
    if (!result.done) {
      const why = "The time of --timeout is over";
      throw output.json ? new CommandFailure(ExitCode.timedOut, "") : timedOut(why);
    }
  });
}

async function waitOn(
  { client }: Session,
  timeout: number | undefined,
  params: Omit<RpcParams<"terminal.wait">, "timeoutMs">,
): Promise<Waited> {
  const end = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  for (;;) {
    const timeoutMs = Math.max(1, Math.min(MAX_WAIT_MS, Math.ceil(end - Date.now())));
    const result = await client.call("terminal.wait", { ...params, timeoutMs });
    if (result.done || Date.now() >= end) return result;
  }
}
