/** Row B8: a mode, offer or any other bit of the handshake changed on its way. */
import { describe, expect, it } from "vitest";
import { ClientHandshake, HandshakeError, ServerHandshake } from "../../src/protocol/seal/handshake.js";
import { generateKeyPair } from "../../src/protocol/seal/identity.js";

const server = generateKeyPair();
const client = generateKeyPair();
const offer = { offerId: new Uint8Array(16).fill(4), secret: new Uint8Array(16).fill(5) };
const INTENTS = {
  link: { mode: "link", payload: { client: "x" } },
  pair: { mode: "pair", payload: { name: "x", kind: "cli", wants: [] }, ...offer },
} as const;

/** Runs a handshake in which `change` may alter each message; true when the server takes the client. */
function accepted(
  mode: keyof typeof INTENTS,
  change: (which: number, message: Uint8Array) => Uint8Array,
): boolean {
  const caller = new ClientHandshake({ serverKey: server.publicKey, keyPair: client, intent: INTENTS[mode] });
  const called = new ServerHandshake({ keyPair: server, offerSecret: () => offer.secret });
  try {
    const { message3 } = caller.finish(change(2, called.answer(change(1, caller.start()))));
    called.finish(change(3, message3));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(HandshakeError);
    return false;
  }
}

function lengthsOf(mode: keyof typeof INTENTS): [number, number][] {
  const lengths: [number, number][] = [];
  accepted(mode, (which, message) => {
    lengths.push([which, message.length]);
    return message;
  });
  return lengths;
}

describe.each(["link", "pair"] as const)("B8 in the mode %s", (mode) => {
  it("takes the handshake as it is", () => {
    expect(accepted(mode, (_which, message) => message)).toBe(true);
  });

  it.each(lengthsOf(mode))(
    "takes none with a changed byte in message %i",
    (which, length) => {
      for (let at = 0; at < length; at++) {
        // each position once, with a bit that moves on: all bits of the heads are seen over the run
        for (const bit of at < 18 ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
          const flip = (current: number, message: Uint8Array): Uint8Array => {
            const changed = message.slice();
            if (current === which) changed[at] = (changed[at] ?? 0) ^ (1 << bit);
            return changed;
          };
          expect([at, bit, accepted(mode, flip)]).toEqual([at, bit, false]);
        }
      }
    },
    120_000,
  );

  it("takes none that is cut or longer", () => {
    for (const [which] of lengthsOf(mode)) {
      const cut = (current: number, message: Uint8Array) =>
        current === which ? message.slice(0, -1) : message;
      const longer = (current: number, message: Uint8Array) =>
        current === which ? Uint8Array.of(...message, 0) : message;
      expect(accepted(mode, cut)).toBe(false);
      expect(accepted(mode, longer)).toBe(false);
    }
  });
});

it("B8 the ephemeral key's top bit, which X25519 ignores, counts in the handshake all the same", () => {
  const top = (current: number, message: Uint8Array): Uint8Array => {
    const changed = message.slice();
    if (current === 1) changed[18 + 31] = (changed[18 + 31] ?? 0) ^ 0x80;
    return changed;
  };
  expect(accepted("link", top)).toBe(false);
});
