/** The methods whose domain is still to come: each says so in one honest sentence. */
import { unavailable } from "../protocol/errors.js";
import { RPC_METHODS, type RpcMethod } from "../protocol/rpc.js";
import type { HandlersOf } from "./context.js";

/** Handlers for a whole namespace that answer Unavailable. */
export function unbuilt<N extends string>(namespace: N, what: string): HandlersOf<N> {
  const methods = (Object.keys(RPC_METHODS) as RpcMethod[]).filter((m) => m.startsWith(`${namespace}.`));
  const refuse = (): never => {
    throw unavailable(`This daemon cannot serve ${what} yet`);
  };
  // The cast: the keys are exactly the namespace's methods, which the type cannot see.
  return Object.fromEntries(methods.map((method) => [method, refuse])) as unknown as HandlersOf<N>;
}
