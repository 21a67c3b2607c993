/** Row B7: public keys of low order, as a client's static or ephemeral key, as a server's, or to be stored. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { ClientHandshake, HandshakeError, ServerHandshake } from "../../src/protocol/seal/handshake.js";
import { generateKeyPair, isUsablePublicKey } from "../../src/protocol/seal/identity.js";
import { NoiseHandshake } from "../../src/protocol/seal/noise.js";
import { formatPairLink, parsePairLink, prologueOf } from "../../src/protocol/seal/pairing.js";

/** The points of order 1, 2, 4 and 8 on the curve and its twist, in every spelling below 2^255, then two with the top bit. */
const LOW_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000080",
].map(hexToBytes);

const server = generateKeyPair();
const prologue = prologueOf({ mode: 1, offerId: new Uint8Array(16), serverKey: server.publicKey });
const serving = (): ServerHandshake => new ServerHandshake({ keyPair: server, offerSecret: () => undefined });
const head = Uint8Array.of(1, 1, ...new Uint8Array(16));

describe.each(LOW_ORDER.map((key) => ({ key, hex: Buffer.from(key).toString("hex") })))(
  "B7 $hex",
  ({ key }) => {
    it("is no key to store, nor one of a link to pair with", () => {
      expect(isUsablePublicKey(key)).toBe(false);
      const link = { url: "http://h/", offerId: new Uint8Array(16), secret: new Uint8Array(16) };
      expect(parsePairLink(formatPairLink({ ...link, serverKey: key }))).toBeUndefined();
    });

    it("is refused as a client's ephemeral key", () => {
      const message1 = new Uint8Array(head.length + 48);
      message1.set(head);
      message1.set(key, head.length);
      expect(() => serving().answer(message1)).toThrow(HandshakeError);
    });

    it("is refused as a client's static key, whose owner knows the product without a secret", () => {
      const client = new NoiseHandshake({
        role: "initiator",
        prologue,
        keyPair: { publicKey: key, secretKey: new Uint8Array(32).fill(3) },
        remoteKey: server.publicKey,
      });
      const called = serving();
      client.readMessage(
        called.answer(Buffer.concat([head, client.writeMessage(new Uint8Array())])).subarray(1),
      );
      const message3 = client.writeMessage(new TextEncoder().encode('{"client":"x"}'));
      expect(() => called.finish(Buffer.concat([Uint8Array.of(1), message3]))).toThrow(HandshakeError);
    });

    it("is refused as a server's ephemeral key", () => {
      const keyPair = generateKeyPair();
      const intent = { mode: "link", payload: { client: "x" } } as const;
      const caller = new ClientHandshake({ serverKey: server.publicKey, keyPair, intent });
      caller.start();
      expect(() => caller.finish(Uint8Array.of(1, ...key, ...new Uint8Array(16)))).toThrow(HandshakeError);
    });
  },
);
