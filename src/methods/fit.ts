/**
 * How each result is made to fit a frame when it is larger: the part that can
 * grow is cut, and what the schema has to say so (truncated, more, start) says
 * so. Called only for a result whose JSON is over its budget.
 */
import { fitChatPage, fitPanel, fitToolCall } from "../chat/fit.js";
import { fitFilesList, fitFilesRead } from "../files/fit.js";
import { fitGitDiff, fitGitLog, fitGitStatus } from "../git/fit.js";
import { cutToJson, jsonBytes } from "../protocol/cut.js";
import type { RemoteSession, RpcMethod, RpcResult } from "../protocol/rpc.js";

export type Fit<M extends RpcMethod> = (result: RpcResult<M>, budgetBytes: number) => RpcResult<M>;

/** For results that are a few ids and numbers. */
const small = <T>(result: T): T => result;

export const FIT: { readonly [M in RpcMethod]: Fit<M> } = {
  "sessions.list": fitSessions,
  "sessions.watch": fitSessions,
  "sessions.unwatch": small,
  "events.read": (result, budget) => {
    const events = result.events.map((event) => ({
      ...event,
      title: clip(event.title, MAX_TITLE_CHARS),
      ...(event.message === undefined ? {} : { message: clip(event.message, MAX_EVENT_MESSAGE_CHARS) }),
    }));
    const kept = prefix(events, budget - OVERHEAD_BYTES);
    // Never an empty page that promises more: the first event fits by its clipped texts.
    return { ...result, events: kept, more: result.more || kept.length < events.length };
  },
  "profiles.list": (result) => ({
    profiles: result.profiles
      .slice(0, MAX_OPTIONS)
      .map((p) => ({ ...p, name: clip(p.name, MAX_OPTION_CHARS) })),
  }),
  "history.list": (result, budget) => ({
    sessions: prefix(
      result.sessions.map((past) => ({
        ...past,
        title: clip(past.title, MAX_LAST_CHARS),
        ...(past.cwd === undefined ? {} : { cwd: clip(past.cwd, 4096) }),
      })),
      budget - OVERHEAD_BYTES,
    ),
  }),

  "chat.read": fitChatPage,
  "chat.watch": fitChatPage,
  "chat.unwatch": small,
  "chat.settings": fitSettings,
  "chat.commands": (result, budget) => ({
    commands: prefix(
      result.commands.slice(0, MAX_OPTIONS).map((command) => ({
        ...command,
        name: clip(command.name, MAX_TITLE_CHARS),
        description: clip(command.description, MAX_OPTION_CHARS),
        ...(command.args === undefined ? {} : { args: clip(command.args, MAX_OPTION_CHARS) }),
      })),
      budget - OVERHEAD_BYTES,
    ),
  }),
  "chat.panel": fitPanel,
  "chat.tool": fitToolCall,
  "chat.wait": (result) => withMessage(result, MAX_WAIT_MESSAGE_BYTES),
  "chat.image": small,
  "chat.send": small,
  "chat.attach": small,
  "chat.answer": small,
  "chat.interrupt": small,
  "chat.configure": fitSettings,
  "chat.command": (result) => withMessage(result, MAX_MESSAGE_TEXT_BYTES),
  "chat.stopTask": small,
  "chat.rename": small,
  "chat.resume": small,
  "chat.new": (result) =>
    result.error === undefined
      ? result
      : { ...result, error: cutToJson(result.error, MAX_MESSAGE_TEXT_BYTES).text },
  "chat.close": small,

  "terminal.read": fitRows,
  "terminal.watch": fitRows,
  "terminal.unwatch": small,
  "terminal.input": small,
  "terminal.wait": (result) => withMessage(result, MAX_MESSAGE_TEXT_BYTES),
  "terminal.answer": small,
  "terminal.shells": (result) => ({
    shells: result.shells
      .slice(0, MAX_OPTIONS)
      .map((shell) => ({ ...shell, name: clip(shell.name, MAX_OPTION_CHARS) })),
  }),
  "terminal.open": small,
  "terminal.rename": small,
  "terminal.close": small,

  "files.list": fitFilesList,
  "files.read": fitFilesRead,
  "git.status": fitGitStatus,
  "git.diff": fitGitDiff,
  "git.log": fitGitLog,
};

/** Room for what stands beside a list in its result. */
const OVERHEAD_BYTES = 512;

