// Bundles the terminal host into one file that needs nothing beside it but pty.node, so that a copy of
// the two runs on whatever happens to node_modules.
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Writes the bundle to `outfile` (dist/host/host.mjs unless said) and resolves to its path. */
export async function bundleHost(outfile = join(root, "dist", "host", "host.mjs")) {
  await build({
    entryPoints: [join(root, "src", "terminal", "host", "main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    legalComments: "inline",
    // The emulator's packages are CommonJS and ask for require.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  chmodSync(outfile, 0o644);
  return outfile;
}
