import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PROBE_GRACE_MS, SILENCE_PROBE_MS, WAKE_GRACE_MS } from "../../../src/client/limits.js";
import { Liveness } from "../../../src/client/liveness.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const dead = vi.fn();
  const sent: string[] = [];
  const liveness = new Liveness({ now: Date.now, dead });
  liveness.start((text) => sent.push(text));
  return { liveness, dead, sent };
}

describe("a silent link", () => {
  it("is asked for a sign after a while, and is dead when none comes", () => {
    const { dead, sent } = start();
    vi.advanceTimersByTime(SILENCE_PROBE_MS - 1);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(3_001);
    expect(sent.map((text) => JSON.parse(text).method)).toEqual(["link.probe"]);
    vi.advanceTimersByTime(PROBE_GRACE_MS - 5_000);
    expect(dead).not.toHaveBeenCalled();
    vi.advanceTimersByTime(8_000);
    expect(dead).toHaveBeenCalled();
  });

  it("is alive with any message", () => {
    const { liveness, dead, sent } = start();
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(SILENCE_PROBE_MS - 5_000);
      liveness.heard();
    }
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(SILENCE_PROBE_MS + 5_000);
    liveness.heard();
    vi.advanceTimersByTime(SILENCE_PROBE_MS - 5_000);
    expect(sent.length).toBe(1);
    expect(dead).not.toHaveBeenCalled();
  });

  it("is asked at once on waking, and given up sooner", () => {
    const { liveness, dead, sent } = start();
    liveness.wake();
    expect(sent.length).toBe(1);
    vi.advanceTimersByTime(WAKE_GRACE_MS + 3_000);
    expect(dead).toHaveBeenCalled();
  });

  it("is none of our business once stopped", () => {
    const { liveness, dead, sent } = start();
    liveness.stop();
    liveness.stop();
    liveness.wake();
    vi.advanceTimersByTime(10 * SILENCE_PROBE_MS);
    expect(sent).toEqual([]);
    expect(dead).not.toHaveBeenCalled();
  });
});
