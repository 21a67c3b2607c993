/** The one registry: a handler for every method of the protocol, complete at compile time. */
import { type ChatDeps, createChatMethods } from "./chat.js";
import type { Handlers } from "./context.js";
import { createFilesMethods, type FilesDeps } from "./files.js";
import { createGitMethods, type GitDeps } from "./git.js";
import { createHistoryMethods, type HistoryDeps } from "./history.js";
import { createSessionsMethods, type SessionsDeps } from "./sessions.js";
import { createTerminalMethods, type TerminalDeps } from "./terminal.js";

export type MethodDeps = SessionsDeps & TerminalDeps & ChatDeps & HistoryDeps & FilesDeps & GitDeps;

export function createMethods(deps: MethodDeps): Handlers {
  return {
    ...createSessionsMethods(deps),
    ...createTerminalMethods(deps),
    ...createHistoryMethods(deps),
    ...createChatMethods(deps),
    ...createFilesMethods(deps),
    ...createGitMethods(deps),
  } satisfies Handlers;
}
