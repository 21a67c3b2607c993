import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Typed, TypedKeys } from "../../../../src/cli/nexus/typed-keys.js";

const type = (...pieces: string[]): Typed[] => {
  const keys = new TypedKeys();
  return pieces.flatMap((piece) => keys.push(Buffer.from(piece)));
};

describe("what a keyboard sends", () => {
  test.each([
    ["ls -l\r", [{ text: "ls -l", keys: ["enter"] }]],
    ["\x03", [{ keys: ["ctrl-c"] }]],
    ["\x1b[A\x1bOB\x1b[C\x1b[D", [{ keys: ["up", "down", "right", "left"] }]],
    ["\x1b[3~\x1b[5~\x1b[6~", [{ keys: ["delete", "pageup", "pagedown"] }]],
    ["\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH", [{ keys: ["home", "end", "home", "end", "home"] }]],
    ["\x1b[Z\t\x7f\n", [{ keys: ["shift-tab", "tab", "backspace", "ctrl-j"] }]],
    ["\x1b", [{ keys: ["esc"] }]],
    ["\x1bb", [{ keys: ["esc"] }, { text: "b" }]],
    ["a\x01b", [{ text: "a", keys: ["ctrl-a"] }, { text: "b" }]],
    ["日本🦀", [{ text: "日本🦀" }]],
    ["\x1b[1;5A", [{ keys: ["up"] }]],
    ["\x1b[200~two\rlines\x1b[201~\r", [{ text: "two\rlines", keys: ["enter"] }]],
  ])("%j becomes its text and keys", (piece, typed) => {
    expect(type(piece)).toEqual(typed);
  });

  test.each(["\x00", "\x1c", "\x1b[15~", "\x1b[I", "\x1b[<0;1;1M"])(
    "%j has no name and is dropped",
    (piece) => {
      expect(type(piece)).toEqual([]);
    },
  );
});

describe("what is cut between two pieces", () => {
  test("a sequence waits for its end", () => {
    expect(type("\x1b[", "A")).toEqual([{ keys: ["up"] }]);
    expect(type("\x1b[1;", "5C")).toEqual([{ keys: ["right"] }]);
  });

  test("a character waits for its last byte", () => {
    const keys = new TypedKeys();
    const bytes = Buffer.from("é");
    expect([...keys.push(bytes.subarray(0, 1)), ...keys.push(bytes.subarray(1))]).toEqual([{ text: "é" }]);
  });

  test("a paste goes on, wherever its end is cut", () => {
    const whole = "\x1b[200~pasted\x1b[3~ text\x1b[201~x";
    for (let at = 7; at < whole.length; at++) {
      const typed = type(whole.slice(0, at), whole.slice(at));
      expect(typed.map(({ text }) => text ?? "").join("")).toBe("pasted\x1b[3~ textx");
      expect(typed.some(({ keys }) => keys !== undefined)).toBe(false);
    }
  });
});

test("no piece has more than terminal.input takes, and printable text comes through in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme-ascii", minLength: 1 }), { maxLength: 50 }),
      (pieces) => {
        const typed = type(...pieces);
        expect(typed.map(({ text }) => text ?? "").join("")).toBe(pieces.join(""));
      },
    ),
  );
  const many = type("\x03".repeat(200));
  expect(many.every(({ keys = [] }) => keys.length <= 64)).toBe(true);
  expect(many.flatMap(({ keys = [] }) => keys)).toHaveLength(200);
});
