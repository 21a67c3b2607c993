// Photographs the built page on a scripted workstation: node scripts/screenshots.mjs [FOLDER] [SCREEN | all]
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Beside the sources, so that paths relative to a module mean the same after bundling.
const outfile = join(root, "test", "web", "support", ".screenshots.mjs");
try {
  await build({
    entryPoints: [join(root, "test", "web", "support", "screenshots.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  await import(pathToFileURL(outfile));
} finally {
  rmSync(outfile, { force: true });
}
