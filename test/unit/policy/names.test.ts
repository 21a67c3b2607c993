import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleName } from "../../../src/policy/names.js";

describe("visibleName", () => {
  it.each([
    ["Anna's phone", "Anna's phone"],
    ["  two\n\tlines  ", "two lines"],
    ["\u001b[2J\u001b[1;1HApproved", "[2J [1;1HApproved"],
    ["phone\u202egpj.exe", "phone gpj.exe"],
    ["a\u200bb", "a b"],
    ["日本語の電話", "日本語の電話"],
    ["é".normalize("NFD"), "é"],
    ["", "unnamed"],
    ["\u0000\u0007", "unnamed"],
    ["\u3164\u3164", "unnamed"],
    ["\u0301\u0301", "unnamed"],
    ["\ud800", "unnamed"],
  ])("shows %j as %j", (name, shown) => {
    expect(visibleName(name, "unnamed")).toBe(shown);
  });

  it("cuts to 64 visible characters, whole ones", () => {
    const flag = "👩‍🚀";
    expect(visibleName("x".repeat(200), "unnamed")).toBe("x".repeat(64));
    const many = visibleName("é".repeat(65), "unnamed");
    expect([...many]).toHaveLength(64);
    expect(visibleName(flag, "unnamed")).not.toContain("\u200d");
  });

  it("bounds the marks that one character may carry", () => {
    expect([...visibleName(`z${"\u0300".repeat(5000)}`, "unnamed")].length).toBeLessThanOrEqual(256);
  });

  it("is one printable line whatever comes, and changes no more when read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const shown = visibleName(text, "unnamed");
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(shown.trim()).toBe(shown);
        expect(shown).not.toBe("");
        expect(visibleName(shown, "unnamed")).toBe(shown);
      }),
    );
  });
});
