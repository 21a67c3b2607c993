/** Takes secret values out of what a program tells, before anything is shown or written down. */
import type { DriverEvent } from "./driver.js";

/** Shorter values would hit ordinary words. */
const MIN_SECRET_CHARS = 8;

/** Nesting that is walked; a message has no more than MAX_JSON_DEPTH anyway. */
const MAX_DEPTH = 64;

export type Scrub = (event: DriverEvent) => DriverEvent;

export function scrubber(secrets: readonly string[]): Scrub {
  const values = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS))].sort(
    (a, b) => b.length - a.length,
  );
  if (values.length === 0) return (event) => event;
  return (event) => walk(event, values, 0) as DriverEvent;
}

function walk(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === "string") return scrubText(value, secrets);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || Buffer.isBuffer(value))
    return value;
  if (Array.isArray(value)) return value.map((entry) => walk(entry, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, walk(entry, secrets, depth + 1)]),
  );
}

export function scrubText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, "[secret]");
  return clean;
}
