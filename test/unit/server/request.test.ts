import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadRequestError, BrokenPeerError, readRequest } from "../../../src/server/request.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const request = (fields: object): Uint8Array =>
  bytes(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sessions.list", ...fields }));

describe("readRequest", () => {
  test("takes a request, with params or without", () => {
    expect(readRequest(request({ params: { a: 1 } }))).toEqual({
      id: 1,
      method: "sessions.list",
      params: { a: 1 },
    });
    expect(readRequest(request({ id: "x" }))).toEqual({ id: "x", method: "sessions.list", params: {} });
  });

  test.each([
    ["an array", bytes("[]")],
    ["a batch", bytes('[{"jsonrpc":"2.0","id":1,"method":"sessions.list"}]')],
    ["a string", bytes('"x"')],
    ["null", bytes("null")],
    ["no JSON", bytes("{")],
    ["nothing", bytes("")],
    ["bytes that are no UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ["no id", bytes('{"jsonrpc":"2.0","method":"sessions.list"}')],
    ["a null id", request({ id: null })],
    ["an id that is a fraction", request({ id: 1.5 })],
    ["an id past 256 bytes", request({ id: "x".repeat(255) })],
    ["an id whose JSON is past 256 bytes", request({ id: "\u0001".repeat(43) })],
    ["65 levels", bytes(`{"jsonrpc":"2.0","id":1,"method":"x","params":${"[".repeat(64)}${"]".repeat(64)}}`)],
  ])("takes %s for a broken peer", (_what, message) => {
    expect(() => readRequest(message)).toThrow(BrokenPeerError);
  });

  test.each([
    ["another version", { jsonrpc: "1.0" }],
    ["no method", { method: undefined }],
    ["a method that is a number", { method: 5 }],
    ["a method past 100 characters", { method: "x".repeat(101) }],
    ["params that are a list", { params: [1] }],
    ["params that are a text", { params: "x" }],
    ["params that are null", { params: null }],
  ])("answers %s at its id", (_what, fields) => {
    expect(() => readRequest(request(fields))).toThrow(BadRequestError);
  });

  test("throws nothing else, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(bytes)), (message) => {
        try {
          readRequest(message);
        } catch (error) {
          expect(error instanceof BrokenPeerError || error instanceof BadRequestError).toBe(true);
        }
      }),
    );
  });
});
