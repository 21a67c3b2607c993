// Checks that the programs which `npm run test:all` drives are on this machine, and names each that is not.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAMS = {
  zsh: "apt-get install zsh",
  fish: "apt-get install fish",
  vim: "apt-get install vim",
  tmux: "apt-get install tmux",
  chromium: "apt-get install chromium",
  ssh: "apt-get install openssh-client",
  sshd: "apt-get install openssh-server",
};
const agents = fileURLToPath(new URL("../test/agents/node_modules", import.meta.url));

/** Daemons are installed where a user's own PATH does not lead. */
const SYSTEM_FOLDER = "/usr/sbin";
const folders = [...(process.env.PATH ?? "").split(delimiter), SYSTEM_FOLDER];
const onPath = (name) => folders.some((folder) => existsSync(join(folder, name)));
const missing = Object.entries(PROGRAMS).filter(([name]) => !onPath(name));
for (const [name, how] of missing) console.error(`missing: ${name} (${how})`);
if (!existsSync(agents)) console.error("missing: the agents' programs (npm ci --prefix test/agents)");
if (missing.length > 0 || !existsSync(agents)) process.exit(1);
