/**
 * The daemon's log: one JSON line an event, with fields from a fixed list.
 * Params, results, texts, keys and URLs have no field here, so they cannot
 * get in by mistake.
 */
import pino from "pino";

/** All that may stand in a log line beside its message. */
export interface LogFields {
  method?: string;
  code?: number;
  incident?: string;
  /** Type and place of an unexpected error, without its message's data. */
  stack?: string | undefined;
  device?: string;
  link?: string;
  workspace?: string;
  tab?: string;
  pid?: number;
  port?: number;
  count?: number;
  bytes?: number;
  ms?: number;
  reason?: string;
  version?: string;
}

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const FIELDS: readonly (keyof LogFields)[] = [
  "method",
  "code",
  "incident",
  "stack",
  "device",
  "link",
  "workspace",
  "tab",
  "pid",
  "port",
  "count",
  "bytes",
  "ms",
  "reason",
  "version",
];

/** Longest value of one field, in characters. */
const MAX_FIELD_CHARS = 2000;

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Writes to `path`, or to standard error without one. */
export function createLog(level: LogLevel, path?: string): Log {
  const destination = pino.destination(path === undefined ? { fd: 2 } : { dest: path, mode: 0o600 });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const at = (name: "debug" | "info" | "warn" | "error") => (fields: LogFields, message: string) => {
    logger[name](onlyKnown(fields), message);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function onlyKnown(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const value = fields[name];
    if (value === undefined) continue;
    kept[name] = typeof value === "string" ? value.slice(0, MAX_FIELD_CHARS) : value;
  }
  return kept;
}
