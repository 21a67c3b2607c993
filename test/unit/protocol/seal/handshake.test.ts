import { describe, expect, it } from "vitest";
import { MAX_UNAUTHENTICATED_BYTES } from "../../../../src/protocol/limits.js";
import {
  ClientHandshake,
  HandshakeError,
  type ProvenClient,
  ServerHandshake,
} from "../../../../src/protocol/seal/handshake.js";
import { deviceIdOf, generateKeyPair } from "../../../../src/protocol/seal/identity.js";
import { sasCode } from "../../../../src/protocol/seal/pairing.js";

const server = generateKeyPair();
const client = generateKeyPair();
const offer = { offerId: new Uint8Array(16).fill(4), secret: new Uint8Array(16).fill(5) };
const pairIntent = {
  mode: "pair",
  payload: { name: "Phone", kind: "phone", wants: ["sessions", "owner"] },
  ...offer,
} as const;
const linkIntent = { mode: "link", payload: { client: "test" } } as const;

const calling = (intent: ConstructorParameters<typeof ClientHandshake>[0]["intent"]): ClientHandshake =>
  new ClientHandshake({ serverKey: server.publicKey, keyPair: client, intent });
const serving = (secret: Uint8Array | undefined = offer.secret): ServerHandshake =>
  new ServerHandshake({ keyPair: server, offerSecret: () => secret });

function run(caller: ClientHandshake, called: ServerHandshake) {
  const finished = caller.finish(called.answer(caller.start()));
  return { ...finished, proven: called.finish(finished.message3) };
}

describe("a handshake to link", () => {
  it("proves the client's key and gives both sides the same records", () => {
    const { proven, records, message3 } = run(calling(linkIntent), serving());
    expect(proven).toMatchObject({ mode: "link", payload: { client: "test" } });
    expect(proven.clientKey).toEqual(client.publicKey);
    expect(proven.deviceId).toBe(deviceIdOf(client.publicKey));
    expect(new TextDecoder().decode(proven.records.open(records.seal("up")))).toBe("up");
    expect(new TextDecoder().decode(records.open(proven.records.seal("down")))).toBe("down");
    expect(message3.length).toBeLessThan(MAX_UNAUTHENTICATED_BYTES);
  });

  it("names no offer", () => {
    const called = serving();
    const message = calling(linkIntent).start();
    message[2] = 1;
    expect(() => called.answer(message)).toThrow(HandshakeError);
  });
});

describe("a handshake to pair", () => {
  it("gives both sides the same six digits, and the server the device's words", () => {
    const { proven, handshakeHash } = run(calling(pairIntent), serving());
    expect(proven).toMatchObject({ mode: "pair", payload: pairIntent.payload, offerId: offer.offerId });
    expect(sasCode(proven.handshakeHash)).toBe(sasCode(handshakeHash));
  });

  it("gives each run digits of its own", () => {
    const codes = new Set(
      Array.from({ length: 5 }, () => sasCode(run(calling(pairIntent), serving()).handshakeHash)),
    );
    expect(codes.size).toBeGreaterThan(1);
  });

  it("drops wishes that are no rights of this version, and doubles", () => {
    const wants = ["sessions", "sessions", "everything", "__proto__"] as never;
    const intent = { ...pairIntent, payload: { ...pairIntent.payload, wants } };
    expect(run(calling(intent), serving()).proven.payload).toMatchObject({ wants: ["sessions"] });
  });

  it("runs to message 3 without an offer, and fails there as with a wrong secret", () => {
    for (const secret of [undefined, new Uint8Array(16)]) {
      const caller = calling(pairIntent);
      const called = new ServerHandshake({ keyPair: server, offerSecret: () => secret });
      const { message3 } = caller.finish(called.answer(caller.start()));
      expect(called.offerId).toEqual(offer.offerId);
      expect(() => called.finish(message3)).toThrow(new HandshakeError());
    }
  });
});

