import { readFileSync } from "node:fs";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { type KeyPair, NoiseHandshake, type NoiseOptions } from "../../../../src/protocol/seal/noise.js";
import { nonceOf } from "../../../../src/protocol/seal/symmetric.js";

interface Vector {
  protocol_name: string;
  set: string;
  init_prologue: string;
  resp_prologue: string;
  init_psks?: string[];
  resp_psks?: string[];
  init_static: string;
  init_ephemeral: string;
  init_remote_static: string;
  resp_static: string;
  resp_ephemeral: string;
  handshake_hash?: string;
  messages: { payload: string; ciphertext: string }[];
}

const file = new URL("../../../support/fixtures/noise-xk.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] };

const pairOf = (secret: string): KeyPair => ({
  secretKey: hexToBytes(secret),
  publicKey: x25519.getPublicKey(hexToBytes(secret)),
});

function sidesOf(vector: Vector): [NoiseHandshake, NoiseHandshake] {
  const psk = (psks: string[] | undefined): Pick<NoiseOptions, "psk"> =>
    psks?.[0] === undefined ? {} : { psk: hexToBytes(psks[0]) };
  const initiator = new NoiseHandshake({
    role: "initiator",
    prologue: hexToBytes(vector.init_prologue),
    keyPair: pairOf(vector.init_static),
    ephemeral: pairOf(vector.init_ephemeral),
    remoteKey: hexToBytes(vector.init_remote_static),
    ...psk(vector.init_psks),
  });
  const responder = new NoiseHandshake({
    role: "responder",
    prologue: hexToBytes(vector.resp_prologue),
    keyPair: pairOf(vector.resp_static),
    ephemeral: pairOf(vector.resp_ephemeral),
    ...psk(vector.resp_psks),
  });
  return [initiator, responder];
}

describe.each(vectors)("the $set vector of $protocol_name", (vector) => {
  it("is reproduced to the byte, transport messages too", () => {
    const [initiator, responder] = sidesOf(vector);
    vector.messages.slice(0, 3).forEach(({ payload, ciphertext }, i) => {
      const [writer, reader] = i % 2 === 0 ? [initiator, responder] : [responder, initiator];
      expect(bytesToHex(writer.writeMessage(hexToBytes(payload)))).toBe(ciphertext);
      expect(bytesToHex(reader.readMessage(hexToBytes(ciphertext)))).toBe(payload);
    });
    expect(initiator.done && responder.done).toBe(true);
    expect(bytesToHex(initiator.handshakeHash)).toBe(bytesToHex(responder.handshakeHash));
    if (vector.handshake_hash !== undefined) {
      expect(bytesToHex(initiator.handshakeHash)).toBe(vector.handshake_hash);
    }
    expect(bytesToHex(responder.remoteKey ?? new Uint8Array())).toBe(
      bytesToHex(pairOf(vector.init_static).publicKey),
    );
    const keys = [initiator.split(), responder.split()];
    expect(keys[0]?.send).toEqual(keys[1]?.receive);
    vector.messages.slice(3).forEach(({ payload, ciphertext }, i) => {
      // message 3 was the initiator's, so the responder writes the fourth
      const key = keys[(i + 1) % 2]?.send ?? new Uint8Array();
      const sealed = chacha20poly1305(key, nonceOf(Math.floor(i / 2))).encrypt(hexToBytes(payload));
      expect(bytesToHex(sealed)).toBe(ciphertext);
    });
  });
});

describe("a handshake", () => {
  const keys = { client: x25519.keygen(), server: x25519.keygen() };
  const sides = (): [NoiseHandshake, NoiseHandshake] => {
    const prologue = new Uint8Array(3);
    return [
      new NoiseHandshake({
        role: "initiator",
        prologue,
        keyPair: keys.client,
        remoteKey: keys.server.publicKey,
      }),
      new NoiseHandshake({ role: "responder", prologue, keyPair: keys.server }),
    ];
  };
  const none = new Uint8Array();

  it("refuses messages out of turn, a second time, and after its end", () => {
    const [client, server] = sides();
    expect(() => server.writeMessage(none)).toThrow();
    expect(() => client.readMessage(none)).toThrow();
    const first = client.writeMessage(none);
    expect(() => client.writeMessage(none)).toThrow();
    server.readMessage(first);
    client.readMessage(server.writeMessage(none));
    expect(() => client.split()).toThrow();
    server.readMessage(client.writeMessage(none));
    expect(() => client.writeMessage(none)).toThrow();
    expect(() => server.writeMessage(none)).toThrow();
  });

  it("cannot go on after a message that failed, even with the right one", () => {
    const [client, server] = sides();
    const first = client.writeMessage(none);
    expect(() => server.readMessage(concatBytes(first, Uint8Array.of(0)))).toThrow();
    expect(() => server.readMessage(first)).toThrow();
    expect(server.done).toBe(false);
    expect(() => server.split()).toThrow();
  });

  it("refuses messages that are too short for their keys", () => {
    for (const length of [0, 31, 32, 47]) {
      const [client, server] = sides();
      expect(() => server.readMessage(client.writeMessage(none).subarray(0, length))).toThrow();
    }
  });

  it("wants the responder's key from an initiator", () => {
    const options = { role: "initiator", prologue: none, keyPair: keys.client } as const;
    expect(() => new NoiseHandshake(options)).toThrow();
  });
});
