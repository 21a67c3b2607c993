/** Why a request has no answer from the other side. What the other side answered with is an RpcFailure. */

export type ClientErrorKind =
  /** The client was closed, or the device was revoked. */
  | "closed"
  /** No answer in time; the request may still be carried out. */
  | "timeout"
  /** The link was lost, and sending again might act twice. */
  | "uncertain"
  /** The link was lost, and the request belonged to it. */
  | "link-lost"
  /** The request is larger than a message may be, or too many wait. */
  | "too-much"
  /** The answer is not in the shape that this version knows. */
  | "bad-answer";

export class ClientError extends Error {
  readonly kind: ClientErrorKind;

  constructor(kind: ClientErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ClientError";
    this.kind = kind;
  }
}
