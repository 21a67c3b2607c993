/** The version of this package, from its package.json. */
import { readFileSync } from "node:fs";

interface Manifest {
  readonly version: string;
}

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest;

export const VERSION = manifest.version;
