/** From params as they came to params of a method, and from what a handler gave to the text of an answer. */
import type { z } from "zod";
import { RpcErrorCode, RpcFailure, unavailable } from "../protocol/errors.js";
import { MAX_MESSAGE_BYTES } from "../protocol/limits.js";
import type { RpcId } from "../protocol/rpc.js";

/** The first few issues by path and kind; never a value, which may be a secret or a megabyte. */
const MAX_ISSUES = 5;

export function parseParams(schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issue.path.map((part) => String(part).slice(0, 40)).join("."),
    code: issue.code,
  }));
  const named = issues.map((issue) => `${issue.path || "params"} (${issue.code})`).join(", ");
  throw new RpcFailure(RpcErrorCode.InvalidParams, `These params do not fit the method: ${named}`, {
    data: { issues },
  });
}

/** Bytes of an answer around its result. */
export function envelopeBytes(id: RpcId): number {
  return Buffer.byteLength(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":}`);
}

export function encodeResult(
  id: RpcId,
  result: unknown,
  fit: (result: unknown, budget: number) => unknown,
): string {
  const budget = MAX_MESSAGE_BYTES - envelopeBytes(id);
  let json = JSON.stringify(result);
  if (Buffer.byteLength(json) > budget) json = JSON.stringify(fit(result, budget));
  if (Buffer.byteLength(json) > budget) throw unavailable("The answer is larger than a frame takes");
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
}

export function encodeError(id: RpcId, failure: RpcFailure): string {
  const { code, message, data } = failure;
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  });
}

/** An error's type and frames without its message, which may quote what it was about. */
export function stackOf(error: Error): string {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join("\n");
}
