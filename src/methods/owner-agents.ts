/** owner.consents, owner.consent.* and owner.agents*: what agents of other devices ask, and the one stop. */

import { LOCAL_DEVICE } from "../policy/consent-rules.js";
import type { Consent } from "../policy/consents.js";
import type { Devices } from "../policy/devices.js";
import type { AgentGate } from "../policy/gate.js";
import { CONSENT_SHOWN_BYTES } from "../policy/limits.js";
import { cutToJson } from "../protocol/cut.js";
import { notFound } from "../protocol/errors.js";
import type { OwnedAgents, OwnedConsent } from "../protocol/owner.js";
import { printable } from "../protocol/printable.js";
import { MAX_WAIT_MS } from "../protocol/rpc.js";
import { answererOf } from "./consents.js";
import type { OwnerHandlers, RequestContext } from "./context.js";

type AgentsMethod = Extract<
  keyof OwnerHandlers,
  "owner.consents" | `owner.consent.${string}` | "owner.agents" | `owner.agents.${string}`
>;

export interface OwnerAgentsDeps {
  readonly gate: AgentGate;
  readonly devices: Devices;
}

export function createOwnerAgentsMethods({
  gate,
  devices,
}: OwnerAgentsDeps): Pick<OwnerHandlers, AgentsMethod> {
  const { consents, rules } = gate;
  const changes = new Changes();
  consents.onChange(() => changes.made());

  return {
    "owner.consents": async (ctx, { known }) => {
      if (known === changes.version) await changes.next(ctx.signal);
      return {
        version: changes.version,
        waiting: consents.list().map((consent) => shown(consent, { whole: false })),
        rules: [...rules.list()],
      };
    },
    "owner.consent.read": (ctx, { id }) =>
      fitted(shown(consents.open(id, answererOf(ctx)), { whole: true }), ctx),
    "owner.consent.answer": async (ctx, { id, decision, remember, mute }) => {
      const answer = {
        decision,
        ...(remember === undefined ? {} : { remember }),
        ...(mute === undefined ? {} : { mute }),
      };
      await consents.answer(id, answer, answererOf(ctx));
      return {};
    },
    "owner.consent.set": async (ctx, { device, target, class: kind, decision }) => {
      const deviceId = device === LOCAL_DEVICE ? LOCAL_DEVICE : devices.find(device)?.id;
      if (deviceId === undefined) throw notFound("device");
      const rule = await rules.set(
        { deviceId, target: target ?? null, class: kind },
        decision,
        ctx.caller.name,
      );
      changes.made();
      return rule;
    },
    "owner.consent.forget": async (_ctx, { id }) => {
      await rules.forget(id);
      changes.made();
      return {};
    },
    "owner.agents": () => agentsOf(gate),
    "owner.agents.stop": async (ctx) => {
      await gate.stop(ctx.caller.name);
      return agentsOf(gate);
    },
    "owner.agents.resume": async () => {
      await gate.resume();
      return agentsOf(gate);
    },
  };
}

function agentsOf({ rules, traffic, consents }: AgentGate): OwnedAgents {
  const { stopped } = rules;
  return {
    routes: traffic.routes(),
    refusals: [...traffic.refusals()],
    muted: consents.muted(),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

function shown(consent: Consent, { whole }: { whole: boolean }): OwnedConsent {
  const { id, deviceId, deviceName, from, method, workspaceId, tabId, title, text, long, at, expiresAt } =
    consent;
  return {
    id,
    deviceId,
    deviceName,
    agent: printable(from.name ?? from.agent ?? from.kind),
    hops: from.hops,
    method,
    class: consent.class,
    workspaceId,
    tabId,
    title,
    text: whole ? text : text.slice(0, CONSENT_SHOWN_BYTES),
    bytes: Buffer.byteLength(text),
    long,
    at,
    expiresAt,
  };
}

/** A text that came in one frame may not fit one with all its escapes: then its start does. */
function fitted(consent: OwnedConsent, ctx: RequestContext): OwnedConsent {
  const rest = Buffer.byteLength(JSON.stringify({ ...consent, text: "" }));
  return { ...consent, text: cutToJson(consent.text, ctx.resultBudgetBytes - rest).text };
}

/** Counts changes, and tells who waits for the next one. */
class Changes {
  version = 0;
  readonly #waiting = new Set<() => void>();

  made(): void {
    this.version++;
    for (const wake of [...this.#waiting]) wake();
  }

  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, MAX_WAIT_MS);
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }
}
