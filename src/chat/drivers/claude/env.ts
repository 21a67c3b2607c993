/**
 * The environment of Claude Code's program: the user's own, without what belongs
 * to the daemon, to npm, to an editor or to another agent's session.
 */

/** Dropped by their names' beginning. */
const DROPPED = [
  "NEXUS",
  "npm_",
  "VSCODE_",
  "ELECTRON_RUN_AS_NODE",
  "NODE_OPTIONS",
  "NODE_EXTRA",
  "INIT_CWD",
  "INVOCATION_ID",
  "NOTIFY_SOCKET",
  "LISTEN_",
  "JOURNAL_STREAM",
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_SESSION",
] as const;

/** What the driver stands on: state events, the todo tools, and a program that does not change under it. */
const OWN: Readonly<Record<string, string>> = {
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  DISABLE_AUTOUPDATER: "1",
};

/** Variables whose values nobody is shown. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|COOKIE|BEARER/i;

/** Short values are no secrets, and would hit ordinary words. */
const MIN_SECRET_CHARS = 8;

export interface EnvParts {
  /** The user's own environment; this process's without. */
  readonly base?: Readonly<Record<string, string | undefined>> | undefined;
  readonly configDir?: string | undefined;
  readonly profile?: Readonly<Record<string, string>> | undefined;
  readonly tab?: Readonly<Record<string, string>> | undefined;
}

export function claudeEnv(parts: EnvParts): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.base ?? process.env)) {
    if (value !== undefined && !DROPPED.some((start) => name.startsWith(start))) env[name] = value;
  }
  return {
    ...env,
    ...parts.profile,
    ...(parts.configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: parts.configDir }),
    ...parts.tab,
    ...OWN,
  };
}

/** The values that no answer, log or state file may hold. A path is no secret, whatever its variable is called. */
export function secretsOf(parts: EnvParts): string[] {
  const all = { ...(parts.base ?? process.env), ...parts.profile, ...parts.tab };
  return Object.entries(all).flatMap(([name, value]) =>
    SECRET_NAME.test(name) &&
    value !== undefined &&
    value.length >= MIN_SECRET_CHARS &&
    !value.startsWith("/")
      ? [value]
      : [],
  );
}
