import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64Url, toBase32, toBase64Url } from "../../../../src/protocol/seal/encoding.js";
import {
  deviceIdOf,
  generateKeyPair,
  isUsablePublicKey,
  keyPairOf,
} from "../../../../src/protocol/seal/identity.js";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe("base64url", () => {
  it("is Node's, and reads back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
        expect(toBase64Url(data)).toBe(Buffer.from(data).toString("base64url"));
        expect(fromBase64Url(toBase64Url(data), data.length)).toEqual(data);
      }),
    );
  });

  it.each([
    ["another length", toBase64Url(new Uint8Array(15))],
    ["padding", `${toBase64Url(new Uint8Array(16))}==`],
    ["the other alphabet", "AAAAAAAAAAAAAAAAAAAA+A"],
    ["white space", "AAAAAAAAAAAAAAAAAAAA A"],
    ["bits that no byte takes", "AAAAAAAAAAAAAAAAAAAAAB"],
    ["nothing", ""],
  ])("refuses %s", (_what, text) => {
    expect(fromBase64Url(text, 16)).toBeUndefined();
  });
});

describe("base32", () => {
  // the test vectors of RFC 4648, section 10
  it.each([
    ["", ""],
    ["f", "my"],
    ["fo", "mzxq"],
    ["foo", "mzxw6"],
    ["foob", "mzxw6yq"],
    ["fooba", "mzxw6ytb"],
    ["foobar", "mzxw6ytboi"],
  ])("of %j is %j", (text, encoded) => {
    expect(toBase32(new TextEncoder().encode(text))).toBe(encoded);
  });
});

describe("a device's id", () => {
  it("is 26 characters of the hash of its key, under a name of its own", () => {
    const key = new Uint8Array(32).fill(5);
    const hash = createHash("sha256").update("nexus device 1").update(key).digest();
    expect(deviceIdOf(key)).toBe(toBase32(hash).slice(0, 26));
    expect(deviceIdOf(key)).toMatch(/^[a-z2-7]{26}$/);
  });

  it("differs for every key", () => {
    fc.assert(
      fc.property(bytes(32), bytes(32), (one, other) => {
        expect(deviceIdOf(one) === deviceIdOf(other)).toBe(Buffer.compare(one, other) === 0);
      }),
    );
  });
});

describe("a key pair", () => {
  it("comes back from its secret key", () => {
    const pair = generateKeyPair();
    expect(keyPairOf(pair.secretKey)).toEqual(pair);
    expect(isUsablePublicKey(pair.publicKey)).toBe(true);
  });

  it("cannot be made of another number of bytes", () => {
    expect(() => keyPairOf(new Uint8Array(31))).toThrow();
    expect(isUsablePublicKey(new Uint8Array(31).fill(9))).toBe(false);
  });

  it("has one spelling: a public key that is not reduced is refused", () => {
    const { publicKey } = generateKeyPair();
    const highBit = publicKey.slice();
    highBit[31] = (highBit[31] ?? 0) | 0x80;
    // 9, the base point, written as 9 + p
    const unreduced = new Uint8Array(32).fill(0xff);
    unreduced[0] = 0xf6;
    unreduced[31] = 0x7f;
    expect(isUsablePublicKey(highBit)).toBe(false);
    expect(isUsablePublicKey(unreduced)).toBe(false);
    expect(isUsablePublicKey(Uint8Array.of(9, ...new Uint8Array(31)))).toBe(true);
  });
});
