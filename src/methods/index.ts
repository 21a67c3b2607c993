/** The one registry: a handler for every method of the protocol, complete at compile time. */
import type { Handlers } from "./context.js";
import { createFilesMethods, type FilesDeps } from "./files.js";
import { createGitMethods, type GitDeps } from "./git.js";
import { createSessionsMethods, type SessionsDeps } from "./sessions.js";
import { createTerminalMethods, type TerminalDeps } from "./terminal.js";
import { unbuilt } from "./unbuilt.js";

export type MethodDeps = SessionsDeps & TerminalDeps & FilesDeps & GitDeps;

export function createMethods(deps: MethodDeps): Handlers {
  return {
    ...createSessionsMethods(deps),
    ...createTerminalMethods(deps),
    ...unbuilt("history", "past chats"),
    ...unbuilt("chat", "chats"),
    ...createFilesMethods(deps),
    ...createGitMethods(deps),
  } satisfies Handlers;
}
