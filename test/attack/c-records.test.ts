/** Rows C1 to C3 at the record layer: order, changed bytes, and the rekey boundary. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecordError, RecordLink } from "../../src/protocol/seal/record.js";

const KEYS = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;
const ends = (): [RecordLink, RecordLink] => [
  new RecordLink({ send: KEYS[0], receive: KEYS[1] }),
  new RecordLink({ send: KEYS[1], receive: KEYS[0] }),
];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The link is over: what would have opened does not, and nothing is sealed any more. */
function expectDead(link: RecordLink, next: Uint8Array): void {
  expect(() => link.open(next)).toThrow(RecordError);
  expect(() => link.seal("x")).toThrow(RecordError);
}

describe("C1", () => {
  it("a replayed, dropped, swapped or reflected record opens nothing and ends the link", () => {
    const deliveries: Record<string, (records: Uint8Array[], own: Uint8Array) => Uint8Array[]> = {
      replayed: ([a]) => [a, a] as Uint8Array[],
      dropped: ([, b]) => [b] as Uint8Array[],
      swapped: ([a, b]) => [b, a] as Uint8Array[],
      reflected: (_records, own) => [own],
    };
    for (const [what, deliver] of Object.entries(deliveries)) {
      const [left, right] = ends();
      const records = ["a", "b", "c"].map((message) => left.seal(message));
      const order = deliver(records, right.seal("own"));
      const bad = order.pop() ?? new Uint8Array();
      if (what === "swapped") expect(() => right.open(order[0] ?? bad)).toThrow(RecordError);
      else for (const record of order) right.open(record);
      expect(() => right.open(bad), what).toThrow(RecordError);
      expectDead(right, records[1] ?? bad);
    }
  });

  it("whatever the order, only the records before the first wrong one open", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 12 }), (order) => {
        const [left, right] = ends();
        const records = Array.from({ length: 10 }, (_, i) => left.seal(`${i}`));
        let alive = true;
        order.forEach((pick, at) => {
          const record = records[pick] ?? new Uint8Array();
          alive &&= pick === at;
          if (alive) expect(text(right.open(record))).toBe(`${pick}`);
          else expect(() => right.open(record)).toThrow(RecordError);
        });
      }),
    );
  });
});

describe("C2", () => {
  it("a changed byte at any position of a record ends the link", () => {
    const [left] = ends();
    const record = left.seal('{"a":1}');
    for (let at = 0; at < record.length; at++) {
      const [, right] = ends();
      const changed = record.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      expect(() => right.open(changed)).toThrow(RecordError);
      expectDead(right, record);
    }
  });

  it("a record cut or lengthened anywhere ends the link", () => {
    const [left] = ends();
    const record = left.seal("x");
    const longer = Uint8Array.of(...record, 0);
    for (const changed of [...Array(record.length).keys()]
      .map((end) => record.subarray(0, end))
      .concat(longer)) {
      const [, right] = ends();
      expect(() => right.open(changed)).toThrow(RecordError);
      expectDead(right, record);
    }
  });
});

describe("C3", () => {
  it("every record around the change of keys opens, each way, whatever the mix of directions", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(1, 3, 10), (seed, weight) => {
        const [left, right] = ends();
        const counts = [0, 0];
        let state = seed >>> 0;
        while (Math.min(...counts) < 1030) {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          const rightward = state % (weight + 1) !== 0;
          const [from, to, way] = rightward ? [left, right, 0] : [right, left, 1];
          const message = `${way} ${counts[way]}`;
          expect(text(to.open(from.seal(message)))).toBe(message);
          counts[way] = (counts[way] ?? 0) + 1;
        }
      }),
      { numRuns: 6 },
    );
  });

  it.each([1023, 1024, 1025, 2048])(
    "record %i is lost like any other: the next one ends the link",
    (lost) => {
      const [left, right] = ends();
      for (let i = 0; i < lost; i++) right.open(left.seal("x"));
      left.seal("lost");
      expect(() => right.open(left.seal("next"))).toThrow(RecordError);
    },
  );
});
