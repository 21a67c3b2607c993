/** The verbs of nexus terminal that ask one thing and print the answer. */
import type { RemoteSession } from "../../protocol/rpc.js";
import type { CommonOptions } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { findTab } from "../names.js";
import { createOutput } from "../output.js";
import { sessionLines } from "./session-table.js";
import { workspaceOf } from "./workspace.js";

/** A tab by what a person calls it. */
export async function terminalTab(
  { client, call }: Session,
  text: string,
): Promise<Pick<RemoteSession, "workspaceId" | "tabId"> & { session: RemoteSession }> {
  const { sessions } = await client.call("sessions.list", {}, call);
  const session = findTab(sessions, text, "terminal");
  return { workspaceId: session.workspaceId, tabId: session.tabId, session };
}

interface OpenOptions extends CommonOptions {
  readonly workspace?: string;
  readonly folder?: string;
  readonly shell?: string;
  readonly title?: string;
  readonly cols?: number;
  readonly rows?: number;
}

export async function open(words: string[], options: OpenOptions): Promise<void> {
  const output = createOutput(options);
  const { folder, shell, title, cols, rows } = options;
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const opened = await session.client.call(
      "terminal.open",
      {
        workspaceId,
        ...(folder !== undefined && { folder }),
        ...(shell !== undefined && { shell }),
        ...(title !== undefined && { title }),
        ...(cols !== undefined && { cols }),
        ...(rows !== undefined && { rows }),
        ...(words.length > 0 && { command: words.join(" ") }),
      },
      session.call,
    );
    output.value({ workspaceId, ...opened });
    output.line(opened.tabId);
  });
}

export async function shells(options: CommonOptions & { workspace?: string }): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const workspaceId = await workspaceOf(session, options.workspace);
    const result = await session.client.call("terminal.shells", { workspaceId }, session.call);
    output.value(result);
    output.table(
      ["ID", "NAME", ""],
      result.shells.map(({ id, name, isDefault }) => [id, name, isDefault ? "default" : ""]),
    );
  });
}

export async function list(options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async ({ client, call }) => {
    const { workspaces, sessions } = await client.call("sessions.list", {}, call);
    const terminals = sessions.filter(({ kind }) => kind === "terminal");
    output.value({ sessions: terminals });
    if (output.json) return;
    for (const line of sessionLines(output, { workspaces, sessions: terminals })) output.raw(`${line}\n`);
  });
}

export async function read(
  tab: string,
  options: CommonOptions & { lines?: number; ansi?: boolean },
): Promise<void> {
  const output = createOutput(options);
  const { lines, ansi = false } = options;
  await withClient(options, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const params = { workspaceId, tabId, ...(lines !== undefined && { lines }), ...(ansi && { ansi }) };
    const result = await session.client.call("terminal.read", params, session.call);
    output.value(result);
    output.text(result.text, { colors: ansi });
  });
}

export async function rename(tab: string, title: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const { workspaceId, tabId } = await terminalTab(session, tab);
    const result = await session.client.call("terminal.rename", { workspaceId, tabId, title }, session.call);
    output.value(result);
    output.line(`It is called ${result.title}`);
  });
}

export async function close(tab: string, options: CommonOptions & { force?: boolean }): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const { workspaceId, tabId, session: closed } = await terminalTab(session, tab);
    const force = options.force === true ? { force: true } : {};
    await session.client.call("terminal.close", { workspaceId, tabId, ...force }, session.call);
    output.value({});
    output.line(`Closed ${closed.title}`);
  });
}
