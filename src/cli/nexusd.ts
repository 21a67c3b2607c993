#!/usr/bin/env node
/** nexusd: the owner's program. It starts the daemon, and asks it over the owner's socket. */
import { createProgram, runProgram } from "./command.js";
import { registerAgents } from "./nexusd/agents.js";
import { registerAudit } from "./nexusd/audit.js";
import { registerClaude } from "./nexusd/claude.js";
import { registerConsents } from "./nexusd/consents.js";
import { registerDevices } from "./nexusd/devices.js";
import { registerDoctor } from "./nexusd/doctor.js";
import { registerLifecycle } from "./nexusd/lifecycle.js";
import { registerOpen } from "./nexusd/open.js";
import { registerPair } from "./nexusd/pair.js";
import { registerPeer } from "./nexusd/peer.js";
import { registerServe } from "./nexusd/serve.js";
import { registerWorkspaces } from "./nexusd/workspaces.js";

const program = createProgram(
  "nexusd",
  "Lets your paired devices see and steer the chats, terminals, files and git of this machine",
);
for (const register of [
  registerServe,
  registerOpen,
  registerPair,
  registerDevices,
  registerWorkspaces,
  registerConsents,
  registerAgents,
  registerClaude,
  registerPeer,
  registerAudit,
  registerLifecycle,
  registerDoctor,
]) {
  register(program);
}
await runProgram(program, process.argv);
