import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pace, type Urgency } from "../../../src/sessions/pace.js";
import { ManualClock } from "../../support/clock.js";

function setUp() {
  const clock = new ManualClock();
  const told: number[] = [];
  const pace = new Pace(clock, () => told.push(clock.monotonic()));
  return { clock, told, pace };
}

describe("Pace", () => {
  it("tells the first change at once, whatever it is", () => {
    for (const urgency of ["urgent", "state", "quiet"] as const) {
      const { told, pace } = setUp();
      pace.changed(urgency);
      expect(told).toEqual([0]);
    }
  });

  it("tells of states four times a second and of the last of them for sure", () => {
    const { clock, told, pace } = setUp();
    for (let n = 0; n <= 100; n++) {
      pace.changed("state");
      if (n < 100) clock.advance(10);
    }
    expect(told).toEqual([0, 250, 500, 750, 1000]);
    clock.advance(1000);
    expect(told.length).toBeLessThanOrEqual(6);
  });

  it("tells of quiet things once in five seconds", () => {
    const { clock, told, pace } = setUp();
    for (let n = 0; n < 1000; n++) {
      pace.changed("quiet");
      clock.advance(10);
    }
    expect(told).toEqual([0, 5000, 10_000]);
  });

  it("lets what is urgent past those that wait, and tells those with it", () => {
    const { clock, told, pace } = setUp();
    pace.changed("quiet");
    clock.advance(100);
    pace.changed("quiet");
    pace.changed("state");
    pace.changed("urgent");
    expect(told).toEqual([0, 100]);
    clock.advance(10_000);
    expect(told).toEqual([0, 100]);
  });

  it("tells nothing once it is disposed of", () => {
    const { clock, told, pace } = setUp();
    pace.changed("state");
    pace.changed("state");
    pace.dispose();
    pace.changed("urgent");
    clock.advance(10_000);
    expect(told).toEqual([0]);
    expect(clock.pending).toBe(0);
  });

  it("tells every change within its time, and never faster than fifty times a second", () => {
    const bounds = { urgent: 20, state: 250, quiet: 5000 };
    const step = fc.record({
      ms: fc.nat(400),
      urgency: fc.constantFrom<Urgency>("urgent", "state", "quiet"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, told, pace } = setUp();
        const due: { at: number; by: number }[] = [];
        for (const { ms, urgency } of steps) {
          clock.advance(ms);
          due.push({ at: clock.monotonic(), by: clock.monotonic() + bounds[urgency] });
          pace.changed(urgency);
        }
        clock.advance(5000);
        for (const { at, by } of due) expect(told.some((time) => time >= at && time <= by)).toBe(true);
        for (const [n, time] of told.entries()) {
          if (n > 0) expect(time - (told[n - 1] ?? 0)).toBeGreaterThanOrEqual(20);
        }
      }),
    );
  });
});
