/**
 * The questions to the owner about agents of other devices: each waits at most
 * 90 seconds, takes one answer, and goes when its asker goes. What was asked is
 * kept here whole and never read again.
 */
import { randomBytes } from "node:crypto";
import {
  forbidden,
  invalidParams,
  notFound,
  RpcErrorCode,
  type RpcFailure,
  unavailable,
} from "../protocol/errors.js";
import { refused } from "../protocol/refusal.js";
import { AGENT_CONSENT_MS, type AgentSender, type RpcMethod } from "../protocol/rpc.js";
import type { AgentClass } from "./agents.js";
import type { Clock } from "./clock.js";
import type { ConsentRules } from "./consent-rules.js";
import {
  CONSENT_SHOWN_BYTES,
  DENIALS_BEFORE_MUTE,
  MAX_SETTLED_CONSENTS,
  MAX_WAITING_CONSENTS,
  MUTE_MS,
} from "./limits.js";
import { Windows } from "./windows.js";

export interface ConsentQuestion {
  readonly deviceId: string;
  readonly deviceName: string;
  /** As the device claims. */
  readonly from: AgentSender;
  readonly method: RpcMethod;
  readonly class: AgentClass;
  readonly workspaceId: string;
  /** Where it shows: the target, or the tab made ahead for what would be opened. */
  readonly tabId: string;
  /** What a remembered answer is for: the tab, or the workspace of what is opened. */
  readonly target: string;
  /** Who asks for what, in one line that is enough to decide on. */
  readonly title: string;
  /** The exact content: words, keys, settings, a command. */
  readonly text: string;
}

export interface Consent extends ConsentQuestion {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly expiresAt: number;
  /** Longer than a card shows: to be opened whole before it is allowed. */
  readonly long: boolean;
}

export interface ConsentAnswer {
  readonly decision: "allow" | "deny";
  /** With allow: for this device, target and class from now on. */
  readonly remember?: boolean;
  /** With deny: nothing of this device is asked for ten minutes. */
  readonly mute?: boolean;
}

/** Who answers: never an agent, never another daemon. */
export interface Answerer {
  readonly deviceId: string;
  readonly name: string;
  readonly mayConsent: boolean;
}

interface Waiting {
  readonly consent: Consent;
  /** On the monotonic clock. */
  readonly until: number;
  /** Devices that opened it whole. */
  readonly opened: Set<string>;
  end(outcome: "allowed" | RpcFailure): void;
}

const PREFIX = "consent-";

/** Whether a request's id is one of ours. */
export function isConsentId(requestId: string): boolean {
  return requestId.startsWith(PREFIX);
}

export class Consents {
  readonly #rules: ConsentRules;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  readonly #settled = new Map<string, string>();
  readonly #denials: Windows;
  /** By device, on the monotonic clock. */
  readonly #mutedUntil = new Map<string, number>();
  readonly #listeners = new Set<(consent: Consent) => void>();

  constructor(rules: ConsentRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
    this.#denials = new Windows({ most: DENIALS_BEFORE_MUTE, windowMs: MUTE_MS }, clock.monotonic);
  }

