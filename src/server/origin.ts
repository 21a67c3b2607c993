/**
 * Which requests may reach the HTTP front at all, by their Host and Origin
 * headers: a page of another site, or a name that was pointed at this machine,
 * gets nowhere.
 */
import { isIP } from "node:net";
import { hostname } from "node:os";

export interface HostRules {
  /** Names beside IP literals, localhost and this machine's own name. */
  readonly names: ReadonlySet<string>;
  /** Origins beside the one that equals scheme and Host of the request. */
  readonly origins: ReadonlySet<string>;
}

export function hostRules(options: {
  publicUrl?: string;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}): HostRules {
  const own = hostname().toLowerCase();
  const names = new Set([
    "localhost",
    own,
    `${own}.local`,
    ...options.allowedHosts.map((h) => h.toLowerCase()),
  ]);
  const origins = new Set(options.allowedOrigins);
  if (options.publicUrl !== undefined) {
    const url = new URL(options.publicUrl);
    names.add(url.hostname.toLowerCase());
    origins.add(url.origin);
  }
  return { names, origins };
}

/** The host of an allowed Host header as it stands there, or undefined. */
export function allowedHost(rules: HostRules, headers: readonly string[] | undefined): string | undefined {
  const [host, ...others] = headers ?? [];
  if (host === undefined || others.length > 0) return undefined;
  const name = nameOf(host);
  if (name === undefined) return undefined;
  if (isIP(name) !== 0 || rules.names.has(name)) return host;
  return undefined;
}

/** No Origin (no browser), this request's own origin, or one that the owner allowed. */
export function allowedOrigin(
  rules: HostRules,
  request: { origin: string | undefined; host: string; secure: boolean },
): boolean {
  if (request.origin === undefined) return true;
  if (request.origin === `${request.secure ? "https" : "http"}://${request.host}`) return true;
  return rules.origins.has(request.origin);
}

/** `name`, `name:port`, `[v6]` or `[v6]:port`, exactly; the name without its port. */
function nameOf(host: string): string | undefined {
  const v6 = /^\[([0-9a-fA-F:.]+)\](?::\d{1,5})?$/.exec(host);
  if (v6?.[1] !== undefined) return isIP(v6[1]) === 6 ? v6[1].toLowerCase() : undefined;
  const plain = /^([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?$/.exec(host);
  return plain?.[1]?.toLowerCase();
}
