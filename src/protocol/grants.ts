/**
 * What a device can be granted: three sets that build on each other, with
 * `agents` and `owner` apart, and the rights that need the owner's own yes.
 */
import { CAPABILITIES, type Capability, isCapability } from "./capabilities.js";
import { forbidden, invalidParams } from "./errors.js";
import type { DeviceKind } from "./link.js";

const WATCH = ["sessions", "chat.read", "terminal.read"] as const satisfies readonly Capability[];
const STEER = [...WATCH, "chat.control", "files", "git"] as const satisfies readonly Capability[];
const EVERYTHING = [...STEER, "terminal.control"] as const satisfies readonly Capability[];

/** The sets by the name that the owner picks or types; `agents` and `owner` are in none. */
export const GRANT_SETS = { watch: WATCH, steer: STEER, everything: EVERYTHING } as const;
type GrantSet = keyof typeof GRANT_SETS;

/** The rights that a page from plain http gets only by the typed yes: whoever replaces its script holds them. */
export const YES_OVER_HTTP: readonly Capability[] = ["terminal.control", "agents", "owner"];

/** All that another daemon can hold; what it may read beyond is decided tab by tab. */
const DAEMON_RIGHTS: readonly Capability[] = ["agents"];

/** Rights named by sets and single words, as in `steer,agents`; throws InvalidParams on an unknown word or none. */
export function resolveGrant(text: string): Capability[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 0) throw invalidParams(`Name at least one right: ${wordsToChooseFrom()}`);
  const rights = new Set<Capability>();
  for (const word of words) {
    if (isGrantSet(word)) for (const right of GRANT_SETS[word]) rights.add(right);
    else if (isCapability(word)) rights.add(word);
    else
      throw invalidParams(
        `No right is called ${JSON.stringify(word.slice(0, 40))}; use ${wordsToChooseFrom()}`,
      );
  }
  return inOrder(rights);
}

/** The rights among `words`, each once and in the protocol's order; unknown words are dropped. */
export function knownRights(words: readonly string[]): Capability[] {
  return inOrder(new Set(words.filter(isCapability)));
}

/** Throws Forbidden when a kind of device cannot hold one of the rights. */
export function checkKind(kind: DeviceKind, rights: readonly Capability[]): void {
  const refused = rights.filter((right) => !mayHold(kind, right));
  if (refused.length === 0) return;
  throw forbidden(`Another daemon can hold only the right agents, not ${refused.join(", ")}`);
}

export function mayHold(kind: DeviceKind, right: Capability): boolean {
  return kind !== "daemon" || DAEMON_RIGHTS.includes(right);
}

/** Throws Forbidden when a page from plain http would get a right that needs the typed yes, without it. */
export function checkOverHttp(rights: readonly Capability[], yes: boolean): void {
  const risky = rights.filter((right) => YES_OVER_HTTP.includes(right));
  if (yes || risky.length === 0) return;
  throw forbidden(
    `This page came over plain http, where whoever stands between can act as it; confirm ${risky.join(", ")} or leave it out`,
  );
}

/** The name of the set that these rights are, if they are one; else the rights. */
export function nameGrant(rights: readonly Capability[]): string {
  const isApart = (right: Capability): boolean => right === "agents" || right === "owner";
  const apart = rights.filter(isApart);
  const rest = inOrder(new Set(rights.filter((right) => !isApart(right))));
  for (const [name, set] of Object.entries(GRANT_SETS)) {
    if (rest.join() === inOrder(new Set(set)).join()) return [name, ...apart].join(", ");
  }
  return inOrder(new Set(rights)).join(", ") || "nothing";
}

function inOrder(rights: ReadonlySet<Capability>): Capability[] {
  return CAPABILITIES.filter((right) => rights.has(right));
}

function isGrantSet(word: string): word is GrantSet {
  return Object.hasOwn(GRANT_SETS, word);
}

function wordsToChooseFrom(): string {
  return [...Object.keys(GRANT_SETS), ...CAPABILITIES].join(", ");
}
