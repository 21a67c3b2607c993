import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { allowedHost, allowedOrigin, hostRules } from "../../../src/server/origin.js";

const rules = hostRules({
  publicUrl: "https://desk.tailnet.example",
  allowedHosts: ["nexus.test"],
  allowedOrigins: ["https://tunnel.example"],
});

describe("a Host header", () => {
  test.each([
    "127.0.0.1",
    "127.0.0.1:8137",
    "[::1]:8137",
    "[fe80::1]",
    "localhost",
    "LOCALHOST:8137",
    `${hostname()}.local:8137`,
    "desk.tailnet.example",
    "nexus.test:80",
  ])("%s is this machine's", (host) => {
    expect(allowedHost(rules, [host])).toBe(host);
  });

  test.each([
    "",
    "evil.com",
    "127.0.0.1.evil.com",
    "localhost.",
    "localhost.evil.com",
    "evil.com:localhost",
    "user@localhost",
    "localhost:123456",
    "[::1",
    "::1",
    "[::1].evil.com",
    "http://localhost",
    "localhost/",
    "nexus.test.",
    " localhost",
    "0x7f000001",
    "2130706433",
  ])("%j is refused", (host) => {
    expect(allowedHost(rules, [host])).toBeUndefined();
  });

  test("is refused when it is missing or there are two", () => {
    expect(allowedHost(rules, undefined)).toBeUndefined();
    expect(allowedHost(rules, ["localhost", "localhost"])).toBeUndefined();
  });
});

describe("an Origin header", () => {
  const from = (origin: string | undefined, secure = false): boolean =>
    allowedOrigin(rules, { origin, host: "127.0.0.1:8137", secure });

  test("may be absent, this request's own, or one that the owner named", () => {
    expect(from(undefined)).toBe(true);
    expect(from("http://127.0.0.1:8137")).toBe(true);
    expect(from("https://127.0.0.1:8137", true)).toBe(true);
    expect(from("https://tunnel.example")).toBe(true);
    expect(from("https://desk.tailnet.example")).toBe(true);
  });

  test.each([
    "null",
    "",
    "https://127.0.0.1:8137",
    "http://127.0.0.1",
    "http://127.0.0.1:8138",
    "http://host.evil.com",
    "http://127.0.0.1.evil.com",
    "http://user@127.0.0.1:8137",
    "http://localhost:8137",
    "http://127.0.0.1:8137/",
  ])("%j of another place is refused", (origin) => {
    expect(from(origin)).toBe(false);
  });
});
