/** Attacks on the HTTP front, before anything is authenticated. */
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { dial, raw, UPGRADE_HEADERS, untilClosed, upgradeStatus } from "../support/raw-http.js";
import { waitFor } from "../support/wait-for.js";

let daemon: TestDaemon;
let host: string;
beforeAll(async () => {
  daemon = await startDaemon();
  host = `127.0.0.1:${daemon.port}`;
});
afterAll(() => daemon.dispose());

const upgrade = (headers: string[], path?: string): Promise<number> =>
  upgradeStatus(daemon.port, [...headers, ...UPGRADE_HEADERS], path);

describe("A1 a page of another site opens the WebSocket", () => {
  test.each([
    "http://evil.com",
    "null",
    "http://host.evil.com",
    "http://127.0.0.1.evil.com",
    "http://user@127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1",
    "file://",
    "not an origin",
  ])("Origin %s gets 403 and no upgrade", async (origin) => {
    expect(await upgrade([`Host: ${host}`, `Origin: ${origin}`])).toBe(403);
  });

  test("two Origin headers get 403", async () => {
    const own = `Origin: http://${host}`;
    expect(await upgrade([`Host: ${host}`, own, own])).toBe(403);
  });

  test("no Origin and the page's own are taken", async () => {
    expect(await upgrade([`Host: ${host}`])).toBe(101);
    expect(await upgrade([`Host: ${host}`, `Origin: http://${host}`])).toBe(101);
  });

  test("another subprotocol, or none, gets 400", async () => {
    const without = UPGRADE_HEADERS.filter((line) => !line.startsWith("Sec-WebSocket-Protocol"));
    expect(await upgradeStatus(daemon.port, [`Host: ${host}`, ...without])).toBe(400);
    const other = [...without, "Sec-WebSocket-Protocol: nexus.sealed.2, chat"];
    expect(await upgradeStatus(daemon.port, [`Host: ${host}`, ...other])).toBe(400);
  });
});

describe("A2 a name that someone pointed at this machine", () => {
  test.each(["evil.com", "127.0.0.1.evil.com", "localhost.", "localhost.evil.com", "", "a@localhost"])(
    "Host %j gets 403 for the page and for the link",
    async (name) => {
      expect(await upgrade([`Host: ${name}`])).toBe(403);
      expect(await raw(daemon.port, ["GET / HTTP/1.1", `Host: ${name}`])).toMatch(/^HTTP\/1\.1 403 /);
    },
  );

  test.each(["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])("Host %s is this machine's", async (name) => {
    expect(await upgrade([`Host: ${name}:${daemon.port}`])).toBe(101);
  });

  test("two Hosts, or none, are refused", async () => {
    expect(await upgrade([`Host: ${host}`, "Host: localhost"])).not.toBe(101);
    expect(await upgrade([])).not.toBe(101);
  });

  test("an address in absolute form does not replace the Host", async () => {
    const answer = await raw(daemon.port, [`GET http://${host}/ HTTP/1.1`, "Host: evil.com"]);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });
});

test("A3 headers that come drop by drop are cut off", async () => {
  const socket = await dial(daemon.port);
  socket.write("GET / HTTP/1.1\r\n");
  const drip = setInterval(() => socket.write("X: y\r\n"), 300);
  socket.once("close", () => clearInterval(drip));
  socket.resume();
  expect(await untilClosed(socket)).toBeLessThan(20_000);
});

test("A5 of forty silent sockets the oldest go, and a newcomer still gets in", async () => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 40; i++) {
    const socket = await dial(daemon.port);
    socket.write(`${["GET /rpc HTTP/1.1", `Host: ${host}`, ...UPGRADE_HEADERS].join("\r\n")}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve)); // its 101
    socket.resume();
    sockets.push(socket);
  }
  const open = (): Socket[] => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded);
  await waitFor("the oldest to go", () => open().length <= 8);
  expect(open()).toEqual(sockets.slice(-open().length));
  expect(await upgrade([`Host: ${host}`])).toBe(101);
  for (const socket of sockets) socket.destroy();
});

test("A8 a client that offers compression gets none", async () => {
  const answer = await raw(daemon.port, [
    "GET /rpc HTTP/1.1",
    `Host: ${host}`,
    ...UPGRADE_HEADERS,
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
  ]);
  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  expect(answer.toLowerCase()).not.toContain("sec-websocket-extensions");
});

describe("A11 a scan learns nothing", () => {
  test.each(["/robots.txt", "/rpc", "/api", "/index.php", "/.env", "/favicon.ico.bak"])(
    "GET %s gets the same constant words",
    async (path) => {
      const answer = await raw(daemon.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).not.toMatch(/^server:/im);
      expect(answer).not.toMatch(/nexus/i);
    },
  );
});

test.each([
  "/../etc/passwd",
  "/%2e%2e/etc/passwd",
  "//etc/passwd",
  "/assets/../../package.json",
  "/%00",
  "/assets",
])("A12 GET %s reads no file", async (path) => {
  const answer = await raw(daemon.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
  expect(answer).toMatch(/^HTTP\/1\.1 (404|400) /);
});
