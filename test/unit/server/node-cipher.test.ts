import fc from "fast-check";
import { expect, it } from "vitest";
import { nobleCipher, RecordLink } from "../../../src/protocol/seal/record.js";
import { nonceOf, TAG_BYTES } from "../../../src/protocol/seal/symmetric.js";
import { nodeCipher } from "../../../src/server/node-cipher.js";

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const counter = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const plain = fc.uint8Array({ maxLength: 4096 });

it("seals and opens the very bytes of the portable cipher", () => {
  fc.assert(
    fc.property(key, counter, plain, (k, n, data) => {
      const [node, noble, nonce] = [nodeCipher(k), nobleCipher(k), nonceOf(n)];
      const sealed = node.seal(nonce, data);
      expect(sealed).toEqual(noble.seal(nonce, data));
      expect(new Uint8Array(node.open(nonce, sealed))).toEqual(data);
      expect(noble.open(nonce, sealed)).toEqual(data);
    }),
  );
});

it("refuses what the portable cipher refuses: a flipped bit, a cut, another nonce", () => {
  fc.assert(
    fc.property(key, plain, fc.nat(), fc.integer({ min: 1, max: 255 }), (k, data, at, flip) => {
      const cipher = nodeCipher(k);
      const sealed = cipher.seal(nonceOf(5), data);
      const flipped = sealed.slice();
      flipped[at % flipped.length] = (flipped[at % flipped.length] ?? 0) ^ flip;
      expect(() => cipher.open(nonceOf(5), flipped)).toThrow();
      expect(() => cipher.open(nonceOf(5), sealed.subarray(1))).toThrow();
      expect(() => cipher.open(nonceOf(6), sealed)).toThrow();
      expect(() => cipher.open(nonceOf(5), sealed.subarray(0, TAG_BYTES - 1))).toThrow();
    }),
  );
});

it("goes with the portable one over a link, rekeys included", () => {
  const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const node = new RecordLink({ send: one, receive: two }, nodeCipher);
  const portable = new RecordLink({ send: two, receive: one });
  for (let i = 0; i < 1100; i++) {
    expect(portable.open(node.seal(`${i}`)).length).toBe(String(i).length);
    expect(node.open(portable.seal(`${i}`)).length).toBe(String(i).length);
  }
});
