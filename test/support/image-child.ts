/** The image process as a file that Node runs: built from the source under test, whatever lies in dist/. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { ImageShrinker, type ImageShrinkerOptions } from "../../src/files/image.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

let built: Promise<string> | undefined;

/** Inside node_modules, so that it finds sharp there. */
export function imageChildFile(): Promise<string> {
  built ??= (async () => {
    const folder = `${root}node_modules/.cache/nexusd-test`;
    mkdirSync(folder, { recursive: true });
    const outfile = `${folder}/image-child-${process.pid}.mjs`;
    await build({
      entryPoints: [`${root}src/files/image-child.ts`],
      outfile,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    return outfile;
  })();
  return built;
}

export async function imageShrinker(options: ImageShrinkerOptions = {}): Promise<ImageShrinker> {
  const shrinker = new ImageShrinker({ childFile: await imageChildFile(), ...options });
  onTestFinished(() => shrinker.close());
  return shrinker;
}
