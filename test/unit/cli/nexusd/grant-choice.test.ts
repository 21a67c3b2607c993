import { expect, test } from "vitest";
import { grantOf, riskyOverHttp } from "../../../../src/cli/nexusd/grant-choice.js";

test.each([
  ["1", ["sessions", "chat.read", "terminal.read"]],
  ["watch", ["sessions", "chat.read", "terminal.read"]],
  ["1, agents", ["sessions", "chat.read", "terminal.read", "agents"]],
  ["sessions files", ["sessions", "files"]],
])("%j names its rights", (answer, rights) => {
  expect(grantOf(answer)).toEqual(rights);
});

test("the third set has all but agents and owner", () => {
  expect(grantOf("3")).toContain("terminal.control");
  expect(grantOf("3")).not.toContain("agents");
  expect(grantOf("3")).not.toContain("owner");
});

test.each(["", "4", "all", "terminal"])("%j names none", (answer) => {
  expect(() => grantOf(answer)).toThrow(/right/);
});

test("typing, agents and owner want a typed yes over plain http", () => {
  expect(riskyOverHttp(grantOf("3,agents,owner"))).toEqual(["terminal.control", "agents", "owner"]);
  expect(riskyOverHttp(grantOf("2"))).toEqual([]);
});
