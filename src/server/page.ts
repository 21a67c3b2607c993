/** The page's files, read once at the start: what is not in this map is not served. */
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { StaticFile } from "./http.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** Where a page was never built. */
const PLACEHOLDER: StaticFile = {
  type: "text/html; charset=utf-8",
  body: Buffer.from(
    "<!doctype html><meta charset=utf-8><title>nexusd</title><p>This daemon has no page built in. Pair with <code>nexus pair</code> and paste the link.",
  ),
};

/** By path: `index.html` at "/", all else by its name. A `.br` file beside another is its compressed form. */
export async function loadPage(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  for (const path of await filesIn(folder)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const plain = await readFile(path);
    const compressed = await readFile(`${path}.br`).catch(() => undefined); // most have one
    const name = `/${relative(folder, path).split(sep).join("/")}`;
    files.set(name === "/index.html" ? "/" : name, {
      type,
      ...(compressed === undefined ? { body: plain } : { body: compressed, encoding: "br", plain }),
    });
  }
  if (!files.has("/")) files.set("/", PLACEHOLDER);
  return files;
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
