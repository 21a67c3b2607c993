/** Who speaks on the agents' socket: a tab to this daemon, or through it to another one. */
import type { Caller } from "../methods/context.js";
import type { AuditEntry } from "../policy/audit.js";
import { notFound } from "../protocol/errors.js";
import { agentCaller, type CallerDeps } from "./callers.js";
import type { DispatchGate } from "./dispatch.js";
import type { Receiver } from "./local.js";
import type { Log } from "./log.js";
import { PeerRelay } from "./peer-relay.js";
import type { Peers } from "./peers.js";
import { BadRequestError, readRequest } from "./request.js";
import type { TabTokens } from "./tab-token.js";
import { encodeError } from "./wording.js";

export interface AgentIdentityDeps {
  readonly tokens: TabTokens;
  readonly callers: CallerDeps;
  readonly peers: Peers;
  readonly gate: Pick<DispatchGate, "admit">;
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly log: Log;
}

/**
 * The first line is `{"token": "…"}`, with `"device": "…"` when what follows is
 * for another daemon. A token of no open tab ends the connection.
 */
export function agentIdentity(deps: AgentIdentityDeps): (line: Uint8Array) => Caller | Receiver | undefined {
  const { tokens, callers } = deps;
  return (line) => {
    const { token, device } = readLine(line);
    const tabId = typeof token === "string" ? tokens.tabOf(token) : undefined;
    const tab = tabId === undefined ? undefined : callers.tabs.get(tabId);
    if (tab === undefined) return undefined;
    const caller = agentCaller(tab, callers);
    return device === undefined ? caller : relayTo(deps, caller, String(device));
  };
}

function relayTo({ peers, gate, audit, log }: AgentIdentityDeps, caller: Caller, device: string): Receiver {
  const peer = peers.find(device);
  if (peer === undefined) return answerAll(notFound(`peer as ${JSON.stringify(device.slice(0, 64))}`));
  const auditFailed = (error: unknown): void => {
    log.error({ reason: (error as Error).message }, "could not write the audit log");
  };
  return (carrier) => {
    const relay = new PeerRelay(
      { peer, connect: peers.connect(peer), caller, gate, audit, auditFailed },
      carrier,
    );
    const stop = peers.onRemoved((id) => {
      if (id === peer.id) relay.close();
    });
    return {
      line: (bytes) => relay.line(bytes),
      close: () => {
        stop();
        relay.close();
      },
    };
  };
}

/** Every request fails in the same way. */
function answerAll(failure: Parameters<typeof encodeError>[1]): Receiver {
  return (carrier) => ({
    line: (bytes) => {
      try {
        carrier.send(encodeError(readRequest(bytes).id, failure));
      } catch (error) {
        if (error instanceof BadRequestError) carrier.send(encodeError(error.id, error.failure));
        else carrier.close(0, "protocol");
      }
    },
    close: () => undefined,
  });
}

function readLine(line: Uint8Array): { token?: unknown; device?: unknown } {
  try {
    return (
      (JSON.parse(Buffer.from(line).toString("utf8")) as { token?: unknown; device?: unknown } | null) ?? {}
    );
  } catch {
    return {}; // no JSON: no token
  }
}
