import { expect, test } from "vitest";
import { ByteSender } from "../../../src/cli/byte-sender.js";
import { waitFor } from "../../support/wait-for.js";

/** Collects what is sent; each piece is taken when `release` is called. */
function held(): { sender: ByteSender; sent: Buffer[]; errors: unknown[]; release(error?: Error): void } {
  const sent: Buffer[] = [];
  const errors: unknown[] = [];
  let settle: ((error?: Error) => void) | undefined;
  const sender = new ByteSender(
    (bytes) =>
      new Promise((resolve, reject) => {
        sent.push(bytes);
        settle = (error) => (error === undefined ? resolve() : reject(error));
      }),
    (error) => errors.push(error),
  );
  return { sender, sent, errors, release: (error) => settle?.(error) };
}

test("one piece is on its way at a time, and what is typed meanwhile goes together in order", async () => {
  const { sender, sent, release } = held();
  for (const typed of ["a", "b", "c"]) sender.push(Buffer.from(typed));
  expect(sent.map(String)).toEqual(["a"]);
  release();
  await waitFor("the rest", () => sent.length === 2);
  expect(sent.map(String)).toEqual(["a", "bc"]);
});

test("a large paste goes in pieces that fit a request", async () => {
  const { sender, sent, release } = held();
  const bytes = Buffer.alloc(200_000, "x");
  sender.push(bytes);
  await waitFor("all of it", () => {
    release();
    return Buffer.concat(sent).length === bytes.length;
  });
  for (const piece of sent) expect(piece.toString("base64").length).toBeLessThanOrEqual(131_072);
});

test("past its bound more typing is dropped, and a failure is told once", async () => {
  const { sender, sent, errors, release } = held();
  sender.push(Buffer.from("first"));
  sender.push(Buffer.alloc(1024 * 1024));
  sender.push(Buffer.from("too much"));
  release(new Error("gone"));
  await waitFor("the failure", () => errors.length === 1);
  expect(Buffer.concat(sent).toString()).toBe("first");
});
