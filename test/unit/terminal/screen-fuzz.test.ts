/**
 * After every step of random output, what the engine keeps is compared with a
 * naive reading of the same terminal, and each watcher's rebuilt text with the
 * window that it should have. NEXUSD_FUZZ_STEPS sets how many steps (thousands
 * by default, millions when one wants to know), NEXUSD_FUZZ_SEED where to start.
 */
import { describe, expect, test } from "vitest";
import { Emulator } from "../../../src/terminal/emulator.js";
import { LineCache } from "../../../src/terminal/line-cache.js";
import { Snapshot } from "../../../src/terminal/snapshot.js";
import { type ReadOptions, type Window, Windows } from "../../../src/terminal/window.js";
import { naiveLook, naiveRows, naiveUsed } from "../../support/naive-rows.js";
import { cutUp, integer, noise, pick, type Random, seeded } from "../../support/terminal-noise.js";

const STEPS = Number(process.env.NEXUSD_FUZZ_STEPS ?? 5000);
const SEED = Number(process.env.NEXUSD_FUZZ_SEED ?? 1);

const SGR_ONLY = /\x1b\[[0-9;:]*m/g;

const QUIET_EVENTS = {
  reply: () => undefined,
  title: () => undefined,
  bell: () => undefined,
  notify: () => undefined,
  mark: () => undefined,
};

/** A watcher that only knows its text and the updates. */
class Follower {
  readonly options: ReadOptions;
  text: string;
  #last: Window;

  constructor(options: ReadOptions, windows: Windows) {
    this.options = options;
    this.#last = windows.exact(options);
    this.text = this.#last.text;
  }

  follow(windows: Windows, quiet: boolean): void {
    const next = quiet
      ? windows.exact(this.options, this.#last)
      : windows.following(this.options, this.#last);
    const update = next.updateFrom(this.#last);
    this.#last = next;
    if (update) {
      expect(update.start).toBeLessThanOrEqual(this.text.length);
      expect(/[\ud800-\udbff]$/.test(this.text.slice(0, update.start))).toBe(false);
      this.text = this.text.slice(0, update.start) + update.text;
    }
    expect(this.text).toBe(next.text);
  }
}

class Rig {
  readonly emulator: Emulator;
  readonly cache: LineCache;

  constructor(size: { cols: number; rows: number }, live: number, kept: number) {
    this.emulator = new Emulator({ ...size, scrollback: live }, QUIET_EVENTS);
    this.cache = new LineCache(this.emulator.terminal, kept);
  }

  snapshot(): Snapshot {
    return new Snapshot(this.cache, this.emulator.cursorVisible);
  }

  /** As the screen does now and then, in the background. */
  drawSome(random: Random): void {
    if (random() < 0.2) {
      this.cache.history.draw(integer(random, 1, 4));
    }
  }

  /** What the emulator still holds, read by the engine and naively. */
  checkLive(snapshot: Snapshot): void {
    const { terminal } = this.emulator;
    const start = this.#start(snapshot);
    // The alternate screen has no rows above it, whatever sizes the window had.
    expect(this.cache.alternate && terminal.buffer.active.baseY).toBe(this.cache.alternate && 0);
    expect(snapshot.lines(start, false)).toEqual(naiveRows(terminal).slice(0, naiveUsed(terminal)));
    const ansi = snapshot.lines(start, true);
    expect(ansi.map((line) => line.replace(SGR_ONLY, "").replace(/ +$/, ""))).toEqual(
      snapshot.lines(start, false),
    );
    expect(ansi.join("").replace(SGR_ONLY, "")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  }

  /** The number of the first row that the emulator still holds. */
  #start(snapshot: Snapshot): number {
    return this.cache.alternate ? 0 : snapshot.base - this.emulator.terminal.buffer.active.baseY;
  }

  /** One row with its escapes, drawn again by another terminal, looks the same. */
  checkLook(snapshot: Snapshot, random: Random): void {
    const { terminal } = this.emulator;
    const { active } = terminal.buffer;
    const used = naiveUsed(terminal);
    if (used === 0) {
      return;
    }
    const y = integer(random, 0, used - 1);
    const isCursorRow = this.emulator.cursorVisible && y === active.baseY + active.cursorY;
    const cursor = isCursorRow ? Math.min(active.cursorX, terminal.cols - 1) : undefined;
    const row = snapshot.lines(this.#start(snapshot) + y, true)[0] ?? "";
    const look = naiveLook(active, y, cursor);
    // A mark of no width that stands alone joins the character before it when drawn again.
    if (!look.some((cell) => /^(?:\p{M}|[\u200b-\u200f])/u.test(cell))) {
      expect(redraw(row)).toBe(look.join(""));
    }
  }
}

const CANVAS_COLUMNS = 600;
const canvas = new Emulator({ cols: CANVAS_COLUMNS, rows: 2, scrollback: 0 }, QUIET_EVENTS);

function redraw(row: string): string {
  canvas.parse(Buffer.from(`\x1bc${row}`));
  return naiveLook(canvas.terminal.buffer.active, 0).join("");
}

/**
 * The emulator saves the cursor's row in its whole buffer, so that restoring it
 * after a scroll depends on how much it keeps: not for comparing two sizes.
 */
const SAVED_CURSOR = /\x1b8|\x1b\[u|1049/;

function step(random: Random, rigs: readonly Rig[], without?: RegExp): void {
  for (let count = integer(random, 1, 6); count > 0; count--) {
    for (const piece of cutUp(random, noise(random, without))) {
      for (const rig of rigs) {
        rig.emulator.parse(piece);
      }
    }
  }
}

function optionsOf(random: Random): ReadOptions {
  const lines = pick(random, [undefined, 1, 2, 3, 10, 40, 100, 1000, 5000]);
  return { ansi: random() < 0.5, ...(lines === undefined ? {} : { lines }) };
}

/** A step takes about 2 ms; on a loaded machine ten times that. */
const TIMEOUT_MS = 60_000 + STEPS * 20;

describe("a screen under random output", { timeout: TIMEOUT_MS }, () => {
  test.each([20, 200, 6250])(
    "reads as the emulator's own buffer, through every resize (scrollback %i)",
    (scrollback) => {
      const random = seeded(SEED * 1000 + scrollback);
      for (let done = 0; done < STEPS / 3; ) {
        const rig = new Rig(
          { cols: integer(random, 2, 130), rows: integer(random, 2, 45) },
          scrollback,
          scrollback,
        );
        const followers = Array.from(
          { length: 4 },
          () => new Follower(optionsOf(random), new Windows(rig.snapshot())),
        );
        for (let round = 0; round < 150; round++, done++) {
          step(random, [rig]);
          if (random() < 0.04) {
            rig.cache.resize(integer(random, 2, 130), integer(random, 2, 45));
          }
          const snapshot = rig.snapshot();
          rig.checkLive(snapshot);
          rig.checkLook(snapshot, random);
          const windows = new Windows(snapshot);
          for (const follower of followers) {
            if (random() < 0.8) {
              follower.follow(windows, random() < 0.1);
            }
          }
        }
        expect(rig.emulator.failures).toBe(0);
        rig.emulator.dispose();
      }
    },
  );

  test("keeps the rows that the emulator dropped as an emulator that drops none would have them", () => {
    const random = seeded(SEED * 1000 + 7);
    for (let done = 0; done < STEPS / 4; ) {
      const size = { cols: integer(random, 2, 130), rows: integer(random, 2, 45) };
      const live = integer(random, 1, 40);
      const rig = new Rig(size, live, integer(random, 300, 700));
      const whole = new Rig(size, 20_000, 20_000);
      for (let round = 0; round < 150; round++, done++) {
        step(random, [rig, whole], SAVED_CURSOR);
        rig.drawSome(random);
        const snapshot = rig.snapshot();
        const all = naiveRows(whole.emulator.terminal).slice(0, naiveUsed(whole.emulator.terminal));
        const kept = snapshot.lines(snapshot.first, false);
        expect(kept).toEqual(all.slice(all.length - kept.length));
        expect(snapshot.lines(snapshot.first, true)).toEqual(
          whole.snapshot().lines(whole.snapshot().end - kept.length, true),
        );
      }
      rig.emulator.dispose();
      whole.emulator.dispose();
    }
  });
});
