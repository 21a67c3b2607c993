/** The phone page in a real browser, on a scripted workstation. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const title = "The page, in Chromium at a phone's size";

const support = join(dirname(dirname(fileURLToPath(import.meta.url))), "test", "web", "support");

export async function run() {
  const outfile = join(support, ".measure.mjs");
  try {
    await build({
      entryPoints: [join(support, "measure.ts")],
      outfile,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      logLevel: "warning",
    });
    const { measurePage } = await import(pathToFileURL(outfile).href);
    return await measurePage();
  } finally {
    rmSync(outfile, { force: true });
  }
}
