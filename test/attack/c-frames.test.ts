/** Attacks by a device that is let in, on records, frames and JSON. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RPC_METHODS, type RpcMethod } from "../../src/protocol/rpc.js";
import type { BareClient } from "../support/bare-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { linkAgain, openTerminal, pairDevice, workspaceOf } from "../support/devices.js";

let daemon: TestDaemon;
let device: BareClient;
const links: BareClient[] = [];
beforeAll(async () => {
  daemon = await startDaemon();
  device = await pairDevice(daemon);
});
afterAll(() => daemon.dispose());
afterEach(() => {
  for (const link of links.splice(0)) link.socket.terminate();
});

async function link(): Promise<BareClient> {
  const client = await linkAgain(device);
  links.push(client);
  return client;
}

const list = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sessions.list", params: {} }));

describe("C1 a record that is repeated, left out, swapped or sent back", () => {
  test("repeated: typed once, then 4400", async () => {
    const client = await link();
    const workspaceId = await workspaceOf(daemon);
    const tab = await openTerminal(client, workspaceId, { command: "cat" });
    await client.call("terminal.wait", { ...tab, match: "cat" });
    const input = {
      jsonrpc: "2.0",
      id: 7,
      method: "terminal.input",
      params: { ...tab, text: "once!", enter: true },
    };
    const record = client.seal(Buffer.from(JSON.stringify(input)));
    client.socket.send(record);
    client.socket.send(record);
    expect((await client.closed).code).toBe(4400);
    await daemon.call("terminal.wait", { ...tab, match: "once!" });
    const { text } = await daemon.call("terminal.read", tab);
    expect(text.match(/once!/g)?.length).toBeLessThanOrEqual(2); // the echo and cat's own
    await daemon.call("terminal.close", { ...tab, force: true });
  });

  test("left out", async () => {
    const client = await link();
    client.seal(list);
    client.socket.send(client.seal(list));
    expect((await client.closed).code).toBe(4400);
  });

  test("swapped", async () => {
    const client = await link();
    const [first, second] = [client.seal(list), client.seal(list)];
    client.socket.send(second);
    client.socket.send(first);
    expect((await client.closed).code).toBe(4400);
  });

  test("of another link", async () => {
    const [client, other] = [await link(), await link()];
    client.socket.send(other.seal(list));
    expect((await client.closed).code).toBe(4400);
  });
});

test("C2 a flipped bit at any place, a cut and an added byte end the link", async () => {
  const whole = (await link()).seal(list);
  const places = [0, 1, 2, Math.floor(whole.length / 2), whole.length - 17, whole.length - 1];
  const spoilers: ((record: Buffer) => Buffer)[] = [
    ...places.map((place) => (record: Buffer) => {
      record[place] = (record[place] ?? 0) ^ 0x04;
      return record;
    }),
    (record) => record.subarray(0, -1),
    (record) => Buffer.concat([record, Buffer.from([0])]),
    () => Buffer.from([2]),
    () => Buffer.alloc(0),
  ];
  for (const spoil of spoilers) {
    const client = await link();
    client.socket.send(spoil(client.seal(list)));
    expect((await client.closed).code).toBe(4400);
  }
});

test("C3 three thousand calls cross the change of keys both ways", async () => {
  const client = await link();
  for (let i = 0; i < 3000; i += 50) {
    await Promise.all(Array.from({ length: 50 }, () => client.call("sessions.list")));
  }
});

describe("C4 what is no record on a sealed link", () => {
  test.each([
    ["plain JSON as text", (client: BareClient) => client.socket.send(list.toString())],
    ["plain JSON as bytes", (client: BareClient) => client.socket.send(list)],
    ["a second handshake", (client: BareClient) => client.socket.send(Buffer.alloc(114, 1))],
  ])("%s ends it with 4400, and the device can come again", async (_what, send) => {
    const client = await link();
    send(client);
    expect((await client.closed).code).toBe(4400);
    await (await link()).call("sessions.list");
  });
});

describe("C5 JSON that nests", () => {
  const nested = (levels: number): Buffer => {
    const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    return Buffer.from(
      `{"jsonrpc":"2.0","id":1,"method":"chat.answer","params":{"workspaceId":"w","tabId":"t","requestId":"r","decision":"allow","updatedInput":{"a":${deep}}}}`,
    );
  };

  test("65 levels end the link with 4400", async () => {
    const client = await link();
    client.socket.send(client.seal(nested(62)));
    expect((await client.closed).code).toBe(4400);
  });

  test("64 levels are answered", async () => {
    const client = await link();
    client.socket.send(client.seal(nested(61)));
    await client.call("sessions.list");
  });

  test("300,000 brackets do not hold the daemon", async () => {
    const [client, other] = [await link(), await link()];
    client.socket.send(client.seal(Buffer.from("[".repeat(300_000))));
    await other.call("sessions.list");
    expect((await client.closed).code).toBe(4400);
  });
});

test("C6 a device that sends a wide object does not hold up another", async () => {
  const [client, other] = [await link(), await link()];
  const wide = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1]));
  const answers = [client.ask("sessions.list", wide), client.ask("terminal.input", { keys: wide })];
  await other.call("sessions.list");
  const [first, second] = await Promise.all(answers);
  expect(first?.error).toBeUndefined();
  expect(second?.error?.code).toBe(-32602);
});

test("C7 a hundred thousand wrong entries get one short error", async () => {
  const client = await link();
  const answer = await client.ask("terminal.input", {
    workspaceId: "w",
    tabId: "t",
    keys: Array.from({ length: 60_000 }, () => "no key"),
  });
  expect(answer.error?.code).toBe(-32602);
  expect(JSON.stringify(answer).length).toBeLessThan(4096);
});

describe("C8 names that JavaScript knows", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is no id and no method",
    async (name) => {
      const client = await link();
      const ask = async (method: string, params: object): Promise<number | undefined> =>
        (await client.ask(method, params)).error?.code;
      expect(await ask("terminal.read", { workspaceId: name, tabId: name })).toBe(1001);
      expect(await ask("terminal.unwatch", { watchId: name })).toBe(1001);
      expect(await ask("sessions.unwatch", { watchId: name })).toBe(1001);
      expect(await ask("terminal.open", { workspaceId: name })).toBe(1001);
      expect(await ask(name, {})).toBe(-32601);
    },
  );

  test("keys of an object pollute nothing", async () => {
    const client = await link();
    client.sendJson(
      '{"jsonrpc":"2.0","id":5,"method":"sessions.list","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    );
    await client.call("sessions.list");
    expect(await client.ask("owner.status", {})).toMatchObject({ error: { code: -32601 } });
  });
});

describe("C9 a request that is none", () => {
  test.each([
    ["an unknown method", { method: "rpc.discover" }, -32601],
    ["a method that is a number", { method: 7 }, -32600],
    ["another version", { jsonrpc: "1.0" }, -32600],
    ["params that are a text", { params: "x" }, -32602],
    ["params that are a list", { params: ["w"] }, -32602],
    ["an owner's method without that right", { method: "owner.devices" }, -32601],
  ])("%s is answered at its id", async (_what, fields, code) => {
    const client = await link();
    const answer = await new Promise<{ error?: { code: number } }>((resolve, reject) => {
      client.ask("sessions.list", {}, 99).then(resolve, reject);
      client.sendJson(
        JSON.stringify({ jsonrpc: "2.0", id: 99, method: "sessions.list", params: {}, ...fields }),
      );
    });
    expect(answer.error === undefined || answer.error.code === code).toBe(true);
    // The first answer belongs to the good request; the bad one's follows.
    const second = await client.ask("sessions.list");
    expect(second.error).toBeUndefined();
  });

  test.each([
    ["a batch", "[]"],
    ["a text", '"hello"'],
    ["no JSON", "{"],
    ["a notification", '{"jsonrpc":"2.0","method":"sessions.list"}'],
    ["a null id", '{"jsonrpc":"2.0","id":null,"method":"sessions.list"}'],
  ])("%s has no id to answer: 4400", async (_what, text) => {
    const client = await link();
    client.sendJson(text);
    expect((await client.closed).code).toBe(4400);
  });
});

test("C11 of two hundred waits 64 of a link are held and the rest told at once", async () => {
  const client = await link();
  const tab = await openTerminal(client, await workspaceOf(daemon));
  await client.call("terminal.wait", { ...tab });
  let held = 0;
  let refused = 0;
  const waits = Array.from({ length: 200 }, () =>
    client.ask("terminal.wait", { ...tab, exit: true, timeoutMs: 3000 }).then((answer) => {
      if (answer.error?.code === 1003) refused++;
      else held++;
    }),
  );
  await Promise.all(waits);
  expect({ held, refused }).toEqual({ held: 64, refused: 136 });
  await daemon.call("terminal.close", { ...tab, force: true });
});

describe("C15 for each method a device without its right", () => {
  test.each(Object.keys(RPC_METHODS) as RpcMethod[])("%s is Forbidden", async (method) => {
    const needed = RPC_METHODS[method].capability;
    const without = (await pairedWithout()).get(needed);
    const answer = await without?.ask(method, sampleParams(method));
    expect(answer?.error?.code).toBe(1002);
  });

  let paired: Map<string, BareClient> | undefined;
  async function pairedWithout(): Promise<Map<string, BareClient>> {
    if (paired !== undefined) return paired;
    const all = [...new Set(Object.values(RPC_METHODS).map((method) => method.capability))];
    paired = new Map();
    for (const missing of all) {
      const client = await pairDevice(
        daemon,
        all.filter((one) => one !== missing),
      );
      paired.set(missing, client);
    }
    return paired;
  }
});

/** Params that fit a method's shape; what they name is not there. */
function sampleParams(method: RpcMethod): object {
  const common = {
    workspaceId: "w",
    tabId: "t",
    watchId: "x",
    agent: "claude",
    sessionId: "s",
    toolUseId: "u",
    requestId: "r",
    taskId: "k",
    decision: "allow",
    text: "",
    title: "t",
    name: "n",
    path: "p",
    mediaType: "image/png",
    data: "aGk=",
    ref: { kind: "user", itemKey: "k", index: 0 },
  };
  const { shape } = RPC_METHODS[method].params;
  return Object.fromEntries(Object.entries(common).filter(([key]) => key in shape));
}
