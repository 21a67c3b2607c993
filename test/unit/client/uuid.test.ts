import { expect, it } from "vitest";
import { randomUuid } from "../../../src/client/uuid.js";
import { UUID_PATTERN } from "../../../src/protocol/limits.js";

it("request ids are UUIDs as the protocol knows them, each another", () => {
  const ids = Array.from({ length: 500 }, randomUuid);
  for (const id of ids) expect(id).toMatch(UUID_PATTERN);
  expect(new Set(ids).size).toBe(500);
});
