/** The one registry: a handler for every method of the protocol, complete at compile time. */
import type { Handlers } from "./context.js";
import { createSessionsMethods, type SessionsDeps } from "./sessions.js";
import { createTerminalMethods, type TerminalDeps } from "./terminal.js";
import { unbuilt } from "./unbuilt.js";

export type MethodDeps = SessionsDeps & TerminalDeps;

export function createMethods(deps: MethodDeps): Handlers {
  return {
    ...createSessionsMethods(deps),
    ...createTerminalMethods(deps),
    ...unbuilt("history", "past chats"),
    ...unbuilt("chat", "chats"),
    ...unbuilt("files", "files"),
    ...unbuilt("git", "git"),
  } satisfies Handlers;
}
