/** What a terminal host is made of: its bundle and node-pty's native binding, wherever that was installed. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const HOST_FILE = fileURLToPath(new URL("../host/host.mjs", import.meta.url));

/** May not be there, where an installer ran no build scripts: doctor says so. */
export const BINDING_FILE = join(
  dirname(createRequire(import.meta.url).resolve("node-pty/package.json")),
  "build",
  "Release",
  "pty.node",
);
