import { expect, test } from "vitest";
import { serveArguments, startOptions } from "../../../../src/cli/nexusd/serve-options.js";

test("options become those of the daemon", () => {
  expect(
    startOptions("/a", {
      port: 0,
      host: "127.0.0.1",
      publicUrl: "https://desk.example",
      tlsCert: "/c",
      tlsKey: "/k",
    }),
  ).toEqual({
    folder: "/a",
    port: 0,
    host: "127.0.0.1",
    publicUrl: "https://desk.example/",
    tls: { certFile: "/c", keyFile: "/k" },
  });
  expect(startOptions("/a", {})).toEqual({ folder: "/a" });
});

test.each([{ tlsCert: "/c" }, { tlsKey: "/k" }, { publicUrl: "desk.example" }, { publicUrl: "ftp://x" }])(
  "%j is refused",
  (options) => {
    expect(() => startOptions("/a", options)).toThrow(/--/);
  },
);

test("a restart gets the same options as arguments, a folder that looks like one behind --", () => {
  expect(serveArguments({ folder: "-odd", options: { port: 81, trustProxy: "10.0.0.1" } })).toEqual([
    "serve",
    "--port",
    "81",
    "--trust-proxy",
    "10.0.0.1",
    "--",
    "-odd",
  ]);
});
