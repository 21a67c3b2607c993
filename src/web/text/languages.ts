/** Highlighting languages, each a chunk of its own that is loaded when text of it is shown. */
import { createLowlight } from "lowlight";

type Definition = Parameters<ReturnType<typeof createLowlight>["register"]>[1];
type Load = () => Promise<{ default: Definition }>;

const LOADERS: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  nix: () => import("highlight.js/lib/languages/nix"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Names and file endings that mean one of these. */
const ALIASES: Readonly<Record<string, string>> = {
  sh: "bash",
  zsh: "bash",
  shell: "bash",
  console: "bash",
  fish: "bash",
  h: "c",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  cs: "csharp",
  patch: "diff",
  toml: "ini",
  conf: "ini",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsonc: "json",
  jsonl: "json",
  kt: "kotlin",
  mk: "makefile",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  hs: "haskell",
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  html: "xml",
  svg: "xml",
  vue: "xml",
  yml: "yaml",
};

export const highlighter = createLowlight();

/** The language that a fence's word or a file's ending names; undefined for none that is known. */
export function languageOf(word: string): string | undefined {
  const name = word.toLowerCase();
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  return known !== undefined && Object.hasOwn(LOADERS, known) ? known : undefined;
}

export function languageOfPath(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(Makefile|GNUmakefile)$/.test(name)) return "makefile";
  if (/^(Dockerfile|Containerfile)/.test(name)) return "dockerfile";
  return languageOf(name.slice(name.lastIndexOf(".") + 1));
}

export async function loadLanguage(name: string): Promise<void> {
  const load = LOADERS[name];
  if (load === undefined || highlighter.registered(name)) return;
  highlighter.register(name, (await load()).default);
}
