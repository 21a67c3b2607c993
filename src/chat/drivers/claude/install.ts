/**
 * Brings the pinned SDK, and its program when the user has no `claude` of their
 * own, into the data folder: by npm, without install scripts, checked against the
 * package's published hash.
 */
import { spawn } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { claudeEnv } from "./env.js";
import { SDK_INTEGRITY, SDK_VERSION } from "./limits.js";
import { ownProgram } from "./program.js";
import { recordOf } from "./tools.js";

const SDK = "@anthropic-ai/claude-agent-sdk";

/** The end of what npm printed, for the failure's sentence. */
const NPM_TAIL_CHARS = 400;

export interface Installed {
  readonly version: string;
  /** The user's own program; absent when the SDK's was installed. */
  readonly own: string | undefined;
}

/** Replaces what was there only when all went well. `withProgram` brings the SDK's program in any case. */
export async function installClaude(dir: string, o: { withProgram?: boolean } = {}): Promise<Installed> {
  const env = claudeEnv({});
  const own = o.withProgram === true ? undefined : await ownProgram(env);
  const fresh = `${dir}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  try {
    await writeFile(
      path.join(fresh, "package.json"),
      JSON.stringify({ private: true, dependencies: { [SDK]: SDK_VERSION } }),
    );
    await npmInstall(fresh, env, own === undefined ? [] : ["--omit=optional"]);
    await checkIntegrity(fresh);
    await rm(dir, { recursive: true, force: true });
    await rename(fresh, dir);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return { version: SDK_VERSION, own };
}

/** The SDK holds what it needs: its peers, 60 MB of them, are for its types alone. */
async function npmInstall(cwd: string, env: Record<string, string>, more: readonly string[]): Promise<void> {
  const args = [
    "install",
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    ...more,
  ];
  const child = spawn("npm", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-NPM_TAIL_CHARS);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", () => reject(new Error("npm is not there; install Node's npm first")));
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm could not install ${SDK}@${SDK_VERSION}: ${said.trim()}`);
}

async function checkIntegrity(dir: string): Promise<void> {
  const lock = recordOf(JSON.parse(await readFile(path.join(dir, "package-lock.json"), "utf8")));
  const { integrity } = recordOf(recordOf(lock.packages)[`node_modules/${SDK}`]);
  if (integrity !== SDK_INTEGRITY) {
    throw new Error(
      `${SDK}@${SDK_VERSION} is not the package that this version was made for; nothing was installed`,
    );
  }
}
