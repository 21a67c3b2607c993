import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPABILITIES } from "../../../src/protocol/capabilities.js";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import {
  checkKind,
  checkOverHttp,
  GRANT_SETS,
  knownRights,
  nameGrant,
  resolveGrant,
} from "../../../src/protocol/grants.js";

describe("resolveGrant", () => {
  it.each([
    ["watch", ["sessions", "chat.read", "terminal.read"]],
    ["steer", ["sessions", "chat.read", "chat.control", "terminal.read", "files", "git"]],
    [
      "everything",
      ["sessions", "chat.read", "chat.control", "terminal.read", "terminal.control", "files", "git"],
    ],
    ["watch,agents", ["sessions", "chat.read", "terminal.read", "agents"]],
    ["git, files  sessions", ["sessions", "files", "git"]],
    ["owner", ["owner"]],
  ])("reads %j", (text, rights) => {
    expect(resolveGrant(text)).toEqual(rights);
  });

  it.each(["", " , ", "Watch", "toString", "__proto__", "terminal", "watch,evil"])("refuses %j", (text) => {
    expect(() => resolveGrant(text)).toThrow(expect.objectContaining({ code: RpcErrorCode.InvalidParams }));
  });

  it("gives agents and owner by no set", () => {
    for (const set of Object.values(GRANT_SETS)) {
      expect(set).not.toContain("agents");
      expect(set).not.toContain("owner");
    }
  });
});

describe("knownRights", () => {
  it("keeps what it knows, once and in the protocol's order, and drops the rest", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...CAPABILITIES), fc.string())), (words) => {
        expect(knownRights(words)).toEqual(CAPABILITIES.filter((right) => words.includes(right)));
      }),
    );
  });

  it("names a grant so that reading the name gives it back", () => {
    fc.assert(
      fc.property(fc.subarray([...CAPABILITIES], { minLength: 1 }), (rights) => {
        expect(resolveGrant(nameGrant(rights))).toEqual(rights);
      }),
    );
  });
});

describe("what needs more than a tick", () => {
  it("gives a daemon no right but agents", () => {
    for (const right of CAPABILITIES) {
      if (right === "agents") expect(() => checkKind("daemon", [right])).not.toThrow();
      else {
        expect(() => checkKind("daemon", ["agents", right])).toThrow(
          expect.objectContaining({ code: RpcErrorCode.Forbidden }),
        );
      }
      expect(() => checkKind("phone", [right])).not.toThrow();
    }
  });

  it("gives a page from plain http terminal.control, agents and owner only by the yes", () => {
    const risky = CAPABILITIES.filter((right) => {
      try {
        checkOverHttp([right], false);
        return false;
      } catch {
        return true;
      }
    });
    expect(risky).toEqual(["terminal.control", "agents", "owner"]);
    expect(() => checkOverHttp([...CAPABILITIES], true)).not.toThrow();
  });
});
