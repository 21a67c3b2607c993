/** nexus terminal watch: a terminal of the daemon, drawn on this one, without a way to type. */
import type { CommonOptions } from "../command.js";
import { withClient } from "../connect.js";
import { usage } from "../exit.js";
import { createOutput } from "../output.js";
import { printable } from "../printable.js";
import { type Screen, terminalSize, withScreen } from "../screen.js";
import { untilStopped } from "../until-stopped.js";
import { terminalTab } from "./terminal-verbs.js";

interface WatchOptions extends CommonOptions {
  readonly lines?: number;
  readonly ansi: boolean;
}

export async function watch(tab: string, options: WatchOptions): Promise<void> {
  const output = createOutput(options);
  if (!output.json && !output.isTerminal) {
    throw usage("nexus terminal watch draws on a terminal; use --json, or nexus terminal read");
  }
  const { ansi, timeout } = options;
  await withClient({ ...options, timeout: undefined, retry: true }, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const lines = options.lines ?? (output.json ? undefined : terminalSize().rows);
    const params = { workspaceId, tabId, ansi, ...(lines !== undefined && { lines }) };
    await withScreen({ plain: output.json }, async (screen) => {
      await untilStopped(timeout, (stop) => {
        const handle = session.client.watchTerminal(params, {
          onChange: (text) => {
            output.value({ text });
            if (!output.json) drawBottom(screen, text, ansi);
          },
          onError: (error, final) => {
            if (final) stop(error);
          },
        });
        return () => handle.close();
      });
    });
  });
}

/** The last lines of a terminal's text that the screen has room for. */
export function drawBottom(screen: Screen, text: string, ansi: boolean): void {
  const lines = printable(text, { lines: true, colors: ansi }).replaceAll("\t", "        ").split("\n");
  screen.draw(lines.slice(-screen.rows));
}
