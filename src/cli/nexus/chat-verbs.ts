/** The verbs of nexus chat that ask one thing and print the answer. */
import type { RemoteSession } from "../../protocol/rpc.js";
import type { CommonOptions } from "../command.js";
import { type Session, withClient } from "../connect.js";
import { findTab } from "../names.js";
import { createOutput } from "../output.js";
import { messageText } from "./chat-text.js";
import { sessionLines } from "./session-table.js";
import { type WorkspaceOptions, workspaceOf } from "./workspace.js";

/** A chat by what a person calls it. */
export async function chatTab({ client, call }: Session, text: string): Promise<RemoteSession> {
  const { sessions } = await client.call("sessions.list", {}, call);
  return findTab(sessions, text, "chat");
}

export interface ChatRef {
  readonly workspaceId: string;
  readonly tabId: string;
}

export const refOf = ({ workspaceId, tabId }: ChatRef): ChatRef => ({ workspaceId, tabId });

export async function list(options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async ({ client, call }) => {
    const { workspaces, sessions } = await client.call("sessions.list", {}, call);
    const chats = sessions.filter(({ kind }) => kind !== "terminal");
    output.value({ sessions: chats });
    if (output.json) return;
    for (const line of sessionLines(output, { workspaces, sessions: chats })) output.raw(`${line}\n`);
  });
}

interface NewOptions extends WorkspaceOptions {
  readonly agent: "claude" | "codex";
  readonly folder?: string;
  readonly profile?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly mode?: string;
}

export async function create(prompt: string | undefined, options: NewOptions): Promise<void> {
  const output = createOutput(options);
  const { agent, folder, profile, model, effort, mode } = options;
  const text = prompt === undefined ? undefined : await messageText(prompt);
  await withClient(options, async (session) => {
    // Another daemon lists no workspace to an agent: the id as it was given is all there is.
    const workspaceId =
      session.over === "device" && options.workspace !== undefined
        ? await workspaceOf(session, options.workspace).catch(() => options.workspace ?? "")
        : await workspaceOf(session, options.workspace);
    const opened = await session.client.call(
      "chat.new",
      {
        workspaceId,
        agent,
        ...(text !== undefined && { prompt: text }),
        ...(folder !== undefined && { folder }),
        ...(profile !== undefined && { profile }),
        ...(model !== undefined && { model }),
        ...(effort !== undefined && { effort }),
        ...(mode !== undefined && { permissionMode: mode }),
      },
      session.call,
    );
    output.value({ workspaceId, ...opened });
    output.line(session.over === "device" ? `${workspaceId}/${opened.tabId}` : opened.tabId);
    if (opened.error !== undefined) output.note(`The prompt was not sent: ${opened.error}`);
  });
}

export async function interrupt(tab: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    output.value(await session.client.call("chat.interrupt", ref, session.call));
    output.line("Interrupted");
  });
}

export async function close(tab: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options);
  await withClient(options, async (session) => {
    const chat = await chatTab(session, tab);
    output.value(await session.client.call("chat.close", refOf(chat), session.call));
    output.line(`Closed ${chat.title}`);
  });
}

interface SettingsOptions extends CommonOptions {
  readonly model?: string;
  readonly effort?: string;
  readonly mode?: string;
}

export async function settings(tab: string, options: SettingsOptions): Promise<void> {
  const output = createOutput(options);
  const { model, effort, mode } = options;
  await withClient(options, async (session) => {
    const ref = refOf(await chatTab(session, tab));
    const patch = {
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(mode !== undefined && { permissionMode: mode }),
    };
    const now =
      Object.keys(patch).length === 0
        ? await session.client.call("chat.settings", ref, session.call)
        : await session.client.call("chat.configure", { ...ref, ...patch }, session.call);
    output.value(now);
    output.line(`model ${now.model ?? "the program's own"}, effort ${now.effort ?? "the program's own"}`);
    output.line(`mode ${now.permissionMode}`);
    output.line(`modes: ${now.options.modes.map(({ id }) => id).join(", ")}`);
    output.line(`models: ${now.options.models.map(({ id }) => id).join(", ")}`);
  });
}