  /** Those that wait, oldest first. */
  list(): Consent[] {
    return [...this.#waiting.values()].map(({ consent }) => consent);
  }

  on(tabId: string): Consent[] {
    return this.list().filter((consent) => consent.tabId === tabId);
  }

  /** Called when a consent begins or ends to wait. */
  onChange(listener: (consent: Consent) => void): () => void {
    const own = (consent: Consent): void => listener(consent);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Throws when nothing of this device can be asked now. */
  checkRoom(deviceId: string): void {
    const mutedMs = (this.#mutedUntil.get(deviceId) ?? 0) - this.#clock.monotonic();
    if (mutedMs > 0) {
      const minutes = Math.ceil(mutedMs / 60_000);
      throw refused(
        RpcErrorCode.Forbidden,
        "muted",
        `The owner turned this device down and is not asked again for ${minutes} minutes; tell your user`,
      );
    }
    this.#mutedUntil.delete(deviceId);
    if (this.list().filter((consent) => consent.deviceId === deviceId).length < MAX_WAITING_CONSENTS) return;
    throw refused(
      RpcErrorCode.Unavailable,
      "busy",
      `${MAX_WAITING_CONSENTS} requests of this device wait for the owner already; try again later`,
    );
  }

  /**
   * Asks, and resolves when the owner allowed it. Forbidden when turned down,
   * not answered in 90 seconds, or withdrawn by the signal or {@link withdraw}.
   */
  async ask(question: ConsentQuestion, signal: AbortSignal): Promise<void> {
    this.checkRoom(question.deviceId);
    await new Promise<void>((resolve, reject) => {
      const at = this.#clock.now();
      const consent: Consent = {
        ...question,
        id: PREFIX + randomBytes(9).toString("base64url"),
        at,
        expiresAt: at + AGENT_CONSENT_MS,
        long: Buffer.byteLength(question.text) > CONSENT_SHOWN_BYTES,
      };
      const cancel = this.#clock.after(AGENT_CONSENT_MS, () => this.#expire(consent));
      const gone = (): void => this.#settle(consent, "its sender went away", withdrawn());
      this.#waiting.set(consent.id, {
        consent,
        until: this.#clock.monotonic() + AGENT_CONSENT_MS,
        opened: new Set(),
        end: (outcome) => {
          cancel();
          signal.removeEventListener("abort", gone);
          if (outcome === "allowed") resolve();
          else reject(outcome);
        },
      });
      this.#tell(consent);
      if (signal.aborted) gone();
      else signal.addEventListener("abort", gone, { once: true });
    });
  }

  /** The whole text; from now on this device may allow it, however long it is. */
  open(id: string, answerer: Answerer): Consent {
    checkAnswerer(answerer);
    const { consent, opened } = this.#need(id);
    opened.add(answerer.deviceId);
    return consent;
  }

  /** The first answer counts; throws when it is gone, or may not be given by this device. */
  async answer(id: string, answer: ConsentAnswer, answerer: Answerer): Promise<void> {
    checkAnswerer(answerer);
    const { consent, until, opened } = this.#need(id);
    if (answerer.deviceId === consent.deviceId) {
      throw forbidden("A device cannot consent to what its own agents ask");
    }
    if (this.#clock.monotonic() >= until) {
      this.#expire(consent);
      throw this.#gone(id);
    }
    if (answer.decision === "deny") {
      this.#deny(consent, answer, answerer);
      return;
    }
    if (answer.mute === true) throw invalidParams("Only what is denied can be muted");
    if (consent.long && !opened.has(answerer.deviceId)) {
      throw unavailable("This text is longer than what is shown; open it whole before you allow it");
    }
    this.#settle(consent, `${answerer.name} allowed it`, "allowed");
    if (answer.remember !== true) return;
    const { deviceId, target, class: kind } = consent;
    await this.#rules.set({ deviceId, target, class: kind }, "allow", answerer.name);
  }

  /** Ends those that a predicate takes: a device was revoked, a target is gone, agents were stopped. */
  withdraw(which: (consent: Consent) => boolean, failure: RpcFailure, how: string): void {
    for (const consent of this.list()) if (which(consent)) this.#settle(consent, how, failure);
  }

  /** Forgets what is held against a device. */
  forgive(deviceId: string): void {
    this.#mutedUntil.delete(deviceId);
    this.#denials.forget(deviceId);
  }

  /** Devices that are not asked about now, with the milliseconds left. */
  muted(): { deviceId: string; leftMs: number }[] {
    const now = this.#clock.monotonic();
    return [...this.#mutedUntil]
      .map(([deviceId, until]) => ({ deviceId, leftMs: until - now }))
      .filter(({ leftMs }) => leftMs > 0);
  }

  #deny(consent: Consent, answer: ConsentAnswer, answerer: Answerer): void {
    if (answer.remember === true) throw invalidParams("Only what is allowed is remembered by an answer");
    const { deviceId } = consent;
    this.#denials.add(deviceId);
    if (answer.mute === true || this.#denials.waitMs(deviceId) > 0) {
      this.#mutedUntil.set(deviceId, this.#clock.monotonic() + MUTE_MS);
    }
    const why = "The owner of that machine turned this down; do not try again, tell your user";
    this.#settle(consent, `${answerer.name} denied it`, refused(RpcErrorCode.Forbidden, "denied", why));
  }

  #expire(consent: Consent): void {
    const why = `The owner of that machine did not answer within ${AGENT_CONSENT_MS / 1000} seconds; tell your user`;
    this.#settle(consent, "nobody answered it in time", refused(RpcErrorCode.Forbidden, "expired", why));
  }

  #settle(consent: Consent, how: string, outcome: "allowed" | RpcFailure): void {
    const waiting = this.#waiting.get(consent.id);
    if (waiting === undefined) return;
    this.#waiting.delete(consent.id);
    this.#settled.set(consent.id, how);
    for (const oldest of this.#settled.keys()) {
      if (this.#settled.size <= MAX_SETTLED_CONSENTS) break;
      this.#settled.delete(oldest);
    }
    waiting.end(outcome);
    this.#tell(consent);
  }

  #need(id: string): Waiting {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw this.#gone(id);
    return waiting;
  }

  #gone(id: string): RpcFailure {
    if (!isConsentId(id)) return notFound("request");
    const how = this.#settled.get(id) ?? "the daemon was restarted since";
    return unavailable(`The request is no longer pending: ${how}`);
  }

  #tell(consent: Consent): void {
    for (const listener of [...this.#listeners]) listener(consent);
  }
}

function checkAnswerer({ mayConsent }: Answerer): void {
  if (!mayConsent) throw forbidden("Only a person consents: no agent, and no other daemon");
}

function withdrawn(): RpcFailure {
  return refused(RpcErrorCode.Forbidden, "withdrawn", "The request was withdrawn before the owner answered");
}
