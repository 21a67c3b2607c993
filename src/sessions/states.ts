/**
 * How a session stands, from what its program does and whether anyone looked:
 * one pure step from what was known to what is. The list and its events show
 * `state`; the rest is what the next step needs.
 */

import type { RemoteSession, SessionState } from "../protocol/rpc.js";
import type { ChatStatus, PermissionRequest } from "../protocol/view.js";
import { LONG_COMMAND_MS, MAX_LINE_CHARS } from "./limits.js";
import { oneLine } from "./line.js";

export type Waiting = NonNullable<RemoteSession["waiting"]>;

/** What a terminal tells of itself. */
export interface TerminalFacts {
  readonly phase: "prompt" | "running" | "ended";
  /** The last line that is not blank. */
  readonly lastLine?: string;
  readonly lastCommand?: { readonly startedAt: number; readonly endedAt: number };
  readonly exit?: { readonly code: number | null; readonly signal?: string };
  /** Why it ended, when no exit code tells. */
  readonly endedReason?: string;
  /** The agent that runs in it, while one does. */
  readonly agent?: {
    readonly name: string;
    readonly state: "working" | "asking" | "idle";
    readonly waiting?: Waiting;
    /** The last thing it said. */
    readonly last?: string;
  };
}

/** What a chat tells of itself. */
export interface ChatFacts {
  readonly state: ChatStatus["state"];
  /** The request that waits; {@link waitingOf} makes it. */
  readonly waiting?: Waiting;
  /** The last thing it said, or what went wrong. */
  readonly last?: string;
}

export type Signal =
  | { readonly type: "terminal"; readonly facts: TerminalFacts }
  | { readonly type: "chat"; readonly facts: ChatFacts }
  /** Another device's agent asks the owner about this tab; undefined: no longer. */
  | { readonly type: "consent"; readonly waiting: Waiting | undefined }
  /** Someone looks, once or from now until `away`. */
  | { readonly type: "looked" }
  | { readonly type: "looking" }
  | { readonly type: "away" };

/** `starting` and `failed` show as running and resting, but what follows them counts otherwise. */
type Doing = "starting" | "running" | "asking" | "resting" | "failed" | "ended";

export interface Standing {
  readonly state: SessionState;
  /** Unix milliseconds; when it came to that state. */
  readonly since: number;
  readonly last: string | undefined;
  readonly waiting: Waiting | undefined;
  /** The agent in it, for a terminal that runs one. */
  readonly agent: string | undefined;
  readonly doing: Doing;
  /** A result came that nobody has looked at. */
  readonly unseen: boolean;
  readonly looking: number;
  /** Of its program; a consent's stands beside it. */
  readonly asks: Waiting | undefined;
  readonly consent: Waiting | undefined;
  /** The consent was there before its program asked: the older one shows. */
  readonly consentFirst: boolean;
  /** Its program told of itself since this daemon started. */
  readonly told: boolean;
  /** A terminal's command counts once. */
  readonly commandEndedAt: number | undefined;
}

/** Before its program said anything. */
export function atRest(now: number): Standing {
  return {
    state: "idle",
    since: now,
    last: undefined,
    waiting: undefined,
    agent: undefined,
    doing: "resting",
    unseen: false,
    looking: 0,
    asks: undefined,
    consent: undefined,
    consentFirst: false,
    told: false,
    commandEndedAt: undefined,
  };
}

export function nextStanding(before: Standing, signal: Signal, now: number): Standing {
  switch (signal.type) {
    case "terminal":
      return settle(before, ofTerminal(before, signal.facts), now);
    case "chat":
      return settle(before, ofChat(before, signal.facts), now);
    case "consent":
      return settle(before, withConsent(before, signal.waiting), now);
    case "looked":
      return settle(before, { ...before, unseen: false }, now);
    case "looking":
      return settle(before, { ...before, unseen: false, looking: before.looking + 1 }, now);
    case "away":
      return settle(before, { ...before, looking: Math.max(0, before.looking - 1) }, now);
  }
}

/** The request to show of those that wait, the oldest first; a consent shows as a permission. */
export function waitingOf(requests: readonly PermissionRequest[]): Waiting | undefined {
  const [first, ...others] = requests;
  if (first === undefined) return undefined;
  const oldest = others.reduce((a, b) => (b.at < a.at ? b : a), first);
  return { kind: oldest.kind === "consent" ? "permission" : oldest.kind, text: oldest.title };
}

