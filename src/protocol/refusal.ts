/** Why a request of an agent was turned away: a word for programs in the failure's data, beside its sentence. */
import { RpcFailure } from "./errors.js";

export type Refusal =
  | "hops"
  | "rate"
  | "stopped"
  | "denied"
  | "expired"
  | "muted"
  | "busy"
  | "withdrawn"
  | "offline"
  | "lost";

export function refused(code: number, why: Refusal, message: string): RpcFailure {
  return new RpcFailure(code, message, { data: { why } });
}

/** The word in a failure that {@link refused} made, here or on another daemon. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof RpcFailure) || typeof error.data !== "object" || error.data === null) {
    return undefined;
  }
  const { why } = error.data as { why?: unknown };
  return typeof why === "string" ? why : undefined;
}
