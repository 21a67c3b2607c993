#!/usr/bin/env node
/** nexus: asks a daemon as its user, at this machine, from another device, or from inside one of its tabs. */
import { createProgram, runProgram } from "./command.js";
import { deviceLast } from "./device-last.js";
import { registerChat } from "./nexus/chat.js";
import { registerFiles } from "./nexus/files.js";
import { registerGit } from "./nexus/git.js";
import { registerMcp } from "./nexus/mcp.js";
import { registerPair } from "./nexus/pair.js";
import { registerSessions } from "./nexus/sessions.js";
import { registerTerminal } from "./nexus/terminal.js";

const program = createProgram(
  "nexus",
  "Sees and steers the chats and terminals of a nexusd: this machine's, or with --device another's",
);
for (const register of [
  registerPair,
  registerSessions,
  registerChat,
  registerTerminal,
  registerFiles,
  registerGit,
  registerMcp,
]) {
  register(program);
}
await runProgram(program, deviceLast(process.argv));
