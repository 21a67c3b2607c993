/** Requests of any shape to a real daemon: each is answered in the protocol's words, and none is a fault of ours. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RPC_METHODS, type RpcMethod } from "../../src/protocol/rpc.js";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { openTerminal, pairDevice, workspaceOf } from "../support/devices.js";

let daemon: TestDaemon;
let client: BareClient;
let ids: Record<string, string>;
beforeAll(async () => {
  daemon = await startDaemon();
  client = await pairDevice(daemon);
  ids = await openTerminal(client, await workspaceOf(daemon)).then((tab) => ({ ...tab }));
});
afterAll(() => daemon.dispose());

const KNOWN_ERRORS = [-32600, -32601, -32602, 1001, 1002, 1003];

/** Opening for real, a thousand times over, is another test's. */
const methods = (Object.keys(RPC_METHODS) as RpcMethod[]).filter(
  (method) => !["terminal.open", "terminal.wait", "chat.wait", "chat.new", "chat.resume"].includes(method),
);

const hostile = fc.oneof(
  fc.constantFrom("", "\0", "../..", "/etc/passwd", "__proto__", "\ud800", "a".repeat(5000), "\u001b[31m"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  hostile,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostile, { maxLength: 5 }),
  fc.dictionary(hostile, hostile, { maxKeys: 3 }),
);

/** Params of a method with fields that fit in part, are of other types in part, or are missing. */
const request = fc.constantFrom(...methods).chain((method) => {
  const { shape } = RPC_METHODS[method].params;
  const fields = Object.keys(shape).map((name) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined).map(() => ids[name] ?? goodValue(name)) },
        { weight: 2, arbitrary: value },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
    ),
  );
  return fc.tuple(fc.constant(method), fc.tuple(...fields), fc.dictionary(hostile, value, { maxKeys: 2 }));
});

function goodValue(name: string): unknown {
  const good: Record<string, unknown> = {
    limit: 5,
    lines: 5,
    path: ".",
    agent: "claude",
    text: "x",
    keys: ["left"],
    title: "t",
    decision: "deny",
    requestId: "r",
    watchId: "w",
  };
  return good[name];
}

test("every request gets an answer that is none of ours to be ashamed of", async () => {
  await fc.assert(
    fc.asyncProperty(request, async ([method, fields, extra]) => {
      const params = { ...extra, ...Object.fromEntries(fields) };
      const answer = await client.ask(method, params);
      if (answer.error !== undefined) {
        expect(KNOWN_ERRORS, `${method} ${JSON.stringify(params)}: ${answer.error.message}`).toContain(
          answer.error.code,
        );
        expect(JSON.stringify(answer.error).length).toBeLessThan(4096);
      }
    }),
    { numRuns: 600 },
  );
  expect(daemon.log()).not.toContain("failed unexpectedly");
});
