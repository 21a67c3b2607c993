/** What a wait sees of a terminal: live views of its parts, nothing kept. */
import type { Screen } from "../screen.js";
import type { Waitable } from "../wait.js";
import type { Activity } from "./activity.js";
import type { Clock } from "./clock.js";
import type { TypedPlaces } from "./typed-places.js";

export interface WaitableParts {
  readonly activity: Activity;
  readonly screen: Screen;
  readonly typed: TypedPlaces;
  readonly clock: Clock;
  /** Called at each output and each change. */
  readonly listeners: Set<() => void>;
  notice(): Waitable["notice"];
}

export function waitableOf(parts: WaitableParts): Waitable {
  const { activity, screen, typed, clock, listeners } = parts;
  return {
    get phase() {
      return activity.phase;
    },
    get promptAt() {
      return activity.promptAt;
    },
    get startedAt() {
      return activity.startedAt;
    },
    get notice() {
      return parts.notice();
    },
    get rootProgram() {
      return activity.rootProgram;
    },
    get quietMs() {
      return activity.quietMs;
    },
    get untypedMs() {
      return typed.untypedMs;
    },
    get lastLine() {
      return screen.lastLine();
    },
    now: () => clock.stamp(),
    lines: (since) => typed.linesSince(since),
    placeAt: (stamp) => typed.at(stamp),
    onActivity(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
