/** Starts a daemon in the background, with its log in a file of the state folder. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode, timedOut } from "../exit.js";
import { DAEMON_CHANGE_MS } from "../limits.js";
import { type ServeOptions, serveArguments } from "./serve-options.js";

const FirstLineSchema = z.object({ url: z.string(), port: z.number(), pid: z.number() });
export type Launched = z.infer<typeof FirstLineSchema>;

export interface LaunchOptions {
  /** The folder of the first start; without one this user's data folder of nexusd, which is a workspace anyway. */
  readonly folder: string | undefined;
  readonly options: ServeOptions;
}

/** Resolves with what the daemon says first; fails with the place of its log when it says nothing. */
export async function launchDetached(launch: LaunchOptions): Promise<Launched> {
  const { paths } = readEnv();
  const program = fileURLToPath(new URL("../nexusd.js", import.meta.url));
  const folder = launch.folder ?? join(paths.dataDir, "manager");
  const logFile = join(paths.stateDir, "nexusd.log");
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(
    process.execPath,
    [program, ...withJson(serveArguments({ folder, options: launch.options }))],
    {
      detached: true,
      cwd: folder,
      stdio: ["ignore", "pipe", log],
    },
  );
  closeSync(log);
  try {
    return await firstLine(child, logFile);
  } finally {
    child.stdout?.destroy();
    child.unref();
  }
}

/** --json goes before the `--` that ends the options. */
function withJson([verb = "serve", ...rest]: string[]): string[] {
  return [verb, "--json", ...rest];
}

function firstLine(
  child: { stdout: Readable | null; once(event: "exit", listener: (code: number | null) => void): unknown },
  logFile: string,
): Promise<Launched> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(
      () => fail(timedOut(`The daemon did not say that it is up; its log is ${logFile}`)),
      DAEMON_CHANGE_MS,
    );
    child.once("exit", (code) => {
      const why = `The daemon ended with code ${code ?? "none"} as it started; its log is ${logFile}`;
      fail(new CommandFailure(ExitCode.failed, why));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(timer);
      try {
        resolve(FirstLineSchema.parse(JSON.parse(line)));
      } catch (cause) {
        reject(new CommandFailure(ExitCode.failed, "The daemon answered in another shape", { cause }));
      }
    });
  });
}
