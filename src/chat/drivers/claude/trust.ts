/**
 * A folder's own settings, hooks and servers act only once the owner trusted the
 * folder and what these files say: a change asks again. Trust is either given to
 * this daemon, or the folder is trusted in the profile's own Claude config.
 */
import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { FolderTrust } from "../../driver.js";
import { oneLine } from "../../text.js";
import { MAX_SETTINGS_BYTES, MAX_WOULD_RUN } from "./limits.js";
import { recordOf } from "./tools.js";

/** What Claude Code reads from a folder. */
const FILES = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"] as const;

const TrustFileSchema = z.object({ version: z.literal(1), folders: z.record(z.string(), z.string()) });

const LINE_CHARS = 200;

export class Trust {
  readonly #file: string;

  /** `file`: where the owner's word is kept. */
  constructor(file: string) {
    this.#file = file;
  }

  /** A folder that brings nothing needs no trust. */
  async of(folder: string): Promise<FolderTrust> {
    const brought = await bringsOf(folder);
    if (brought.length === 0) return { trusted: true, wouldRun: [] };
    const wouldRun = brought.flatMap(linesOf).slice(0, MAX_WOULD_RUN);
    const given = (await this.#read())[folder];
    return { trusted: given === digestOf(brought), wouldRun };
  }

  /** The owner trusts the folder as it is now. */
  async grant(folder: string): Promise<void> {
    const folders = { ...(await this.#read()), [folder]: digestOf(await bringsOf(folder)) };
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const handle = await open(`${this.#file}.new`, "w", 0o600);
    try {
      await handle.writeFile(JSON.stringify({ version: 1, folders }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${this.#file}.new`, this.#file);
  }

  async #read(): Promise<Record<string, string>> {
    try {
      return TrustFileSchema.parse(JSON.parse(await readFile(this.#file, "utf8"))).folders;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw error;
    }
  }
}

interface Brought {
  readonly name: string;
  readonly text: string;
}

/** The files that are there; one that cannot be read whole counts by its size, so that it is never trusted silently. */
async function bringsOf(folder: string): Promise<Brought[]> {
  const all = await Promise.all(
    FILES.map(async (name) => {
      const file = path.join(folder, name);
      const found = await stat(file).catch(() => undefined);
      if (found === undefined) return undefined;
      const readable = found.isFile() && found.size <= MAX_SETTINGS_BYTES;
      return {
        name,
        text: readable ? await readFile(file, "utf8") : `unreadable ${found.size} ${found.mtimeMs}`,
      };
    }),
  );
  return all.filter((file) => file !== undefined);
}

const digestOf = (brought: readonly Brought[]): string =>
  createHash("sha256").update(JSON.stringify(brought)).digest("hex");

/** One line for each thing that would act. */
function linesOf({ name, text }: Brought): string[] {
  let settings: Record<string, unknown>;
  try {
    settings = recordOf(JSON.parse(text));
  } catch {
    return [`${name}: could not be read`];
  }
  const lines = [
    ...hookLines(recordOf(settings.hooks)),
    ...["apiKeyHelper", "statusLine", "awsAuthRefresh", "otelHeadersHelper"].flatMap((key) =>
      settings[key] === undefined ? [] : [`${key}: ${commandOf(settings[key])}`],
    ),
    ...Object.keys(recordOf(settings.env)).map((variable) => `sets ${variable} for its commands`),
    ...Object.entries(recordOf(settings.mcpServers)).map(
      ([server, value]) => `server ${server}: ${commandOf(value)}`,
    ),
    ...(settings.permissions === undefined ? [] : ["changes what may be done unasked"]),
  ];
  return (lines.length === 0 ? ["other settings"] : lines).map((line) =>
    oneLine(`${name}: ${line}`, LINE_CHARS),
  );
}

function hookLines(hooks: Record<string, unknown>): string[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) => {
      const { hooks: inner } = recordOf(group);
      return (Array.isArray(inner) ? inner : []).map((hook) => `hook ${event}: ${commandOf(hook)}`);
    }),
  );
}

function commandOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { command, args, url } = recordOf(value);
  const words = [command ?? url, ...(Array.isArray(args) ? args : [])];
  return words.map(String).join(" ");
}