/** Texts of a list, in UTF-16 units: what a phone shows, several times over. */
const MAX_TITLE_CHARS = 200;
const MAX_LAST_CHARS = 500;
const MAX_EVENT_MESSAGE_CHARS = 2048;
const MAX_OPTION_CHARS = 500;

/** Entries of a list that a program supplies: models, modes, commands, shells. */
const MAX_OPTIONS = 200;

/** What a waiting request says, in JSON bytes. */
const MAX_WAITING_BYTES = 4 * 1024;

/** A wait's message, and other free text, in JSON bytes. */
const MAX_WAIT_MESSAGE_BYTES = 64 * 1024;
const MAX_MESSAGE_TEXT_BYTES = 16 * 1024;

/** The first `chars` UTF-16 units, never half a character. */
function clip(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? chars - 1 : chars);
}

/** The longest run of first entries whose JSON, with commas and brackets, fits. */
function prefix<T>(entries: readonly T[], budgetBytes: number): T[] {
  let left = budgetBytes - 2;
  const end = entries.findIndex((entry) => {
    left -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    return left < 0;
  });
  return end === -1 ? [...entries] : entries.slice(0, end);
}

/** Clips the texts; then ended sessions go, oldest first, then workspaces without sessions, then the rest. */
function fitSessions<T extends RpcResult<"sessions.list">>(result: T, budget: number): T {
  const workspaces = result.workspaces.map((workspace) => ({
    ...workspace,
    name: clip(workspace.name, MAX_TITLE_CHARS),
    path: clip(workspace.path, 4096),
  }));
  const sessions = result.sessions.map(clipSession);
  const ranked = [...sessions].sort(
    (a, b) => Number(a.state === "ended") - Number(b.state === "ended") || (b.since ?? 0) - (a.since ?? 0),
  );
  const kept = new Set(prefix(ranked, budget / 2));
  const used = new Set([...kept].map((session) => session.workspaceId));
  const inUseFirst = [...workspaces].sort((a, b) => Number(used.has(b.id)) - Number(used.has(a.id)));
  const keptWorkspaces = new Set(prefix(inUseFirst, budget / 2 - OVERHEAD_BYTES));
  return {
    ...result,
    workspaces: workspaces.filter((workspace) => keptWorkspaces.has(workspace)),
    sessions: sessions.filter((session) => kept.has(session)),
  };
}

function clipSession(session: RemoteSession): RemoteSession {
  return {
    ...session,
    title: clip(session.title, MAX_TITLE_CHARS),
    ...(session.last === undefined ? {} : { last: clip(session.last, MAX_LAST_CHARS) }),
    ...(session.waiting === undefined
      ? {}
      : { waiting: { ...session.waiting, text: cutToJson(session.waiting.text, MAX_WAITING_BYTES).text } }),
  };
}

function fitSettings<T extends RpcResult<"chat.settings">>(result: T, budget: number): T {
  const { models, efforts, modes } = result.options;
  const { profile } = result;
  const text = (value: string): string => clip(value, MAX_OPTION_CHARS);
  const listed = <O>(options: O[]): O[] => prefix(options.slice(0, MAX_OPTIONS), budget / 4);
  return {
    ...result,
    ...(profile === undefined ? {} : { profile: mapTexts(profile, text) }),
    options: {
      models: listed(models.map((m) => ({ id: text(m.id), label: text(m.label) }))),
      efforts: listed(efforts.map(text)),
      modes: listed(modes.map((m) => ({ ...m, id: text(m.id), label: text(m.label) }))),
    },
  };
}

function mapTexts<T extends object>(fields: T, change: (text: string) => string): T {
  const changed = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? change(value) : value,
  ]);
  return Object.fromEntries(changed) as T;
}

function withMessage<T extends { message?: string | undefined }>(result: T, bytes: number): T {
  return result.message === undefined
    ? result
    : { ...result, message: cutToJson(result.message, bytes).text };
}

/** Whole rows go from the top; each row stands for itself, so the cut is clean. The last row stays, cut if it must be. */
function fitRows<T extends { text: string }>(result: T, budget: number): T {
  const rows = result.text.split("\n");
  let left = budget - OVERHEAD_BYTES;
  let first = rows.length;
  while (first > 0) {
    left -= jsonBytes(rows[first - 1] ?? "");
    if (left < 0) break;
    first--;
  }
  if (first < rows.length) return { ...result, text: rows.slice(first).join("\n") };
  return { ...result, text: cutToJson(rows.at(-1) ?? "", budget - OVERHEAD_BYTES).text };
}
