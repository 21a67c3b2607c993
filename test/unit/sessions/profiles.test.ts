import { describe, expect, it } from "vitest";
import { RpcErrorCode } from "../../../src/protocol/errors.js";
import { type ProfileConfig, Profiles } from "../../../src/sessions/profiles.js";

const work: ProfileConfig = { id: "work", name: "Work", agent: "claude", configDir: "/w" };
const home: ProfileConfig = { id: "home", name: "Home", agent: "claude", isDefault: true };
const phi: ProfileConfig = { id: "phi", name: "phi", agent: "codex", driver: "phi" };

describe("Profiles", () => {
  it("has one of its own for each agent without any", () => {
    expect(new Profiles().list()).toEqual([
      { id: "claude", name: "Claude", agent: "claude", isDefault: true },
      { id: "codex", name: "Codex", agent: "codex", isDefault: true },
    ]);
    expect(new Profiles([work]).list().map(({ id }) => id)).toEqual(["work", "codex"]);
  });

  it("lists those of one agent, with the flagged one or else the first as its default", () => {
    const profiles = new Profiles([work, home, phi]);
    expect(profiles.list("claude").map(({ id, isDefault }) => [id, isDefault])).toEqual([
      ["work", false],
      ["home", true],
    ]);
    expect(new Profiles([work, { ...home, isDefault: false }]).choose("claude").id).toBe("work");
    expect(profiles.list("codex")).toEqual([{ id: "phi", name: "phi", agent: "codex", isDefault: true }]);
  });

  it("chooses by id, else by name, of that agent only", () => {
    const profiles = new Profiles([work, home, phi]);
    expect(profiles.choose("claude", "work")).toMatchObject({ configDir: "/w", driver: "claude" });
    expect(profiles.choose("claude", "Home").id).toBe("home");
    expect(profiles.choose("codex")).toMatchObject({ id: "phi", driver: "phi" });
    for (const name of ["phi", "nothing", "__proto__", ""]) {
      expect(() => profiles.choose("claude", name)).toThrow(
        expect.objectContaining({ code: RpcErrorCode.NotFound }),
      );
    }
  });

  it("refuses two of one id, and two defaults of one agent", () => {
    expect(() => new Profiles([work, { ...phi, id: "work" }])).toThrow('"work"');
    expect(() => new Profiles([home, { ...work, isDefault: true }])).toThrow("default of claude");
  });
});
