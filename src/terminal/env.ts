/**
 * The environment of a terminal's programs: the user's own, without what
 * belongs to nexusd, to the npm that started it, or to the terminal or service
 * manager around it. The only reader of process.env among the terminals.
 */
import path from "node:path";

/** What tells a program about a surrounding that it is not in. */
const DROPPED = new Set([
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_UNIQUE_ID",
  "NODE_V8_COVERAGE",
  "INIT_CWD",
  "LD_PRELOAD",
  "DYLD_INSERT_LIBRARIES",
  "ELECTRON_RUN_AS_NODE",
  "INVOCATION_ID",
  "NOTIFY_SOCKET",
  "JOURNAL_STREAM",
  "MAINPID",
  "MANAGERPID",
  "MANAGERPIDFDID",
  "SYSTEMD_EXEC_PID",
  "MEMORY_PRESSURE_WATCH",
  "MEMORY_PRESSURE_WRITE",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "CREDENTIALS_DIRECTORY",
  "RUNTIME_DIRECTORY",
  "STATE_DIRECTORY",
  "LINES",
  "COLUMNS",
  "TERMCAP",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOW",
  "WINDOWID",
  "WT_SESSION",
  "WT_PROFILE_ID",
  "VTE_VERSION",
  "COLORFGBG",
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "OLDPWD",
  "_",
]);
const DROPPED_PREFIXES = [
  "NEXUS",
  "NODE_EXTRA",
  "npm_",
  "VSCODE_",
  "LISTEN_",
  "TERM_",
  "LC_TERMINAL",
  "ITERM_",
  "KITTY_",
  "GHOSTTY_",
  "WEZTERM_",
  "ALACRITTY_",
  "KONSOLE_",
  "ZELLIJ",
  "VITEST",
];

/** npm puts these before the user's own folders on PATH; a relative one is the user's. */
const NPM_PATH_ENTRY = /^\/(.*\/)?(node_modules\/\.bin|node-gyp-bin)\/?$/;
const PATH_WITHOUT_ANY = "/usr/local/bin:/usr/bin:/bin";

/** Tab variables to set, and a folder that goes first on PATH. */
export interface TerminalEnvOptions {
  readonly [name: `NEXUS_${string}`]: string;
  readonly binFolder?: string;
}

/** The whole environment of a terminal's programs, built anew at each call. */
export function terminalEnv(options: TerminalEnvOptions): Record<string, string> {
  const { binFolder, ...added } = options;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !isDropped(name) && !value.includes("\0")) env[name] = value;
  }
  env.PATH = searchPath(env.PATH, binFolder);
  env.TERM = "xterm-256color";
  env.COLORTERM = "truecolor";
  env.TERM_PROGRAM = "nexusd";
  if (!isUtf8(env)) env.LC_CTYPE = process.platform === "darwin" ? "UTF-8" : "C.UTF-8";
  return { ...env, ...added };
}

/** The shell that the user's session names, as SHELL has it. */
export function loginShell(): string | undefined {
  return process.env.SHELL;
}

/** What a terminal host itself runs with: enough to find programs and folders, no secret of nexusd. */
export function hostEnv(): Record<string, string> {
  const kept = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "XDG_RUNTIME_DIR"];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function isDropped(name: string): boolean {
  return DROPPED.has(name) || DROPPED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function searchPath(inherited: string | undefined, first: string | undefined): string {
  const entries = (inherited ?? PATH_WITHOUT_ANY)
    .split(path.delimiter)
    .filter((entry) => !NPM_PATH_ENTRY.test(entry) && entry !== first);
  return [...(first === undefined ? [] : [first]), ...entries].join(path.delimiter);
}

function isUtf8(env: Record<string, string>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return /utf-?8/i.test(locale);
}
