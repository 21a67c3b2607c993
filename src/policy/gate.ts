/**
 * The way of a request that an agent sends, after its shape and its right were
 * checked: hops, rate, target, consent, all checked again, and then it acts.
 */
import { forbidden, notFound, RpcErrorCode } from "../protocol/errors.js";
import { refusalOf, refused } from "../protocol/refusal.js";
import type { AgentSender } from "../protocol/rpc.js";
import {
  AGENT_METHODS,
  type AgentClass,
  AgentLimits,
  type AgentMethod,
  checkHops,
  refuseAnswer,
} from "./agents.js";
import type { AuditEntry } from "./audit-line.js";
import { Chains } from "./chains.js";
import type { Clock } from "./clock.js";
import { type ConsentRules, LOCAL_DEVICE } from "./consent-rules.js";
import type { Consents } from "./consents.js";
import { visibleName } from "./names.js";
import { AgentTraffic } from "./traffic.js";

/** Who sends, as far as the gate asks. */
export interface GateCaller {
  readonly kind: "device" | "owner" | "agent";
  readonly deviceId: string;
  readonly name: string;
  can(capability: "agents"): boolean;
}

export interface GateCall {
  readonly caller: GateCaller;
  readonly method: AgentMethod;
  /** As the method's schema parsed them; kept as they are until it acts. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly from: AgentSender;
  readonly signal: AbortSignal;
  /** The id that a tab to be opened takes. */
  readonly newTabId: string;
  /** What the audit log tells of the consent. */
  readonly trace: { consent?: NonNullable<AuditEntry["consent"]> };
}

/** What a request is about, as it was found before anyone was asked. */
export interface Subject {
  readonly workspaceId: string;
  /** The tab that it is about; undefined for one that is to be opened. */
  readonly tabId: string | undefined;
  readonly kind: "chat" | "terminal";
  /** What the owner calls it. */
  readonly title: string;
  /** What would be done, in words that follow "asks to". */
  readonly wants: string;
  /** The exact content. */
  readonly text: string;
  /** Asked although such requests are allowed: it goes further than they do. */
  readonly beyond: boolean;
}

/** What the gate needs of the sessions. */
export interface GateWorld {
  /** Finds what a request is about; throws what the sender is told. */
  subject(method: AgentMethod, params: GateCall["params"]): Promise<Subject>;
  /** The same once more, after the owner said yes: throws when it may not go on. */
  recheck(method: AgentMethod, params: GateCall["params"], asked: Subject): Promise<void>;
  /** A tab for what is to be opened, so that the question has a place. */
  openAhead(call: GateCall): Promise<void>;
  /** Takes it away again; one that is gone is fine. */
  closeAhead(tabId: string): Promise<void>;
}

export interface GateOptions {
  readonly rules: ConsentRules;
  readonly consents: Consents;
  readonly world: GateWorld;
  readonly clock: Clock;
}

export class AgentGate {
  readonly chains: Chains;
  readonly traffic: AgentTraffic;
  readonly rules: ConsentRules;
  readonly consents: Consents;
  readonly #limits: AgentLimits;
  readonly #world: GateWorld;

  constructor(options: GateOptions) {
    this.rules = options.rules;
    this.consents = options.consents;
    this.#world = options.world;
    this.#limits = new AgentLimits(options.clock.monotonic);
    this.chains = new Chains(options.clock.monotonic);
    this.traffic = new AgentTraffic(options.clock.now);
  }

