/** Rows C15 and E18, over the whole registry: each method without its right, with and without a sender, and what is written down. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAgentMethod } from "../../src/policy/agents.js";
import { CAPABILITIES, type Capability } from "../../src/protocol/capabilities.js";
import { isRpcMethod, RPC_METHODS, type RpcMethod } from "../../src/protocol/rpc.js";
import { hasEffect } from "../../src/server/audited.js";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { pairDevice, workspaceOf } from "../support/devices.js";

const ref = { workspaceId: "w", tabId: "t" };
const watch = { watchId: "watch" };

/** Params that fit each method's schema and name nothing that is there. */
const PARAMS: Record<RpcMethod, object> = {
  "sessions.list": {},
  "sessions.watch": {},
  "sessions.unwatch": watch,
  "events.read": {},
  "profiles.list": {},
  "history.list": { workspaceId: "w", agent: "claude" },
  "chat.read": ref,
  "chat.watch": ref,
  "chat.unwatch": watch,
  "chat.settings": ref,
  "chat.commands": ref,
  "chat.panel": ref,
  "chat.tool": { ...ref, toolUseId: "u" },
  "chat.wait": ref,
  "chat.image": { ...ref, ref: { kind: "user", itemKey: "k", index: 0 } },
  "chat.send": { ...ref, text: "x" },
  "chat.attach": { ...ref, mediaType: "image/png", data: "aGk=" },
  "chat.answer": { ...ref, requestId: "r", decision: "deny" },
  "chat.interrupt": ref,
  "chat.configure": { ...ref, model: "m" },
  "chat.command": { ...ref, name: "clear" },
  "chat.stopTask": { ...ref, taskId: "t" },
  "chat.rename": { ...ref, title: "x" },
  "chat.resume": { workspaceId: "w", agent: "claude", sessionId: "s" },
  "chat.new": { workspaceId: "w", agent: "claude" },
  "chat.close": ref,
  "terminal.read": ref,
  "terminal.watch": ref,
  "terminal.unwatch": watch,
  "terminal.input": { ...ref, text: "x" },
  "terminal.wait": ref,
  "terminal.answer": { ...ref, requestId: "r", decision: "deny" },
  "terminal.shells": { workspaceId: "w" },
  "terminal.open": { workspaceId: "w" },
  "terminal.rename": { ...ref, title: "x" },
  "terminal.close": ref,
  "files.list": { workspaceId: "w", path: "" },
  "files.read": { workspaceId: "w", path: "x" },
  "git.status": { workspaceId: "w" },
  "git.diff": { workspaceId: "w", path: "x" },
  "git.log": { workspaceId: "w" },
};

const METHODS = Object.keys(RPC_METHODS).filter(isRpcMethod);
const from = { kind: "tab", workspaceId: "w2", tabId: "t2", hops: 1 };
const FORBIDDEN = 1002;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon?.dispose());

async function without(missing: Capability): Promise<BareClient> {
  return await pairDevice(
    daemon,
    CAPABILITIES.filter((capability) => capability !== missing && capability !== "owner"),
    { name: `all but ${missing}` },
  );
}

/** How often each method stands in the log for a device. */
async function audited(client: BareClient): Promise<Map<string, number>> {
  const { entries } = await daemon.owner("owner.audit", { limit: 500 });
  const counts = new Map<string, number>();
  for (const { device, method } of entries) {
    if (device === client.deviceId && isRpcMethod(String(method))) {
      counts.set(String(method), (counts.get(String(method)) ?? 0) + 1);
    }
  }
  return counts;
}

const rights = [...new Set(METHODS.map((method) => RPC_METHODS[method].capability))];

describe.each(rights)("C15: without the right %s", (capability) => {
  test("each of its methods is Forbidden, and each with an effect is one line of the log", async () => {
    const client = await without(capability);
    const mine = METHODS.filter((method) => RPC_METHODS[method].capability === capability);
    for (const method of mine) {
      expect([method, (await client.ask(method, PARAMS[method])).error?.code]).toEqual([method, FORBIDDEN]);
    }
    const acting = mine.filter(hasEffect);
    expect(await audited(client)).toEqual(new Map(acting.map((method) => [method, 1])));
    await client.close();
  });

  test("all others go on to what they are about", async () => {
    const client = await without(capability);
    const others = METHODS.filter(
      (method) => RPC_METHODS[method].capability !== capability && !method.endsWith("list"),
    );
    for (const method of others) {
      expect([method, (await client.ask(method, PARAMS[method])).error?.code]).not.toEqual([
        method,
        FORBIDDEN,
      ]);
    }
    await client.close();
  });
});

describe("C15: with a sender", () => {
  const takers = METHODS.filter(isAgentMethod);

  test("a device without the right agents is Forbidden, whatever else it holds", async () => {
    const client = await without("agents");
    for (const method of takers) {
      const { error } = await client.ask(method, { ...PARAMS[method], from });
      expect([method, error?.code]).toEqual([method, FORBIDDEN]);
    }
    expect(await audited(client)).toEqual(new Map(takers.map((method) => [method, 1])));
    await client.close();
  });

  test("the right agents stands for the method's own, and goes on to the target", async () => {
    const client = await pairDevice(daemon, ["agents"], { name: "only agents" });
    for (const method of takers) {
      const without = await client.ask(method, PARAMS[method]);
      const withSender = await client.ask(method, { ...PARAMS[method], from });
      expect([method, without.error?.code, withSender.error?.code]).toEqual([method, FORBIDDEN, 1001]);
    }
    const counts = await audited(client);
    expect(counts).toEqual(new Map(takers.map((method) => [method, 2])));
    await client.close();
  });

  test("a method that takes none looks at the device's own right alone", async () => {
    const client = await pairDevice(daemon, ["agents"], { name: "no takers" });
    for (const method of METHODS.filter((one) => !isAgentMethod(one))) {
      const { error } = await client.ask(method, { ...PARAMS[method], from });
      expect([method, error?.code]).toEqual([method, FORBIDDEN]);
    }
    await client.close();
  });
});

test("E18: nothing of all that had an effect, and the log is whole", async () => {
  await workspaceOf(daemon);
  const { sessions } = await daemon.call("sessions.list", {});
  expect(sessions).toEqual([]);
  expect(await daemon.owner("owner.audit.verify", {})).toMatchObject({ ok: true });
});
