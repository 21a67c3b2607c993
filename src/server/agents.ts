/**
 * The agents' side of the daemon: the gate with the owner's decisions, tied to
 * the chats and terminals on which its questions show.
 */
import type { Chats } from "../chat/chats.js";
import type { Caller } from "../methods/context.js";
import type { Clock } from "../policy/clock.js";
import { consentRequest } from "../policy/consent-card.js";
import { ConsentRules, type ConsentsFile } from "../policy/consent-rules.js";
import { type Consent, Consents } from "../policy/consents.js";
import { AgentGate, type GateWorld, targetGone } from "../policy/gate.js";
import { provenanceFrame } from "../policy/provenance.js";
import { forbidden } from "../protocol/errors.js";
import type { AgentSender } from "../protocol/rpc.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Tabs } from "../sessions/tabs.js";
import type { DispatchGate } from "./dispatch.js";
import type { Log } from "./log.js";
import type { Kept } from "./state.js";

/** What the handlers and callers need before there is a gate. */
export interface Policy {
  readonly rules: ConsentRules;
  readonly consents: Consents;
}

export function openPolicy(kept: Kept<ConsentsFile>, clock: Clock): Policy {
  const rules = new ConsentRules(kept, clock.now);
  return { rules, consents: new Consents(rules, clock) };
}

export interface AgentsOptions extends Policy {
  readonly world: GateWorld;
  readonly clock: Clock;
  readonly tabs: Tabs;
  readonly sessions: Sessions;
  readonly chats: Chats;
  readonly log: Log;
  /** What this daemon calls the other daemon with this device id. */
  peerName(deviceId: string): string | undefined;
}

export class Agents implements DispatchGate {
  readonly gate: AgentGate;
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.gate = new AgentGate(options);
    const { consents, tabs, chats } = options;
    consents.onChange((consent) => this.#show(consent));
    chats.onState((chat, { state }) => {
      // Also after a restart, which messages that an agent sent outlive.
      const from = chat.model.turn?.from;
      if (from !== undefined) this.gate.chains.note({ tabId: chat.tabId, kind: "chat" }, from.hops);
      this.gate.chains.resting(chat.tabId, state === "idle" || state === "error" || state === "closed");
    });
    tabs.onChange(({ type, tab }) => {
      if (type === "closed") this.#closed(tab.tabId);
    });
  }

  readonly admit: DispatchGate["admit"] = (call) => this.gate.admit(call);

  readonly run: DispatchGate["run"] = (call, allowed, act) => this.gate.run(call, allowed, act);

  frameOf(caller: Caller, from: AgentSender): (text: string) => string {
    const device = caller.kind === "agent" ? undefined : { id: caller.deviceId, name: caller.name };
    const peer = device === undefined ? undefined : this.#options.peerName(device.id);
    return (text) => provenanceFrame(text, { from, device, peer });
  }

  person(method: string, params: unknown): void {
    if (method !== "chat.send" && method !== "terminal.input" && method !== "chat.command") return;
    const { tabId } = params as { tabId: string };
    this.gate.chains.person({ tabId, kind: method === "terminal.input" ? "terminal" : "chat" });
  }

  /** A device was revoked: what it asks, what it was allowed and the images that it brought are gone. */
  async dropDevice(deviceId: string): Promise<void> {
    const { consents, rules, chats } = this.#options;
    chats.attachments.dropDevice(deviceId);
    consents.withdraw(
      (consent) => consent.deviceId === deviceId,
      forbidden("The owner revoked this device"),
      "its device was revoked",
    );
    consents.forgive(deviceId);
    await rules.drop({ deviceId });
  }

  #show({ tabId }: Consent): void {
    const { consents, sessions, chats } = this.#options;
    const waiting = consents.on(tabId);
    const [oldest] = waiting;
    sessions.consent(tabId, oldest && { kind: "permission", text: oldest.title, requestId: oldest.id });
    chats.find(tabId)?.showConsents(waiting.map(consentRequest));
  }

  #closed(tabId: string): void {
    const { consents, rules, log } = this.#options;
    consents.withdraw((consent) => consent.tabId === tabId, targetGone(), "its session was closed");
    this.gate.chains.drop(tabId);
    rules.drop({ target: tabId }).catch((error: unknown) => {
      log.warn({ tab: tabId, reason: (error as Error).message }, "could not forget a tab's consents");
    });
  }
}
