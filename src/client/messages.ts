/** What a message of the serving side is: an answer to a request, or a notification. */
import { RpcFailure } from "../protocol/errors.js";
import { RpcErrorSchema } from "../protocol/rpc.js";

export type Incoming =
  | { readonly kind: "answer"; readonly id: string; readonly result: unknown }
  | { readonly kind: "failure"; readonly id: string; readonly failure: RpcFailure }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown };

/** Undefined for what is none of them: the other side is broken. */
export function readMessage(text: string): Incoming | undefined {
  const message = parseObject(text);
  if (message === undefined || message.jsonrpc !== "2.0") return undefined;
  const { id, method } = message;
  if (id === undefined) {
    return typeof method === "string" ? { kind: "notification", method, params: message.params } : undefined;
  }
  if (typeof id !== "string") return undefined; // ours are all texts
  if ("result" in message) return { kind: "answer", id, result: message.result };
  const error = RpcErrorSchema.safeParse(message.error);
  if (!error.success) return undefined;
  const { code, message: sentence, data } = error.data;
  return { kind: "failure", id, failure: new RpcFailure(code, sentence, { data }) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // the caller ends the link
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
