/** From the bytes of one message to a request: the steps before anyone asks what it means. */
import { nestsDeeperThan } from "../protocol/depth.js";
import { invalidParams, invalidRequest, type RpcFailure } from "../protocol/errors.js";
import { MAX_JSON_DEPTH, MAX_METHOD_CHARS, MAX_REQUEST_ID_BYTES } from "../protocol/limits.js";
import type { RpcId } from "../protocol/rpc.js";

/** The peer sent what cannot be answered because no id can be read from it; its link ends with 4400. */
export class BrokenPeerError extends Error {
  constructor(why: string) {
    super(why);
    this.name = "BrokenPeerError";
  }
}

export interface Request {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** A message with an id that is no proper request: the failure goes to that id. */
export class BadRequestError extends Error {
  readonly id: RpcId;
  readonly failure: RpcFailure;
  constructor(id: RpcId, failure: RpcFailure) {
    super(failure.message);
    this.name = "BadRequestError";
    this.id = id;
    this.failure = failure;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function readRequest(bytes: Uint8Array): Request {
  if (nestsDeeperThan(bytes, MAX_JSON_DEPTH)) throw new BrokenPeerError("nested too deep");
  const message = parseJson(bytes);
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new BrokenPeerError("no object");
  }
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (!isRpcId(id)) throw new BrokenPeerError("no readable id");
  const refuse = (why: string): never => {
    throw new BadRequestError(id, invalidRequest(why));
  };
  if (jsonrpc !== "2.0") refuse('A request says "jsonrpc": "2.0"');
  if (typeof method !== "string" || method.length > MAX_METHOD_CHARS) {
    return refuse(`A request names its method in at most ${MAX_METHOD_CHARS} characters`);
  }
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params))) {
    throw new BadRequestError(id, invalidParams("params is an object"));
  }
  return { id, method, params: params ?? {} };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new BrokenPeerError("no UTF-8 JSON");
  }
}

function isRpcId(id: unknown): id is RpcId {
  if (typeof id === "number") return Number.isSafeInteger(id);
  return typeof id === "string" && Buffer.byteLength(JSON.stringify(id)) <= MAX_REQUEST_ID_BYTES;
}
