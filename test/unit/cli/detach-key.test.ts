import { expect, test } from "vitest";
import { findDetachKey, parseDetachKey } from "../../../src/cli/detach-key.js";

test("the key is found as a control and as newer keyboards send it", () => {
  const key = parseDetachKey("Ctrl-]");
  expect(key.name).toBe("ctrl-]");
  expect(findDetachKey(Buffer.from("ab\x1dc"), key)).toBe(2);
  expect(findDetachKey(Buffer.from("a\x1b[93;5u"), key)).toBe(1);
  expect(findDetachKey(Buffer.from("\x1b[27;5;93~"), key)).toBe(0);
  expect(findDetachKey(Buffer.from("日]a\x1b[93u"), key)).toBe(-1);
});

test.each([
  ["ctrl-a", 1],
  ["ctrl-\\", 0x1c],
  ["ctrl-^", 0x1e],
  ["ctrl-_", 0x1f],
])("%s is the control %i", (name, code) => {
  expect(parseDetachKey(name).forms[0]).toBe(String.fromCharCode(code));
});

test.each(["a", "ctrl-", "ctrl-ab", "ctrl-1", "esc", ""])("%j is refused", (name) => {
  expect(() => parseDetachKey(name)).toThrow(/ctrl-/);
});
