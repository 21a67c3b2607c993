// Bundles the page into dist/web: hashed scripts and styles under assets/, index.html that names them, icons,
// and a brotli form beside each text file. Highlighting languages stay chunks of their own, loaded when shown.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import sharp from "sharp";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "src", "web");
const COMPRESSED = new Set([".html", ".js", ".css", ".svg", ".webmanifest"]);
const ICONS = { "icon-192.png": 192, "icon-512.png": 512, "apple-touch-icon.png": 180 };

/** Writes the page to `target` (dist/web unless said) and resolves to that folder. */
export async function bundleWeb(target = join(root, "dist", "web")) {
  // Beside the target first: a daemon that starts meanwhile finds a whole page.
  const out = `${target}.${process.pid}`;
  mkdirSync(out, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(source, "main.tsx"), join(source, "styles", "main.css")],
    outdir: out,
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/chunk-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["es2022", "safari17.5", "chrome123"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    metafile: true,
    plugins: [englishOnly],
    logLevel: "warning",
  });
  const entries = Object.keys(metafile.outputs).filter((path) => metafile.outputs[path].entryPoint);
  const named = (name) =>
    `/assets/${basename(entries.find((path) => basename(path).startsWith("main-") && path.endsWith(name)))}`;
  const page = readFileSync(join(source, "index.html"), "utf8");
  writeFileSync(
    join(out, "index.html"),
    page.replace("{{script}}", named(".js")).replace("{{style}}", named(".css")),
  );
  const icon = readFileSync(join(source, "icons", "icon.svg"));
  writeFileSync(join(out, "icon.svg"), icon);
  writeFileSync(join(out, "manifest.webmanifest"), readFileSync(join(source, "manifest.webmanifest")));
  for (const [name, size] of Object.entries(ICONS))
    await sharp(icon, { density: 300 }).resize(size, size).png().toFile(join(out, name));
  compressAll(out);
  rmSync(target, { recursive: true, force: true });
  renameSync(out, target);
  return target;
}

/** zod carries its messages in fifty languages; the page shows none of them. */
const englishOnly = {
  name: "english-only",
  setup(bundler) {
    bundler.onLoad({ filter: /zod\/v4\/locales\/[\w-]+\.js$/ }, ({ path }) =>
      ["en.js", "index.js"].includes(basename(path)) ? undefined : { contents: "export default () => ({});" },
    );
  },
};

function compressAll(folder) {
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    const path = join(folder, name);
    if (!COMPRESSED.has(extname(path)) || !statSync(path).isFile()) continue;
    const body = readFileSync(path);
    const options = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    };
    writeFileSync(`${path}.br`, brotliCompressSync(body, options));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleWeb();
