/** One line of the audit log: its fields, its bounds, and how it holds on to the line before. */
import { createHash } from "node:crypto";
import { MAX_AUDIT_LINE_BYTES } from "./limits.js";

export type AuditEntry = {
  /** The device, or `local` for the workstation's own sockets. */
  readonly device: string;
  /** The method, or a word for what has none: pair, approve, deny. */
  readonly method: string;
  /** "ok", or the code of the error. */
  readonly outcome: "ok" | number;
  readonly workspaceId?: string;
  readonly tabId?: string;
  /** What else it was about: the id of a device, a request, a profile. */
  readonly target?: string;
  /** Size of what came: text, keys or an image. */
  readonly bytes?: number;
  /** The agent that asked: the tab that it runs in, by its device's ids, and how many messages led here. */
  readonly from?: { readonly kind: string; readonly workspaceId: string; readonly tabId: string };
  readonly hops?: number;
  readonly consent?: "asked" | "allowed" | "denied" | "expired" | "remembered";
  /** Rights that were given, for pairings and grants. */
  readonly capabilities?: readonly string[];
};

/** An entry as it stands in the log. */
export type AuditLine = AuditEntry & {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** SHA-256 of the line before, hex; of the empty text for the very first. */
  readonly prev: string;
};

export type AuditCheck =
  | { readonly ok: true; readonly lines: number }
  | { readonly ok: false; readonly file: string; readonly line: number; readonly why: string };

/** The fields of a line in their order; nothing else gets in. */
const FIELDS = [
  "device",
  "method",
  "outcome",
  "workspaceId",
  "tabId",
  "target",
  "bytes",
  "from",
  "hops",
  "consent",
  "capabilities",
] as const satisfies readonly (keyof AuditEntry)[];

/** Longest string of a field: ids reach 512 characters on the wire, and five of them are one line. */
const MAX_FIELD_CHARS = 512;

export const NO_LINE = sha256("");

/** What is wrong with a line after the one before it; the oldest line kept follows on one that is gone. */
export function faultOf(text: string, before: { seq: number; hash: string } | undefined): string | undefined {
  let line: Partial<AuditLine>;
  try {
    line = JSON.parse(text) as Partial<AuditLine>;
  } catch {
    return "this is no JSON";
  }
  if (typeof line.seq !== "number" || typeof line.prev !== "string") return "this is no line of an audit log";
  if (before === undefined) {
    return line.seq === 1 && line.prev !== NO_LINE ? "the first line follows on another" : undefined;
  }
  if (line.seq !== before.seq + 1) return `line ${before.seq + 1} of the log is missing`;
  return line.prev === before.hash ? undefined : "the line before was changed";
}

export function encodeLine(head: { seq: number; at: number; prev: string }, entry: AuditEntry): string {
  const fields: [string, unknown][] = [];
  for (const name of FIELDS) if (entry[name] !== undefined) fields.push([name, bounded(entry[name])]);
  const text = JSON.stringify({ ...head, ...Object.fromEntries(fields) });
  if (Buffer.byteLength(text) <= MAX_AUDIT_LINE_BYTES) return text;
  const { device, method, outcome } = entry;
  return JSON.stringify({ ...head, device: bounded(device), method: bounded(method), outcome });
}

function bounded(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_FIELD_CHARS);
  if (Array.isArray(value)) return value.map(bounded);
  if (typeof value !== "object" || value === null) return value;
  const { kind, workspaceId, tabId } = value as NonNullable<AuditEntry["from"]>;
  return { kind: bounded(kind), workspaceId: bounded(workspaceId), tabId: bounded(tabId) };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
