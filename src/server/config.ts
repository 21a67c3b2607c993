/**
 * What the owner set: config.json, overridden by the command line. The one
 * file of the server that reads the environment.
 */
import { homedir, hostname } from "node:os";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { type Paths, resolvePaths } from "./paths.js";
import { readIfThere } from "./state.js";

export const DEFAULT_PORT = 8137;

const AbsolutePath = z.string().refine(isAbsolute, "is no absolute path");

const ProfileSchema = z.strictObject({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(100),
  agent: z.enum(["claude", "codex"]),
  driver: z.enum(["claude", "codex", "phi"]).optional(),
  configDir: AbsolutePath.optional(),
  env: z.record(z.string(), z.string()).optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  isDefault: z.boolean().optional(),
});

const ConfigSchema = z.strictObject({
  /** This machine's name to its devices. */
  name: z.string().min(1).max(64).optional(),
  port: z.number().int().min(0).max(65535).optional(),
  /** An address to listen at; all of this machine's otherwise. */
  host: z.string().optional(),
  /** The address that pairing links carry: a tailnet name, a tunnel. */
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  allowedHosts: z.array(z.string()).max(50).optional(),
  allowedOrigins: z.array(z.string()).max(50).optional(),
  /** The proxy whose X-Forwarded-For is believed. */
  trustProxy: z.string().optional(),
  tls: z.strictObject({ certFile: AbsolutePath, keyFile: AbsolutePath }).optional(),
  logLevel: z.enum(["debug", "info", "warn", "error", "silent"]).optional(),
  profiles: z.array(ProfileSchema).max(50).optional(),
  /** Folders whose repositories show as closed workspaces. */
  projectRoots: z.array(AbsolutePath).max(20).optional(),
  terminal: z
    .strictObject({
      cols: z.number().int().min(20).max(500).optional(),
      rows: z.number().int().min(5).max(200).optional(),
    })
    .optional(),
  /** Workspaces, by path, whose chats may be set to a mode that asks nothing. */
  dangerousModes: z.array(AbsolutePath).max(100).optional(),
});
export type ConfigFile = z.infer<typeof ConfigSchema>;

export interface Config extends ConfigFile {
  readonly paths: Paths;
  readonly name: string;
  readonly port: number;
  /** What git runs with of the environment. */
  readonly gitEnvironment: { readonly path: string; readonly home: string; readonly configHome?: string };
  /** Each result is checked against its schema before it goes. */
  readonly checkResults: boolean;
}

/** What the command line may say beside the file. */
export type ConfigOptions = Pick<ConfigFile, "host" | "publicUrl" | "trustProxy" | "tls" | "logLevel"> & {
  port?: number;
};

export class ConfigError extends Error {
  constructor(path: string, why: string) {
    super(`${path}: ${why}`);
    this.name = "ConfigError";
  }
}

export async function loadConfig(options: ConfigOptions = {}): Promise<Config> {
  const { env } = process;
  const paths = resolvePaths(env);
  const file = await readConfigFile(paths.configFile);
  const said = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    ...file,
    ...said,
    paths,
    name: file.name ?? hostname(),
    port: options.port ?? file.port ?? DEFAULT_PORT,
    gitEnvironment: {
      path: env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
      home: env.HOME ?? homedir(),
      ...(env.XDG_CONFIG_HOME === undefined ? {} : { configHome: env.XDG_CONFIG_HOME }),
    },
    checkResults: env.NEXUSD_CHECK_RESULTS === "1",
  };
}

async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = await readIfThere(path);
  if (text === undefined) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(path, `no JSON (${(error as Error).message})`);
  }
  const parsed = ConfigSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join(".") ?? "";
  throw new ConfigError(path, `${at === "" ? "" : `${at}: `}${issue?.message ?? "unexpected shape"}`);
}