describe("the serving side", () => {
  it("says nothing to a client that has another key for it", () => {
    const caller = new ClientHandshake({
      serverKey: generateKeyPair().publicKey,
      keyPair: client,
      intent: linkIntent,
    });
    expect(() => serving().answer(caller.start())).toThrow(HandshakeError);
  });

  it("takes the messages once each and in order", () => {
    const caller = calling(linkIntent);
    const called = serving();
    const message1 = caller.start();
    expect(() => called.finish(message1)).toThrow(HandshakeError);
    const { message3 } = caller.finish(called.answer(message1));
    expect(() => called.answer(message1)).toThrow(HandshakeError);
    called.finish(message3);
    expect(() => called.finish(message3)).toThrow(HandshakeError);
  });

  it.each([
    ["an empty message", new Uint8Array(0)],
    ["the type byte alone", Uint8Array.of(1)],
    ["a head alone", Uint8Array.of(1, 1, ...new Uint8Array(16))],
    ["zeros of the right length", Uint8Array.of(1, 1, ...new Uint8Array(64))],
    ["another mode", Uint8Array.of(1, 3, ...new Uint8Array(64))],
    ["a record", Uint8Array.of(2, 1, ...new Uint8Array(64))],
  ])("refuses %s", (_what, message) => {
    expect(() => serving().answer(message)).toThrow(HandshakeError);
  });

  it.each([
    ["an array", "[]"],
    ["no client", "{}"],
    ["a client that is no text", '{"client":1}'],
    ["a client that is too long", JSON.stringify({ client: "x".repeat(201) })],
  ])("refuses a proven client whose message 3 says %s", (_what, json) => {
    const caller = new ClientHandshake({
      serverKey: server.publicKey,
      keyPair: client,
      intent: { mode: "link", payload: { toJSON: () => JSON.parse(json) } as never },
    });
    const called = serving();
    const { message3 } = caller.finish(called.answer(caller.start()));
    expect(() => called.finish(message3)).toThrow(HandshakeError);
  });

  it("computes the id from the key, whatever the payload claims", () => {
    const payload = { client: "test", id: "someone-else", deviceId: "someone-else" };
    const { proven } = run(calling({ mode: "link", payload }), serving());
    expect(proven.deviceId).toBe(deviceIdOf(client.publicKey));
    expect(Object.keys(proven.payload)).toEqual(["client"]);
  });

  it("refuses a client key in its second spelling", () => {
    const odd = { ...client, publicKey: client.publicKey.slice() };
    odd.publicKey[31] = (odd.publicKey[31] ?? 0) | 0x80;
    const caller = new ClientHandshake({ serverKey: server.publicKey, keyPair: odd, intent: linkIntent });
    const called = serving();
    const { message3 } = caller.finish(called.answer(caller.start()));
    expect(() => called.finish(message3)).toThrow(HandshakeError);
  });
});

describe("the calling side", () => {
  it("goes no further when someone with another key answers", () => {
    const other = new ServerHandshake({ keyPair: generateKeyPair(), offerSecret: () => offer.secret });
    const caller = calling(pairIntent);
    const message1 = caller.start();
    expect(() => other.answer(message1)).toThrow(HandshakeError);
    const forged = new Uint8Array(1 + 32 + 16).fill(9);
    forged[0] = 1;
    expect(() => caller.finish(forged)).toThrow(HandshakeError);
  });

  it("refuses a message 2 recorded from another run", () => {
    const first = calling(linkIntent);
    const recorded = serving().answer(first.start());
    const second = calling(linkIntent);
    second.start();
    expect(() => second.finish(recorded)).toThrow(HandshakeError);
  });
});

it("a recorded run cannot be played again: message 3 belongs to the server's own ephemeral key", () => {
  const caller = calling(linkIntent);
  const message1 = caller.start();
  const first = serving();
  const { message3 } = caller.finish(first.answer(message1));
  const proven: ProvenClient = first.finish(message3);
  expect(proven.mode).toBe("link");
  const second = serving();
  second.answer(message1);
  expect(() => second.finish(message3)).toThrow(HandshakeError);
});
