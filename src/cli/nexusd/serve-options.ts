/** The options that a daemon was started with, kept beside its sockets so that a restart can use them again. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { z } from "zod";
import type { StartOptions } from "../../server/daemon.js";
import { parseInteger } from "../command.js";
import { readEnv } from "../env.js";
import { usage } from "../exit.js";

const ServeOptionsSchema = z.object({
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().optional(),
  publicUrl: z.string().optional(),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  trustProxy: z.string().optional(),
});
export type ServeOptions = z.infer<typeof ServeOptionsSchema>;

const StartedSchema = z.object({ pid: z.number().int(), folder: z.string(), options: ServeOptionsSchema });
export type Started = z.infer<typeof StartedSchema>;

export function addServeOptions(command: Command): Command {
  const port = new Option("--port <port>", "the port to listen at, 0 for any free one (8137)");
  return command
    .addOption(port.argParser(parseInteger(0, 65_535)))
    .option("--host <address>", "the address to listen at; all of this machine's without it")
    .option("--public-url <url>", "the address that links carry: a tailnet name, a tunnel")
    .option("--tls-cert <file>", "serve https with this certificate")
    .option("--tls-key <file>", "and its key")
    .option("--trust-proxy <address>", "believe X-Forwarded-For from this proxy");
}

/** As startDaemon takes them. Throws usage for a certificate without its key. */
export function startOptions(folder: string, options: ServeOptions): StartOptions {
  const { port, host, publicUrl, trustProxy, tlsCert, tlsKey } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw usage("--tls-cert and --tls-key go together");
  return {
    folder,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(publicUrl !== undefined && { publicUrl: checkedUrl(publicUrl) }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { certFile: tlsCert, keyFile: tlsKey } }),
  };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw usage("--public-url is an address that begins with http:// or https://");
  }
  url.hash = "";
  url.search = "";
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** The same options as arguments of `nexusd serve`. */
export function serveArguments({ folder, options }: Pick<Started, "folder" | "options">): string[] {
  const flags: [string, string | number | undefined][] = [
    ["--port", options.port],
    ["--host", options.host],
    ["--public-url", options.publicUrl],
    ["--tls-cert", options.tlsCert],
    ["--tls-key", options.tlsKey],
    ["--trust-proxy", options.trustProxy],
  ];
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
  return ["serve", ...given, "--", folder];
}

/** Picks what a restart needs; paths must be absolute by now. */
export async function keepStarted(started: Started): Promise<void> {
  await writeFile(startedFile(), `${JSON.stringify(StartedSchema.parse(started))}\n`, { mode: 0o600 });
}

/** What the daemon with this pid was started with; undefined when nobody wrote it down. */
export async function readStarted(pid: number): Promise<Started | undefined> {
  try {
    const started = StartedSchema.parse(JSON.parse(await readFile(startedFile(), "utf8")));
    return started.pid === pid ? started : undefined;
  } catch {
    return undefined; // not there, or of another version: the defaults do
  }
}

function startedFile(): string {
  return join(readEnv().paths.runtimeDir, "serve.json");
}
