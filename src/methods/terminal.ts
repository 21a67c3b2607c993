/** terminal.*: finds the tab, calls the terminals, shapes the answer. */
import { isConsentId } from "../policy/consents.js";
import { invalidParams, notFound, RpcFailure, unavailable } from "../protocol/errors.js";
import { printable } from "../protocol/printable.js";
import { MAX_WAIT_MS } from "../protocol/rpc.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tab, Tabs } from "../sessions/tabs.js";
import type { Workspaces } from "../sessions/workspaces.js";
import type { Terminals } from "../terminal/client.js";
import type { Shell } from "../terminal/shells.js";
import type { WatchHub } from "../watches/hub.js";
import { watchTerminal } from "../watches/terminal.js";
import { answerTerminalConsent, type ConsentDesk } from "./consents.js";
import { type HandlersOf, isPerson, type RequestContext } from "./context.js";
import { forProgram } from "./terminal-agents.js";

export interface TerminalDeps {
  readonly terminals: Terminals;
  readonly sessions: Sessions;
  readonly tabs: Tabs;
  readonly workspaces: Workspaces;
  readonly hub: WatchHub;
  readonly consents: ConsentDesk;
  /** What a terminal gets that is opened without a size; 120×40 unless the owner set another. */
  readonly size: { readonly cols?: number | undefined; readonly rows?: number | undefined };
  /** The shells of this machine, the default one first. */
  shells(): Promise<Shell[]>;
  /** Resolves a folder inside a workspace, or throws Forbidden. */
  folder(workspaceId: string, path: string): Promise<string>;
  /** The whole environment of a tab's programs. */
  tabEnv(tab: { tabId: string; workspaceId: string }): Record<string, string>;
}

interface Ref {
  readonly workspaceId: string;
  readonly tabId: string;
}

export function createTerminalMethods(deps: TerminalDeps): HandlersOf<"terminal"> {
  const { terminals, sessions, tabs, hub } = deps;

  /** The terminal that a request names; NotFound also when the caller may not know of it. */
  const find = (ctx: RequestContext, ref: Ref): Tab => {
    const tab = tabs.get(ref.tabId);
    const known = tab?.kind === "terminal" && tab.workspaceId === ref.workspaceId;
    if (tab === undefined || !known || !ctx.caller.sees(tab.tabId)) throw notFound("tab");
    return tab;
  };

  return {
    "terminal.read": async (ctx, { lines, ansi, ...ref }) => {
      const { tabId } = find(ctx, ref);
      const asked = terminals.get(tabId) === undefined ? deps.consents.on(tabId)[0] : undefined;
      // A tab made ahead of an answer has no screen yet: it shows the question.
      const text =
        asked === undefined
          ? await terminals.read(tabId, given({ lines, ansi }))
          : `${asked.title}\n\n${printable(asked.text, { lines: true })}`;
      looked(ctx, tabId);
      return { text };
    },
    "terminal.watch": async (ctx, { lines, ansi, ...ref }) => {
      const { tabId } = find(ctx, ref);
      const watch = hub.open(ctx.link, { kind: "terminal", capability: "terminal.read", tabId });
      try {
        const text = await watchTerminal(
          terminals,
          watch,
          { id: tabId, ...given({ lines, ansi }) },
          {
            answered: ctx.answered,
            deliver: (update) => ctx.link.deliver("terminal.update", update),
          },
        );
        if (isPerson(ctx)) watch.onStop(sessions.looking(tabId));
        return { text, watchId: watch.id };
      } catch (error) {
        watch.close();
        throw error;
      }
    },
    "terminal.unwatch": (ctx, { watchId }) => {
      hub.close(ctx.link, "terminal", watchId);
      return {};
    },
    "terminal.input": async (ctx, { text, keys, enter, ...ref }) => {
      const { tabId } = find(ctx, ref);
      const typed =
        ctx.frame === undefined ? text : forProgram(await terminals.inputModes(tabId), text, ctx.frame);
      return await terminals.input(tabId, given({ text: typed, keys, enter }));
    },
    "terminal.wait": async (ctx, { timeoutMs, after, exit, match, quietMs, ...ref }) => {
      const { tabId } = find(ctx, ref);
      const options = given({ after, exit, match, quietMs });
      const asker = ctx.caller.deviceId;
      return await terminals.wait(
        tabId,
        { ...options, asker, timeoutMs: timeoutMs ?? MAX_WAIT_MS },
        ctx.signal,
      );
    },
    "terminal.answer": async (ctx, { workspaceId, ...answer }) => {
      find(ctx, { workspaceId, tabId: answer.tabId });
      if (isConsentId(answer.requestId)) {
        await answerTerminalConsent(deps.consents, ctx, answer);
        return {};
      }
      throw unavailable("No request of an agent in this terminal waits for an answer");
    },
    "terminal.shells": async (_ctx, { workspaceId }) => {
      if (deps.workspaces.get(workspaceId) === undefined) throw notFound("workspace");
      const shells = await deps.shells();
      return { shells: shells.map(({ id, name, isDefault }) => ({ id, name, isDefault })) };
    },
    "terminal.open": async (ctx, params) => await openTerminal(deps, ctx, params),
    "terminal.rename": async (ctx, { title, ...ref }) => {
      const tab = await tabs.rename(find(ctx, ref).tabId, title);
      return { title: tab.title };
    },
    "terminal.close": async (ctx, { force, ...ref }) => {
      const { tabId } = find(ctx, ref);
      await terminals.close(tabId, given({ force }));
      hub.closeTab(tabId);
      await tabs.close(tabId);
      return {};
    },
  };

  function looked(ctx: RequestContext, tabId: string): void {
    if (isPerson(ctx)) sessions.looked(tabId);
  }
}

async function openTerminal(
  deps: TerminalDeps,
  ctx: RequestContext,
  params: {
    workspaceId: string;
    shell?: string | undefined;
    folder?: string | undefined;
    command?: string | undefined;
    title?: string | undefined;
    cols?: number | undefined;
    rows?: number | undefined;
  },
): Promise<{ tabId: string }> {
  const { workspaceId, shell: shellId, folder = "", command, title, cols, rows } = params;
  const workspace = deps.workspaces.get(workspaceId);
  if (workspace === undefined) throw notFound("workspace");
  const shells = await deps.shells();
  const shell =
    shellId === undefined ? shells.find((s) => s.isDefault) : shells.find((s) => s.id === shellId);
  if (shell === undefined) {
    if (shellId === undefined) throw unavailable("This machine has no shell that a terminal can run");
    throw invalidParams("No such shell; terminal.shells lists them");
  }
  const cwd = await deps.folder(workspaceId, folder);
  const tab = await deps.tabs.create({
    workspaceId,
    kind: "terminal",
    title: title ?? shell.name,
    renamed: title !== undefined,
    openedBy: ctx.caller.deviceId,
    ...given({ tabId: ctx.reserved }),
  });
  try {
    const env = deps.tabEnv({ tabId: tab.tabId, workspaceId });
    const size = { cols: cols ?? deps.size.cols, rows: rows ?? deps.size.rows };
    await deps.terminals.open({ id: tab.tabId, cwd, shell, env, ...given({ command, ...size }) });
  } catch (error) {
    await deps.tabs.close(tab.tabId);
    if (error instanceof RpcFailure) throw error;
    throw unavailable(`The terminal could not be opened: ${(error as Error).message}`, error);
  }
  return { tabId: tab.tabId };
}

/** Leaves out what is undefined, as exact optional properties want it. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
