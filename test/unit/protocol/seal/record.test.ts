import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_FRAME_BYTES, MAX_MESSAGE_BYTES, MAX_PLAINTEXT_BYTES } from "../../../../src/protocol/limits.js";
import {
  MIN_PLAINTEXT_BYTES,
  padme,
  RECORD_AAD,
  REKEY_RECORDS,
  RecordError,
  RecordLink,
} from "../../../../src/protocol/seal/record.js";
import { nonceOf, rekey, TAG_BYTES } from "../../../../src/protocol/seal/symmetric.js";

const KEY_A = new Uint8Array(32).fill(1);
const KEY_B = new Uint8Array(32).fill(2);

const ends = (): [RecordLink, RecordLink] => [
  new RecordLink({ send: KEY_A, receive: KEY_B }),
  new RecordLink({ send: KEY_B, receive: KEY_A }),
];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("records", () => {
  it("carry any text and any bytes to the other end, in both directions at once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.oneof(fc.string(), fc.string({ unit: "binary" })))),
        (messages) => {
          const [left, right] = ends();
          for (const [leftward, message] of messages) {
            const [from, to] = leftward ? [right, left] : [left, right];
            expect(to.open(from.seal(message))).toEqual(new TextEncoder().encode(message));
          }
        },
      ),
    );
  });

  it("are laid out as the protocol says, to the byte", () => {
    const [left] = ends();
    left.seal("first");
    const record = left.seal('{"a":1}');
    const plaintext = chacha20poly1305(KEY_A, nonceOf(1), RECORD_AAD).decrypt(record.subarray(1));
    const expected = new Uint8Array(256);
    expected.set([0, 0, 0, 7, ...new TextEncoder().encode('{"a":1}')]);
    expect(record[0]).toBe(2);
    expect(plaintext).toEqual(expected);
  });

  it("take a message of exactly the bound, and fit a frame even then", () => {
    const [left, right] = ends();
    const record = left.seal(new Uint8Array(MAX_MESSAGE_BYTES).fill(97));
    expect(record.length).toBe(1 + MAX_PLAINTEXT_BYTES + TAG_BYTES);
    expect(Math.ceil(record.length / 3) * 4).toBeLessThan(MAX_FRAME_BYTES);
    expect(right.open(record).length).toBe(MAX_MESSAGE_BYTES);
  });

  it("refuse a message past the bound and stay usable", () => {
    const [left, right] = ends();
    expect(() => left.seal(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow(RangeError);
    expect(text(right.open(left.seal("next")))).toBe("next");
  });

  it("hide the length of every short message", () => {
    const [left] = ends();
    const lengths = new Set(["", "x", "x".repeat(251)].map((message) => left.seal(message).length));
    expect([...lengths]).toEqual([1 + MIN_PLAINTEXT_BYTES + TAG_BYTES]);
  });

  it("refuse a record whose message would end past it", () => {
    const plaintext = new Uint8Array(256);
    plaintext.set([0, 0, 0, 253]);
    const sealed = chacha20poly1305(KEY_A, nonceOf(0), RECORD_AAD).encrypt(plaintext);
    const [, right] = ends();
    expect(() => right.open(Uint8Array.of(2, ...sealed))).toThrow(RecordError);
  });

  it("count in the direction that had more of them", () => {
    const [left, right] = ends();
    for (let i = 0; i < 3; i++) right.open(left.seal("x"));
    left.open(right.seal("y"));
    expect([left.records, right.records]).toEqual([3, 3]);
  });

  it("cannot be sealed once the keys were forgotten", () => {
    const [left] = ends();
    left.dispose();
    expect(() => left.seal("x")).toThrow(RecordError);
  });
});

describe("the key of a direction", () => {
  it("is Noise's REKEY of the one before after 1024 records, and the counter starts again", () => {
    const [left] = ends();
    let record = new Uint8Array();
    for (let i = 0; i <= REKEY_RECORDS; i++) record = left.seal("x").slice();
    const next = chacha20poly1305(rekey(KEY_A), nonceOf(0), RECORD_AAD);
    expect(text(next.decrypt(record.subarray(1)).subarray(4, 5))).toBe("x");
    expect(() => chacha20poly1305(KEY_A, nonceOf(1024), RECORD_AAD).decrypt(record.subarray(1))).toThrow();
  });
});

describe("padme", () => {
  it("never shortens, adds at most an eighth, and gives the same for what it gave", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 21 }), (length) => {
        const padded = padme(length);
        expect(padded).toBeGreaterThanOrEqual(Math.max(length, MIN_PLAINTEXT_BYTES));
        if (length >= MIN_PLAINTEXT_BYTES) expect(padded - length).toBeLessThan(length / 8);
        expect(padme(padded)).toBe(padded);
      }),
    );
  });

  it.each([
    [0, 256],
    [255, 256],
    [256, 256],
    [257, 272],
    [1000, 1024],
    [1025, 1088],
    [65_537, 67_584],
    [MAX_PLAINTEXT_BYTES, 786_432],
  ])("makes %i bytes %i", (length, padded) => {
    expect(padme(length)).toBe(padded);
  });

  it("leaves a few hundred lengths to tell apart in the whole range", () => {
    const lengths = new Set<number>();
    for (let length = 0; length <= MAX_PLAINTEXT_BYTES; length += 13) lengths.add(padme(length));
    expect(lengths.size).toBeLessThan(300);
  });
});
