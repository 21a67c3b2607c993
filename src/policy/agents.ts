/**
 * What agents may ask of other agents' tabs: which requests there are, how long
 * a chain of them may grow, and how often. The hops are counted on by the
 * device that sends; the rates hold whatever it claims.
 */
import { forbidden, RpcErrorCode, type RpcFailure } from "../protocol/errors.js";
import { refused } from "../protocol/refusal.js";
import {
  type AgentSender,
  MAX_AGENT_HOPS,
  MAX_AGENT_REQUESTS_PER_MINUTE,
  type RpcMethod,
} from "../protocol/rpc.js";
import {
  AGENT_DEVICE_PAIR_REQUESTS,
  AGENT_PAIR_REQUESTS,
  AGENT_PAIR_WINDOW_MS,
  AGENT_REQUESTS_PER_DEVICE_PER_MINUTE,
} from "./limits.js";
import { Windows } from "./windows.js";

/**
 * What a consent is for. `answer` is apart: an agent answers in a person's
 * place only where the owner wrote that down for the pair.
 */
export type AgentClass = "message" | "steer" | "type" | "open" | "answer";

export const AGENT_METHODS = {
  "chat.send": "message",
  "chat.interrupt": "steer",
  "chat.configure": "steer",
  "chat.close": "steer",
  "terminal.close": "steer",
  "terminal.input": "type",
  "chat.new": "open",
  "terminal.open": "open",
  "chat.answer": "answer",
  "terminal.answer": "answer",
} as const satisfies Partial<Record<RpcMethod, AgentClass>>;

export type AgentMethod = keyof typeof AGENT_METHODS;

export function isAgentMethod(method: string): method is AgentMethod {
  return Object.hasOwn(AGENT_METHODS, method);
}

export interface Asking {
  readonly deviceId: string;
  readonly from: AgentSender;
  /** The tab or workspace that it is about, by its id there. */
  readonly target: string;
}

const MINUTE_MS = 60_000;

export class AgentLimits {
  readonly #agents: Windows;
  readonly #devices: Windows;
  readonly #pairs: Windows;
  readonly #devicePairs: Windows;

  constructor(monotonic: () => number) {
    const window = (most: number, windowMs: number): Windows => new Windows({ most, windowMs }, monotonic);
    this.#agents = window(MAX_AGENT_REQUESTS_PER_MINUTE, MINUTE_MS);
    this.#devices = window(AGENT_REQUESTS_PER_DEVICE_PER_MINUTE, MINUTE_MS);
    this.#pairs = window(AGENT_PAIR_REQUESTS, AGENT_PAIR_WINDOW_MS);
    this.#devicePairs = window(AGENT_DEVICE_PAIR_REQUESTS, AGENT_PAIR_WINDOW_MS);
  }

  /** Counts a request in, or throws: Forbidden past the hops, Unavailable past a rate. */
  admit({ deviceId, from, target }: Asking): void {
    checkHops(from);
    const agent = JSON.stringify([deviceId, from.workspaceId, from.tabId]);
    const pair = JSON.stringify([agent, target]);
    const devicePair = JSON.stringify([deviceId, target]);
    const places: [Windows, string, string][] = [
      [this.#agents, agent, `An agent may ask ${MAX_AGENT_REQUESTS_PER_MINUTE} times a minute`],
      [
        this.#devices,
        deviceId,
        `The agents of a device may ask ${AGENT_REQUESTS_PER_DEVICE_PER_MINUTE} times a minute`,
      ],
      [this.#pairs, pair, `An agent may ask the same session ${AGENT_PAIR_REQUESTS} times in ten minutes`],
      [
        this.#devicePairs,
        devicePair,
        `The agents of a device may ask the same session ${AGENT_DEVICE_PAIR_REQUESTS} times in ten minutes`,
      ],
    ];
    for (const [windows, key, sentence] of places) {
      const waitMs = windows.waitMs(key);
      if (waitMs > 0) throw tooOften(sentence, waitMs);
    }
    for (const [windows, key] of places) windows.add(key);
  }
}

/** Throws Forbidden when the chain is too long. */
export function checkHops(from: AgentSender): void {
  if (from.hops <= MAX_AGENT_HOPS) return;
  throw refused(
    RpcErrorCode.Forbidden,
    "hops",
    `This message would be number ${from.hops} of a chain between agents, and ${MAX_AGENT_HOPS} is the most; stop here and tell your user`,
  );
}

function tooOften(sentence: string, waitMs: number): RpcFailure {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refused(
    RpcErrorCode.Unavailable,
    "rate",
    `${sentence}; try again in ${seconds} seconds, or tell your user`,
  );
}

/** Throws Forbidden for what no agent may do whoever consents. */
export function refuseAnswer(): never {
  throw forbidden("An agent cannot answer in a person's place; the owner can allow it for one pair");
}
