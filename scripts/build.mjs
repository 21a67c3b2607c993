// Builds dist/: TypeScript for the daemon, one bundle for the terminal host, one for the page.
// Does nothing when nothing changed since the last build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, "dist", ".built");

/** Builds when a source, a setting or a dependency changed; resolves to whether it did. */
export async function build() {
  const stamp = sourceStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return false;
  rmSync(stampFile, { force: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.json"], { cwd: root, stdio: "inherit" });
  const { bundleHost } = await import(pathToFileURL(join(root, "scripts", "bundle-host.mjs")));
  await bundleHost();
  if (existsSync(join(root, "scripts", "bundle-web.mjs"))) {
    const { bundleWeb } = await import(pathToFileURL(join(root, "scripts", "bundle-web.mjs")));
    await bundleWeb();
  }
  for (const name of ["nexusd", "nexus"]) writeCommand(name);
  writeFileSync(stampFile, stamp);
  return true;
}

/** The commands for terminals of the daemon: with this very Node, which their PATH may not have. */
function writeCommand(name) {
  const program = join(root, "dist", "cli", `${name}.js`);
  chmodSync(program, 0o755);
  const command = join(root, "dist", "bin", name);
  mkdirSync(dirname(command), { recursive: true });
  const quoted = [process.execPath, program].map((path) => `'${path.replaceAll("'", "'\\''")}'`);
  writeFileSync(command, `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`, { mode: 0o755 });
}

function sourceStamp() {
  const hash = createHash("sha256");
  const inputs = ["package-lock.json", "tsconfig.json", ...files("src"), ...files("scripts")];
  for (const file of inputs)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

function files(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

if (process.argv[1] && relative(process.argv[1], fileURLToPath(import.meta.url)) === "") await build();
