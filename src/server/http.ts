/**
 * The HTTP front: the page at "/" from a map made at start, and the upgrade at
 * "/rpc". Everything else, and every request that the Host and Origin rules do
 * not let through, gets the same few constant words.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { SUBPROTOCOL } from "../protocol/link.js";
import { HTTP_CHECK_MS, HTTP_HEADERS_MS, HTTP_REQUEST_MS, MAX_HTTP_CONNECTIONS } from "./limits.js";
import { allowedHost, allowedOrigin, type HostRules } from "./origin.js";

/** What is served at a path, whole. */
export interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  /** "br" or "gzip" when `body` is compressed; `plain` goes to those who do not take it. */
  readonly encoding?: string;
  readonly plain?: Buffer;
}

export interface HttpOptions {
  readonly rules: HostRules;
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly tls?: { certFile: string; keyFile: string };
  /** A request for the sealed link that passed every check. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, secure: boolean): void;
}

/** No script but the page's own, no connection but to where it came from, no frame around it. */
function contentSecurityPolicy(host: string, secure: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self' ${secure ? "wss" : "ws"}://${host}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

const REASONS: Record<number, string> = { 400: "Bad Request", 403: "Forbidden", 404: "Not Found" };

export function createHttpServer(options: HttpOptions): Server {
  const limits = {
    headersTimeout: HTTP_HEADERS_MS,
    requestTimeout: HTTP_REQUEST_MS,
    connectionsCheckingInterval: HTTP_CHECK_MS,
  };
  const secure = options.tls !== undefined;
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    serve(options, secure, request, response);
  const server = options.tls
    ? createTlsServer({ ...limits, ...readTls(options.tls) }, answer)
    : createServer(limits, answer);
  server.maxConnections = MAX_HTTP_CONNECTIONS;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const refusal = refuseUpgrade(options.rules, secure, request);
    if (refusal === undefined) return options.upgrade(request, socket, head, secure);
    socket.end(
      `HTTP/1.1 ${refusal} ${REASONS[refusal]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      () => socket.destroy(),
    );
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  return server;
}

function readTls(tls: { certFile: string; keyFile: string }): { cert: Buffer; key: Buffer } {
  const read = (path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new Error(`Could not read ${path}: ${(error as Error).message}`, { cause: error });
    }
  };
  return { cert: read(tls.certFile), key: read(tls.keyFile) };
}

/** A status to refuse an upgrade with, or undefined to go on. */
function refuseUpgrade(rules: HostRules, secure: boolean, request: IncomingMessage): number | undefined {
  const host = allowedHost(rules, request.headersDistinct.host);
  if (host === undefined) return 403;
  const origins = request.headersDistinct.origin ?? [];
  if (origins.length > 1 || !allowedOrigin(rules, { origin: origins[0], host, secure })) return 403;
  if (request.url !== "/rpc" || request.method !== "GET") return 404;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.includes(SUBPROTOCOL) ? undefined : 400;
}

function serve(
  options: HttpOptions,
  secure: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const host = allowedHost(options.rules, request.headersDistinct.host);
  if (host === undefined) return end(response, 403);
  const [path = ""] = (request.url ?? "").split("?", 1);
  const file = request.method === "GET" || request.method === "HEAD" ? options.files.get(path) : undefined;
  if (file === undefined) return end(response, 404);
  const encoded =
    file.encoding !== undefined && (request.headers["accept-encoding"] ?? "").includes(file.encoding);
  const body = encoded ? file.body : (file.plain ?? file.body);
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": body.length,
    ...(encoded ? { "content-encoding": file.encoding } : {}),
    vary: "accept-encoding",
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy(host, secure),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    // Browsers heed it on https only, and complain of it elsewhere.
    ...(secure ? { "cross-origin-opener-policy": "same-origin" } : {}),
    "cross-origin-resource-policy": "same-origin",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function end(response: ServerResponse, status: 403 | 404): void {
  response.writeHead(status, { "content-type": "text/plain", "content-length": 0, connection: "close" });
  response.end();
}
