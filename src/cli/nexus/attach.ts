/** nexus terminal attach: work in a terminal of the daemon as if it were this one. */
import type { CommonOptions } from "../command.js";
import { withClient } from "../connect.js";
import { parseDetachKey } from "../detach-key.js";
import { CommandFailure, ExitCode, usage } from "../exit.js";
import { createOutput } from "../output.js";
import { attachHere } from "./attach-local.js";
import { attachThere } from "./attach-remote.js";
import { terminalTab } from "./terminal-verbs.js";

interface AttachOptions extends CommonOptions {
  readonly detachKey: string;
}

export async function attach(tab: string, options: AttachOptions): Promise<void> {
  const output = createOutput(options);
  const key = parseDetachKey(options.detachKey);
  if (process.stdin.isTTY !== true || !output.isTerminal) {
    throw usage("attach needs a terminal to draw and type on; terminal read and input do without");
  }
  await withClient({ ...options, retry: options.device !== undefined }, async (session) => {
    if (session.over === "agent") {
      const why = "A terminal cannot be attached inside a tab; nexus terminal watch shows it";
      throw new CommandFailure(ExitCode.forbidden, why);
    }
    const target = await terminalTab(session, tab);
    output.note(`Attached to ${target.session.title}; ${key.name} leaves it`);
    const attachTo = session.over === "device" ? attachThere : attachHere;
    const ended = await attachTo(session.client, target, key);
    output.note(ended === undefined ? "Left it; it goes on" : `It ended: ${ended}`);
  });
}
