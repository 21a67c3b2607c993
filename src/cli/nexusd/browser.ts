/**
 * Hands a link with a secret to the browser: by a file that only this user
 * reads and that leads on to it, since arguments of programs show to everyone.
 */
import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readEnv } from "../env.js";
import { CommandFailure, ExitCode } from "../exit.js";
import { REDIRECT_FILE_MS } from "../limits.js";

/** Resolves once the browser was started; what comes back removes the file, which a timer does too. */
export async function openInBrowser(link: string): Promise<() => Promise<void>> {
  const path = join(readEnv().paths.runtimeDir, `open-${process.pid}.html`);
  await rm(path, { force: true });
  await writeFile(path, redirectPage(link), { mode: 0o600, flag: "wx" });
  const remove = async (): Promise<void> => {
    clearTimeout(timer);
    await rm(path, { force: true });
  };
  const timer = setTimeout(() => void remove(), REDIRECT_FILE_MS).unref();
  try {
    await start(opener(), pathToFileURL(path).href);
  } catch (cause) {
    await remove();
    throw new CommandFailure(
      ExitCode.failed,
      "No browser could be started; pair another way with nexusd pair",
      { cause },
    );
  }
  return remove;
}

/** A page that leads to `link` and leaves no trace of itself in the history. */
export function redirectPage(link: string): string {
  const target = JSON.stringify(link).replaceAll("<", "\\u003c");
  return [
    "<!doctype html>",
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    "<title>nexusd</title>",
    `<script>location.replace(${target});</script>`,
    "",
  ].join("\n");
}

/** The user's own choice, else what the system opens files with. */
function opener(): string {
  return readEnv().browser ?? (process.platform === "darwin" ? "open" : "xdg-open");
}

function start(program: string, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [url], { detached: true, stdio: "ignore" });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
