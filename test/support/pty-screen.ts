/** A real program on a real pty whose output is on a screen, without a host. */
import { createRequire } from "node:module";
import path from "node:path";
import { loadBinding } from "../../src/terminal/host/binding.js";
import { Pty } from "../../src/terminal/host/pty.js";
import type { Screen } from "../../src/terminal/screen.js";
import { quietScreen } from "./quiet-screen.js";

const nodePty = path.dirname(createRequire(import.meta.url).resolve("node-pty/package.json"));
const binding = loadBinding(path.join(nodePty, "build/Release/pty.node"));

export interface Running {
  readonly screen: Screen;
  readonly ended: Promise<void>;
  type(text: string): void;
}

/** Starts a program; its screen answers it, as a terminal does. */
export async function onScreen(
  launch: { file: string; args: readonly string[] },
  place: { cwd: string; cols: number; rows: number },
): Promise<Running> {
  let pty: Pty | undefined;
  const screen = quietScreen({
    cols: place.cols,
    rows: place.rows,
    reply: (data) => void pty?.write(Buffer.from(data)),
  });
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  pty = await Pty.start(
    binding,
    {
      launch,
      cwd: place.cwd,
      env: { PATH: "/usr/bin:/bin", TERM: "xterm-256color", LANG: "C.UTF-8", HOME: place.cwd },
      cols: place.cols,
      rows: place.rows,
    },
    { data: (chunk) => screen.write(chunk), exit: () => end() },
  );
  return { screen, ended, type: (text) => void pty?.write(Buffer.from(text)) };
}
