import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ClientMessage,
  commonVersion,
  encodeData,
  encodeMessage,
  FrameReader,
  HOST_PROTOCOL_VERSION,
  OLDEST_VERSION,
} from "../../../../src/terminal/host/protocol.js";

function collect(): { got: unknown[]; reader: FrameReader<ClientMessage> } {
  const got: unknown[] = [];
  const reader = new FrameReader<ClientMessage>({
    message: (message) => got.push(message),
    data: ({ attachment, bytes }) => got.push([attachment, bytes.toString("latin1")]),
  });
  return { got, reader };
}

describe("frames between nexusd and its host", () => {
  test("arrive whole and in order, however the stream is cut", () => {
    const item = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(fc.array(item), fc.integer({ min: 1, max: 50 }), (items, cut) => {
        const { got, reader } = collect();
        const sent = items.map((value, index) =>
          typeof value === "string"
            ? encodeMessage({ type: "call", id: index, method: value, params: {} })
            : encodeData({ attachment: index, bytes: Buffer.from(value) }),
        );
        const stream = Buffer.concat(sent);
        for (let at = 0; at < stream.length; at += cut) reader.push(stream.subarray(at, at + cut));
        const wanted = items.map((value, index) =>
          typeof value === "string"
            ? JSON.parse(JSON.stringify({ type: "call", id: index, method: value, params: {} }))
            : [index, Buffer.from(value).toString("latin1")],
        );
        expect(got).toEqual(wanted);
      }),
    );
  });

  test("that are too long or of no known kind end the link", () => {
    expect(() => collect().reader.push(Buffer.from([0xff, 0xff, 0xff, 0xff, 0]))).toThrow(/too long/);
    expect(() => collect().reader.push(Buffer.from([0, 0, 0, 0, 9]))).toThrow(/unknown/);
  });
});

describe("the version", () => {
  test("is the newest that both speak; a host that is too new or too old has none", () => {
    expect(commonVersion({ oldest: 1, newest: HOST_PROTOCOL_VERSION })).toBe(HOST_PROTOCOL_VERSION);
    expect(commonVersion({ oldest: 1, newest: HOST_PROTOCOL_VERSION + 5 })).toBe(HOST_PROTOCOL_VERSION);
    expect(commonVersion({ oldest: HOST_PROTOCOL_VERSION + 1, newest: HOST_PROTOCOL_VERSION + 2 })).toBe(
      undefined,
    );
    expect(commonVersion({ oldest: 0, newest: OLDEST_VERSION - 1 })).toBe(undefined);
  });
});
