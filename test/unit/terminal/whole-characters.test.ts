import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WholeCharacters } from "../../../src/terminal/whole-characters.js";
import { quietScreen, show } from "../../support/quiet-screen.js";

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe("a stream of characters", () => {
  test("is handed on between characters, with every byte, however it is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (text, cuts) => {
        const whole = new WholeCharacters();
        const bytes = Buffer.from(text);
        const taken = pieces(bytes, cuts).map((piece) => Buffer.from(whole.take(piece)));
        expect(Buffer.concat(taken).equals(bytes)).toBe(true);
        for (const piece of taken) {
          expect(Buffer.from(piece.toString()).equals(piece)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("loses nothing of bytes that are no characters, and holds back three at most", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat()), (bytes, cuts) => {
        const whole = new WholeCharacters();
        const taken = Buffer.concat(
          pieces(Buffer.from(bytes), cuts).map((piece) => Buffer.from(whole.take(piece))),
        );
        expect(Buffer.from(bytes).subarray(0, taken.length).equals(taken)).toBe(true);
        expect(bytes.length - taken.length).toBeLessThanOrEqual(3);
      }),
      { numRuns: 2000 },
    );
  });

  test("shows every character of the general punctuation that came a byte at a time", async () => {
    const screen = quietScreen({ cols: 200 });
    const text = "“quoted” – dash — … • ‘x’ a\u200db\u3000c \u{10000}";
    for (const byte of Buffer.from(text)) {
      screen.write(Buffer.from([byte]));
    }
    await show(screen);
    expect(screen.read({})).toBe(text);
    screen.dispose();
  });
});
