/** Every result at its worst fits the frame, by its own schema, and says what was left out. */
import { describe, expect, test } from "vitest";
import { FIT, type Fit } from "../../src/methods/fit.js";
import { MAX_FRAME_BYTES, MAX_MESSAGE_BYTES } from "../../src/protocol/limits.js";
import { RPC_METHODS, type RpcMethod } from "../../src/protocol/rpc.js";
import { RecordLink } from "../../src/protocol/seal/record.js";
import { FILLS, worstCase } from "../support/worst-case.js";

/** The longest id a request may have, so the least room for its result. */
const ENVELOPE = JSON.stringify({ jsonrpc: "2.0", id: "i".repeat(254), result: 0 }).length;
const BUDGET = MAX_MESSAGE_BYTES - ENVELOPE;

/** Images are made small before they are results; everything else is cut here. */
const SMALL_BY_MAKING: readonly RpcMethod[] = ["chat.image"];

/** Results of a few ids and numbers: their texts are ours, and short. */
const SMALL: readonly RpcMethod[] = (Object.keys(RPC_METHODS) as RpcMethod[]).filter((method) =>
  ["{}", "title", "tabId", "attachmentId", "at"].includes(
    Object.keys(RPC_METHODS[method].result.def.type === "object" ? shapeOf(method) : { many: 1 }).join() ||
      "{}",
  ),
);

function shapeOf(method: RpcMethod): object {
  const { result } = RPC_METHODS[method];
  return "shape" in result ? result.shape : {};
}

const methods = (Object.keys(RPC_METHODS) as RpcMethod[]).filter(
  (method) => !SMALL.includes(method) && !SMALL_BY_MAKING.includes(method),
);

const shapes = [
  { name: "few long texts", textChars: 800_000, entries: 3 },
  { name: "many short entries", textChars: 20, entries: 3_000 },
  { name: "many middling entries", textChars: 2_000, entries: 300 },
] as const;

describe.each(methods)("%s", (method) => {
  const { result: schema } = RPC_METHODS[method];
  const cases = shapes.flatMap((shape) =>
    Object.entries(FILLS).map(([what, fill]) => ({ shape, what, fill })),
  );

  test.each(cases)("with $shape.name of $what", ({ shape, fill }) => {
    // A text of lone surrogates costs JSON.stringify a hundred times what others do.
    const textChars = fill === FILLS["lone surrogates"] ? Math.min(shape.textChars, 60_000) : shape.textChars;
    const worst = worstCase(schema, { textChars, entries: shape.entries, fill });
    // A diff is of one file or a list of files, never both.
    if (method === "git.diff") delete (worst as { files?: unknown }).files;
    const json = Buffer.byteLength(JSON.stringify(worst));
    const fitted = (FIT[method] as Fit<RpcMethod>)(worst as never, BUDGET);
    const text = JSON.stringify(fitted);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(BUDGET, 0));
    expect(schema.safeParse(fitted).success).toBe(true);
    if (json > BUDGET)
      tellsTheTruth(method, worst as Record<string, unknown>, fitted as Record<string, unknown>);
    expect(sealedBytes(text)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
  });
});

const key = new Uint8Array(32);

function sealedBytes(result: string): number {
  return new RecordLink({ send: key, receive: key }).seal(`${" ".repeat(ENVELOPE)}${result}`).length;
}

/** What the schema has to say that something is missing, it says. */
function tellsTheTruth(
  method: RpcMethod,
  whole: Record<string, unknown>,
  fitted: Record<string, unknown>,
): void {
  const length = (of: Record<string, unknown>, field: string): number => (of[field] as unknown[]).length;
  if (method === "events.read" && length(fitted, "events") < length(whole, "events")) {
    expect(fitted.more).toBe(true);
    expect(length(fitted, "events")).toBeGreaterThan(0);
  }
  if ("truncated" in fitted && ("entries" in fitted || "files" in fitted)) {
    expect(fitted.truncated).toBe(true);
  }
  if (method === "chat.read" || method === "chat.watch") {
    expect(length(fitted, "items")).toBeGreaterThan(0);
    expect(fitted.total).toBe(whole.total);
  }
}
