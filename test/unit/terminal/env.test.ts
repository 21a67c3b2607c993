import { afterEach, describe, expect, test } from "vitest";
import { hostEnv, terminalEnv } from "../../../src/terminal/env.js";

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

describe("the environment of a terminal", () => {
  test("says which terminal it is, and what the caller adds wins", () => {
    process.env.TERM = "dumb";
    process.env.TERM_PROGRAM_VERSION = "1";
    const env = terminalEnv({ NEXUS_TAB: "t" });
    expect(env).toMatchObject({
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TERM_PROGRAM: "nexusd",
      NEXUS_TAB: "t",
    });
    expect(env.TERM_PROGRAM_VERSION).toBeUndefined();
  });

  test("is UTF-8, by the user's own locale where it is", () => {
    for (const name of ["LANG", "LC_ALL", "LC_CTYPE"]) delete process.env[name];
    expect(terminalEnv({}).LC_CTYPE).toMatch(/UTF-8/);
    process.env.LANG = "de_DE.UTF-8";
    expect(terminalEnv({}).LC_CTYPE).toBeUndefined();
    expect(terminalEnv({}).LANG).toBe("de_DE.UTF-8");
  });

  test("has a search path also when there is none to inherit, and its own folder first and once", () => {
    process.env.PATH = "/own:/usr/bin";
    expect(terminalEnv({ binFolder: "/own" }).PATH).toBe("/own:/usr/bin");
    delete process.env.PATH;
    expect(terminalEnv({}).PATH).toContain("/usr/bin");
  });
});

test("the host runs with folders and locale alone", () => {
  process.env.SECRET_KEY = "x";
  process.env.NODE_OPTIONS = "--no-warnings";
  const names = Object.keys(hostEnv());
  expect(names).toContain("PATH");
  expect(names).not.toContain("SECRET_KEY");
  expect(names).not.toContain("NODE_OPTIONS");
});
