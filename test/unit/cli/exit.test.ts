import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { exitCodeOf, interrupted, sentenceOf, timedOut, usage } from "../../../src/cli/exit.js";
import { ClientError } from "../../../src/client/errors.js";
import { PairingError } from "../../../src/client/pairing.js";
import {
  forbidden,
  invalidParams,
  methodNotFound,
  notFound,
  RpcErrorCode,
  RpcFailure,
  unavailable,
} from "../../../src/protocol/errors.js";

test.each([
  [usage("Say what"), 2],
  [timedOut("Too long"), 6],
  [interrupted(), 130],
  [notFound("tab"), 3],
  [forbidden("No"), 4],
  [unavailable("Not now"), 5],
  [invalidParams("Wrong"), 2],
  [methodNotFound("x"), 1],
  [new RpcFailure(RpcErrorCode.InternalError, "Internal error (1)"), 1],
  [new ClientError("closed", "Not connected"), 5],
  [new ClientError("timeout", "No answer"), 6],
  [new ClientError("link-lost", "Lost"), 5],
  [new ClientError("bad-answer", "Odd"), 1],
  [new PairingError("bad-link", "No link"), 2],
  [new PairingError("denied", "No"), 4],
  [new PairingError("unreachable", "Not there"), 5],
  [new DOMException("late", "TimeoutError"), 6],
  [new CommanderError(1, "commander.unknownOption", "error"), 2],
  [new CommanderError(0, "commander.helpDisplayed", "(help)"), 0],
  [new TypeError("a bug"), 1],
  ["thrown text", 1],
])("%s ends with %i", (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

test("what commander told already is not told again, an interruption not at all", () => {
  expect(sentenceOf(new CommanderError(1, "commander.unknownOption", "error: …"))).toBe("");
  expect(sentenceOf(interrupted())).toBe("");
  expect(sentenceOf(notFound("tab"))).toBe("No such tab on this device");
});
