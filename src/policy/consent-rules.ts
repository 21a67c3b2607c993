/**
 * What the owner decided for good about agents: who may do what to which
 * session, and whether agents are stopped altogether. Written to consents.json.
 */
import { z } from "zod";
import { notFound, unavailable } from "../protocol/errors.js";
import type { AgentClass } from "./agents.js";
import type { Kept } from "./kept.js";
import { MAX_CONSENT_RULES } from "./limits.js";

const ClassSchema = z.enum(["message", "steer", "type", "open", "answer"]);
const DecisionSchema = z.enum(["allow", "deny", "ask"]);

const RuleSchema = z.object({
  id: z.string(),
  /** A device's id; `local` for the tabs of this machine. */
  deviceId: z.string(),
  /** A tab's or a workspace's id; null for all. */
  target: z.string().nullable(),
  class: ClassSchema,
  decision: DecisionSchema,
  /** Unix milliseconds. */
  at: z.number(),
  /** The name of the device that decided. */
  by: z.string(),
});
export type ConsentRule = z.infer<typeof RuleSchema>;

export const ConsentsFileSchema = z.object({
  version: z.literal(1),
  rules: z.array(RuleSchema).max(MAX_CONSENT_RULES),
  /** Tabs made ahead of an answer: they go when the daemon starts without it. */
  ahead: z.array(z.string()),
  stopped: z.object({ at: z.number(), by: z.string() }).optional(),
});
export type ConsentsFile = z.infer<typeof ConsentsFileSchema>;
export const EMPTY_CONSENTS: ConsentsFile = { version: 1, rules: [], ahead: [] };

/** The workstation's own tabs, in rules. */
export const LOCAL_DEVICE = "local";

export interface RuleKey {
  readonly deviceId: string;
  readonly target: string | null;
  readonly class: AgentClass;
}

export class ConsentRules {
  readonly #kept: Kept<ConsentsFile>;
  readonly #now: () => number;

  constructor(kept: Kept<ConsentsFile>, now: () => number) {
    this.#kept = kept;
    this.#now = now;
  }

  list(): readonly ConsentRule[] {
    return this.#kept.value.rules;
  }

  /** The rule for the target itself, else for the device; else the stock one: ask others, allow this machine's tabs, answer for nobody. */
  decision({
    deviceId,
    target,
    class: kind,
  }: RuleKey & { readonly target: string }): ConsentRule["decision"] {
    const rules = this.list().filter((rule) => rule.deviceId === deviceId && rule.class === kind);
    const rule = rules.find((one) => one.target === target) ?? rules.find((one) => one.target === null);
    if (rule !== undefined) return rule.decision;
    if (kind === "answer") return "deny";
    return deviceId === LOCAL_DEVICE ? "allow" : "ask";
  }

  /** Whether a device may know of a tab because its messages are allowed there. */
  allowsMessages(deviceId: string, tabId: string): boolean {
    return this.list().some(
      (rule) =>
        rule.deviceId === deviceId &&
        rule.target === tabId &&
        rule.class === "message" &&
        rule.decision === "allow",
    );
  }

  /** Puts a rule in the place of the one for the same device, target and class. */
  async set(key: RuleKey, decision: ConsentRule["decision"], by: string): Promise<ConsentRule> {
    const others = this.list().filter((rule) => !isSame(rule, key));
    if (others.length >= MAX_CONSENT_RULES) {
      throw unavailable(`${MAX_CONSENT_RULES} decisions about agents are kept; forget some first`);
    }
    const { deviceId, target, class: kind } = key;
    const id = [deviceId, target ?? "*", kind].join("/");
    const rule = { id, deviceId, target, class: kind, decision, at: this.#now(), by };
    await this.#save({ rules: [...others, rule] });
    return rule;
  }

  async forget(id: string): Promise<void> {
    const rules = this.list().filter((rule) => rule.id !== id);
    if (rules.length === this.list().length) throw notFound("decision");
    await this.#save({ rules });
  }

  /** For a device that was revoked, or a target that is gone. */
  async drop(gone: { deviceId: string } | { target: string }): Promise<void> {
    const rules = this.list().filter((rule) =>
      "deviceId" in gone ? rule.deviceId !== gone.deviceId : rule.target !== gone.target,
    );
    if (rules.length < this.list().length) await this.#save({ rules });
  }

  get stopped(): ConsentsFile["stopped"] {
    return this.#kept.value.stopped;
  }

  async stop(by: string): Promise<void> {
    await this.#save({ stopped: { at: this.#now(), by } });
  }

  async resume(): Promise<void> {
    const { stopped: _, ...rest } = this.#kept.value;
    await this.#kept.save(rest);
  }

  get ahead(): readonly string[] {
    return this.#kept.value.ahead;
  }

  async addAhead(tabId: string): Promise<void> {
    await this.#save({ ahead: [...this.ahead, tabId] });
  }

  async removeAhead(tabId: string): Promise<void> {
    if (this.ahead.includes(tabId)) await this.#save({ ahead: this.ahead.filter((id) => id !== tabId) });
  }

  #save(change: Partial<ConsentsFile>): Promise<void> {
    return this.#kept.save({ ...this.#kept.value, ...change });
  }
}

function isSame(rule: ConsentRule, key: RuleKey): boolean {
  return rule.deviceId === key.deviceId && rule.target === key.target && rule.class === key.class;
}