  /** Stop switch, hops and rates. `target` is the tab or workspace that the request names. */
  admit(call: Pick<GateCall, "caller" | "from" | "method"> & { readonly target: string }): void {
    this.#watched(call, call.target, () => {
      this.#refuseStopped();
      this.#limits.admit({ deviceId: ruleDevice(call.caller), from: call.from, target: call.target });
    });
  }

  /** Target, consent, all checked again, then `act`, once. `allowed` is called when nothing stands between. */
  async run<T>(call: GateCall, allowed: () => void, act: () => Promise<T>): Promise<T> {
    const kind = AGENT_METHODS[call.method];
    const subject = await this.#world.subject(call.method, call.params);
    const target = subject.tabId ?? subject.workspaceId;
    const ahead = subject.tabId === undefined ? call.newTabId : undefined;
    try {
      await this.#consented({ call, kind, subject, target, ahead });
      this.#recheck(call, kind, target);
      await this.#world.recheck(call.method, call.params, subject);
      call.signal.throwIfAborted();
    } catch (error) {
      this.#refusedOf(call, target, error);
      if (ahead !== undefined) await this.#takeAway(ahead);
      throw error;
    }
    allowed();
    // Before it acts: what it starts may send at once.
    this.chains.note({ tabId: subject.tabId ?? call.newTabId, kind: subject.kind }, call.from.hops);
    this.traffic.passed(call.caller.name, call.from, subject.title);
    try {
      const result = await act();
      if (ahead !== undefined) await this.rules.removeAhead(ahead);
      return result;
    } catch (error) {
      if (ahead !== undefined) await this.#takeAway(ahead);
      throw error;
    }
  }

  /** Ends all traffic between agents until {@link resume}. */
  async stop(by: string): Promise<void> {
    await this.rules.stop(by);
    this.consents.withdraw(() => true, stoppedFailure(), `${by} stopped all agents`);
  }

  async resume(): Promise<void> {
    await this.rules.resume();
  }

  /** Takes away what was made ahead of answers that never came: for the start. */
  async clearAhead(): Promise<void> {
    for (const tabId of this.rules.ahead) await this.#takeAway(tabId);
  }

  async #consented(o: {
    call: GateCall;
    kind: AgentClass;
    subject: Subject;
    target: string;
    ahead: string | undefined;
  }): Promise<void> {
    const { call, kind, subject, target, ahead } = o;
    const decision = this.#decide(call, kind, target);
    const local = call.caller.kind === "agent";
    if (decision === "allow" && (!subject.beyond || local)) {
      if (!local) call.trace.consent = "remembered";
      return;
    }
    this.consents.checkRoom(call.caller.deviceId);
    if (ahead !== undefined) {
      await this.rules.addAhead(ahead);
      await this.#world.openAhead(call);
    }
    call.trace.consent = "asked";
    try {
      await this.consents.ask(
        {
          deviceId: call.caller.deviceId,
          deviceName: call.caller.name,
          from: call.from,
          method: call.method,
          class: kind,
          workspaceId: subject.workspaceId,
          tabId: subject.tabId ?? call.newTabId,
          target,
          title: titleOf(call, subject),
          text: subject.text,
        },
        call.signal,
      );
      call.trace.consent = "allowed";
    } catch (error) {
      call.trace.consent = refusalOf(error) === "denied" ? "denied" : "expired";
      throw error;
    }
  }

  #decide(call: GateCall, kind: AgentClass, target: string): "allow" | "ask" {
    const decision = this.rules.decision({ deviceId: ruleDevice(call.caller), target, class: kind });
    if (kind === "answer" && decision !== "allow") refuseAnswer();
    if (decision !== "deny") return decision;
    const why = "The owner of that machine does not take this from agents here; tell your user";
    throw refused(RpcErrorCode.Forbidden, "denied", why);
  }

  /** A minute and a half may have passed: the right, the switch and the owner's rules as they are now. */
  #recheck(call: GateCall, kind: AgentClass, target: string): void {
    if (!call.caller.can("agents")) {
      throw forbidden("This device does not hold the right agents; the owner can grant it");
    }
    this.#refuseStopped();
    checkHops(call.from);
    this.#decide(call, kind, target);
  }

  #refuseStopped(): void {
    if (this.rules.stopped !== undefined) throw stoppedFailure();
  }

  async #takeAway(tabId: string): Promise<void> {
    await this.#world.closeAhead(tabId);
    await this.rules.removeAhead(tabId);
  }

  #watched(call: Pick<GateCall, "caller" | "from">, target: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#refusedOf(call, target, error);
      throw error;
    }
  }

  #refusedOf(call: Pick<GateCall, "caller" | "from">, target: string, error: unknown): void {
    const why = refusalOf(error);
    if (why !== undefined) this.traffic.refused(call.caller.name, call.from, { target, why });
  }
}

/** The tabs of this machine are one device to the rules and the rates. */
export function ruleDevice(caller: Pick<GateCaller, "kind" | "deviceId">): string {
  return caller.kind === "agent" ? LOCAL_DEVICE : caller.deviceId;
}

/** For a consent whose tab was closed meanwhile. */
export const targetGone = () => notFound("tab");

function stoppedFailure() {
  const why = "The owner stopped all requests between agents; do not try again, tell your user";
  return refused(RpcErrorCode.Forbidden, "stopped", why);
}

/** The verified device first; agent and name are its claims. */
function titleOf({ caller, from }: GateCall, { title, wants }: Subject): string {
  const agent = visibleName(from.name ?? from.agent ?? "", "unnamed");
  return `${visibleName(caller.name, "A device")} (${caller.deviceId.slice(0, 6)}) says that its agent ${agent} asks to ${wants} “${visibleName(title, "untitled")}”`;
}
