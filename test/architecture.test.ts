/** The import lines of src/ against the table in docs/architecture.md: who may know whom. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../src/", import.meta.url));

/** What each folder may import beside itself; "node" is any `node:` module, other words are folders or packages. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: ["zod", "@noble"],
  sessions: ["protocol", "zod", "node"],
  policy: ["protocol", "zod", "node"],
  terminal: ["protocol", "zod", "node", "node-pty", "@xterm"],
  files: ["protocol", "zod", "node", "sharp"],
  git: ["protocol", "zod", "node", "simple-git", "diff"],
  chat: ["protocol", "sessions", "zod", "node", "@anthropic-ai", "diff"],
  watches: ["protocol", "sessions", "node"],
  methods: ["protocol", "sessions", "policy", "watches", "terminal", "chat", "files", "git", "zod", "node"],
  server: [
    "protocol",
    "sessions",
    "policy",
    "watches",
    "terminal",
    "chat",
    "files",
    "git",
    "methods",
    "client",
    "zod",
    "node",
    "ws",
    "pino",
  ],
  client: ["protocol", "zod"],
  cli: ["client", "protocol", "server", "zod", "node", "commander", "uqr", "ws", "@modelcontextprotocol"],
  web: [
    "client",
    "protocol",
    "zod",
    "@noble",
    "preact",
    "@preact",
    "wouter-preact",
    "marked",
    "lowlight",
    "highlight.js",
    "ansi-sequence-parser",
    "qr",
  ],
};

/** The one file of a folder that may do what the others may not. */
const EXCEPTIONS: Record<string, readonly string[]> = {
  // The Unix socket and the WebSocket of Node, handed to the isomorphic client by the command line.
  "client/local.ts": ["node"],
};

/** The only readers of the environment. */
const ENVIRONMENT = ["server/config.ts", "terminal/env.ts", "chat/drivers/claude/env.ts", "cli/env.ts"];

const sources = readdirSync(root, { recursive: true })
  .map((name) => join(root, String(name)))
  .filter((path) => /\.tsx?$/.test(path) && statSync(path).isFile());

function importsOf(path: string): string[] {
  return ts.preProcessFile(readFileSync(path, "utf8"), true, true).importedFiles.map((file) => file.fileName);
}

/** `node`, a package's name or scope, or the folder under src/ that is imported. */
function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith("node:")) return "node";
  if (!specifier.startsWith(".")) return specifier.split("/", 1)[0] ?? specifier;
  return relative(root, resolve(dirname(path), specifier)).split("/", 1)[0] ?? "";
}

describe("imports", () => {
  test.each(Object.keys(MAY_IMPORT))("src/%s imports only what the architecture lets it", (folder) => {
    const wrong: string[] = [];
    for (const path of sources.filter((source) => relative(root, source).startsWith(`${folder}/`))) {
      const name = relative(root, path);
      const allowed = new Set([folder, ...(MAY_IMPORT[folder] ?? []), ...(EXCEPTIONS[name] ?? [])]);
      for (const specifier of importsOf(path)) {
        if (!allowed.has(targetOf(path, specifier))) wrong.push(`${name} imports ${specifier}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("every folder of src/ stands in the table", () => {
    const folders = readdirSync(root).filter((name) => statSync(join(root, name)).isDirectory());
    expect(folders.filter((name) => MAY_IMPORT[name] === undefined)).toEqual([]);
  });

  test("have no cycle between files", () => {
    const graph = new Map(
      sources.map((path) => [
        path,
        importsOf(path)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => resolve(dirname(path), specifier).replace(/\.js$/, ".ts")),
      ]),
    );
    expect(cyclesOf(graph)).toEqual([]);
  });
});

test("the environment is read in four files only", () => {
  const readers = sources
    .filter((path) => /\bprocess\.env\b|\benv\s*}\s*=\s*process\b/.test(readFileSync(path, "utf8")))
    .map((path) => relative(root, path));
  expect(readers.filter((name) => !ENVIRONMENT.includes(name))).toEqual([]);
});

/** Cycles of the graph, type imports included, each as a chain of file names. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, chain: readonly string[]): void => {
    const at = chain.indexOf(path);
    if (at !== -1) {
      cycles.push([...chain.slice(at), path].map((p) => relative(root, p)).join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...chain, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
