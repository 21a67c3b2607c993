// Makes a checkout ready to run: installs when the lock file changed since the last install, then builds.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function ready() {
  const lock = join(root, "package-lock.json");
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
    console.error("Installing what nexusd needs (node-pty is compiled, about half a minute) …");
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
      cwd: root,
      env: { ...headersHere(), ...process.env },
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  const { build } = await import("./build.mjs");
  await build();
}

/** Node's own headers, where they lie beside it: node-pty then compiles without fetching them. */
function headersHere() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, "include", "node", "node.h")) ? { npm_config_nodedir: prefix } : {};
}

if (process.argv[1] && relative(process.argv[1], fileURLToPath(import.meta.url)) === "") await ready();
