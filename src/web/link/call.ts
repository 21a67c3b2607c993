/** Calls of the page: a hook that reads once and again, and one that runs an action and says what went wrong. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { RpcMethod, RpcParams, RpcResult } from "../../protocol/rpc.js";
import { S } from "../strings.js";
import { toast } from "../ui/toast.js";
import { client, link } from "./connection.js";

export function call<M extends RpcMethod>(
  method: M,
  params: RpcParams<M>,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<RpcResult<M>> {
  const now = client.value;
  if (now === undefined) return Promise.reject(new Error(S.notConnected));
  return now.call(method, params, options);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface Read<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  again(): void;
}

/** Reads when the method or its params change, and when asked again; undefined params read nothing. */
export function useRead<M extends RpcMethod>(
  method: M,
  params: RpcParams<M> | undefined,
): Read<RpcResult<M>> {
  const [state, setState] = useState<{ data?: RpcResult<M>; error?: string; loading: boolean }>({
    loading: params !== undefined,
  });
  const [turn, setTurn] = useState(0);
  const key = params === undefined ? "" : JSON.stringify(params);
  const [shownKey, setShownKey] = useState(key);
  useEffect(() => {
    if (params === undefined) return;
    const abort = new AbortController();
    setState((before) => ({ ...(key === shownKey ? before : {}), loading: true }));
    call(method, params, { signal: abort.signal }).then(
      (data) => {
        if (abort.signal.aborted) return;
        setState({ data, loading: false });
        setShownKey(key);
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ error: messageOf(error), loading: false });
      },
    );
    return () => abort.abort();
  }, [method, key, turn, client.value]);
  return {
    data: key === shownKey ? state.data : undefined,
    error: state.error,
    loading: state.loading,
    again: () => setTurn((now) => now + 1),
  };
}

/** Runs one action at a time; what goes wrong is told in a toast. */
export function useAction(): { busy: boolean; run: (action: () => Promise<unknown>) => void } {
  const [busy, setBusy] = useState(false);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  const run = useCallback((action: () => Promise<unknown>) => {
    setBusy(true);
    action()
      .catch((error: unknown) => toast(messageOf(error), "error"))
      .finally(() => {
        if (alive.current) setBusy(false);
      });
  }, []);
  return { busy, run };
}

export function isLive(): boolean {
  return link.value.state === "ready";
}
