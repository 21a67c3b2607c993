/**
 * The failures that cross the wire. Anything else that is thrown is a fault of
 * the serving device and is answered as InternalError with an incident number.
 */

/** JSON-RPC's own error codes, and this protocol's from 1000. */
export const RpcErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** The serving device has no such workspace, tab, watch or request, or hides it from this caller. */
  NotFound: 1001,
  /** The caller lacks the right, or the owner's policy says no. */
  Forbidden: 1002,
  /** Possible in principle, not now: nothing waits, the program is gone, a limit is reached. */
  Unavailable: 1003,
} as const;
export type RpcErrorCode = (typeof RpcErrorCode)[keyof typeof RpcErrorCode];

/** Longest error message, in UTF-16 units: the sentence, never a dump. */
export const MAX_ERROR_MESSAGE_CHARS = 1024;

/** An answer that is an error. `message` is one sentence without a final period and says what to do. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(
      message.slice(0, MAX_ERROR_MESSAGE_CHARS),
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.name = "RpcFailure";
    this.code = code;
    this.data = options.data;
  }
}

export const notFound = (what: string): RpcFailure =>
  new RpcFailure(RpcErrorCode.NotFound, `No such ${what} on this device`);

export const forbidden = (why: string): RpcFailure => new RpcFailure(RpcErrorCode.Forbidden, why);

export const unavailable = (why: string, cause?: unknown): RpcFailure =>
  new RpcFailure(RpcErrorCode.Unavailable, why, { cause });

export const invalidParams = (why: string): RpcFailure => new RpcFailure(RpcErrorCode.InvalidParams, why);

export const invalidRequest = (why: string): RpcFailure => new RpcFailure(RpcErrorCode.InvalidRequest, why);

export const methodNotFound = (method: string): RpcFailure =>
  new RpcFailure(RpcErrorCode.MethodNotFound, `No method ${JSON.stringify(method.slice(0, 100))}`);