/** The state follows from the rest; a terminal's last line changes only with it. */
function settle(before: Standing, next: Standing, now: number): Standing {
  const ended = next.doing === "ended";
  const waiting = ended ? undefined : waitingIn(next);
  const unseen = next.unseen && next.looking === 0;
  const state = stateOf({ doing: next.doing, waiting, unseen });
  const since = state === before.state ? before.since : now;
  return { ...next, waiting, unseen, state, since };
}

function withConsent(before: Standing, waiting: Waiting | undefined): Standing {
  const consentFirst = before.consent === undefined ? before.asks === undefined : before.consentFirst;
  return { ...before, consent: waiting && shown(waiting), consentFirst };
}

function waitingIn({ asks, consent, consentFirst }: Standing): Waiting | undefined {
  return consentFirst ? (consent ?? asks) : (asks ?? consent);
}

function stateOf({ doing, waiting, unseen }: Pick<Standing, "doing" | "waiting" | "unseen">): SessionState {
  if (doing === "ended") return "ended";
  if (waiting !== undefined || doing === "asking") return "needs-you";
  if (doing === "running" || doing === "starting") return "running";
  return unseen ? "new-result" : "idle";
}

function ofChat(before: Standing, facts: ChatFacts): Standing {
  const doing = doingOfChat(facts.state);
  const turnEnded = doing === "resting" && (before.doing === "running" || before.doing === "asking");
  const failed = doing === "failed" && before.doing !== "failed";
  const last = facts.last === undefined ? before.last : oneLine(facts.last, MAX_LINE_CHARS);
  return {
    ...before,
    doing,
    last,
    asks: facts.waiting && shown(facts.waiting),
    unseen: before.unseen || turnEnded || failed,
    told: true,
  };
}

function doingOfChat(state: ChatStatus["state"]): Doing {
  switch (state) {
    case "starting":
    case "asking":
      return state;
    case "working":
      return "running";
    case "idle":
      return "resting";
    case "error":
      return "failed";
    case "closed":
      return "ended";
  }
}

function ofTerminal(before: Standing, facts: TerminalFacts): Standing {
  const { agent, lastCommand } = facts;
  const doing = doingOfTerminal(facts);
  const agentTurnEnded =
    agent !== undefined &&
    before.agent !== undefined &&
    doing === "resting" &&
    (before.doing === "running" || before.doing === "asking");
  // What ended before this daemon started may long have been looked at.
  const commandEnded =
    before.told && lastCommand !== undefined && lastCommand.endedAt !== before.commandEndedAt;
  const ranLong = commandEnded && lastCommand.endedAt - lastCommand.startedAt > LONG_COMMAND_MS;
  const next: Standing = {
    ...before,
    doing,
    agent: agent?.name,
    asks: agent?.waiting && shown(agent.waiting),
    unseen: (before.unseen || agentTurnEnded || ranLong) && before.looking === 0,
    told: true,
    commandEndedAt: lastCommand?.endedAt ?? before.commandEndedAt,
  };
  const told = lastOfTerminal(facts);
  const changes =
    stateOf({ ...next, waiting: waitingIn(next) }) !== before.state || before.last === undefined;
  return told === undefined || !changes ? next : { ...next, last: oneLine(told, MAX_LINE_CHARS) };
}

function doingOfTerminal({ phase, agent }: TerminalFacts): Doing {
  if (phase === "ended") return "ended";
  if (agent !== undefined)
    return agent.state === "working" ? "running" : agent.state === "asking" ? "asking" : "resting";
  return phase === "running" ? "running" : "resting";
}

function lastOfTerminal({ phase, lastLine, exit, endedReason, agent }: TerminalFacts): string | undefined {
  if (phase !== "ended") return agent?.last ?? lastLine;
  if (endedReason !== undefined) return endedReason;
  if (exit?.signal !== undefined) return `ended by ${exit.signal}`;
  return exit === undefined || exit.code === null ? "ended" : `exit code ${exit.code}`;
}

function shown(waiting: Waiting): Waiting {
  return { ...waiting, text: oneLine(waiting.text, MAX_LINE_CHARS) };
}
