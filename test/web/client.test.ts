/** The client in a real browser that gives the page no secure context: no crypto.subtle, plain http. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.js";
import { workspaceOf } from "../support/devices.js";
import { waitFor } from "../support/wait-for.js";
import { INSECURE_HOST, launchBrowser } from "./support/browser.js";
import type { ClientPage } from "./support/client-page.js";

declare const nexus: ClientPage;

let browser: Browser;
let page: Page;
let daemon: TestDaemon;
let server: Server;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL("support/client-page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://${INSECURE_HOST}:${(server.address() as AddressInfo).port}`;
  daemon = await startDaemon({ config: { allowedHosts: [INSECURE_HOST], allowedOrigins: [origin] } });
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => "nexus" in globalThis);
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  await daemon?.dispose();
});

test("pairs, calls and watches where isSecureContext is false", async () => {
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  const offer = await daemon.owner("owner.pair", {});
  const link = offer.link.replace(/^http:\/\/[^/]+\//, `http://${INSECURE_HOST}:${daemon.port}/`);
  const code = await page.evaluate((text) => nexus.pair(text), link);
  expect(code).toMatch(/^\d{6}$/);
  // A page over plain http gets the right to type only by the owner's own yes.
  const approval = { code, capabilities: ["sessions", "terminal.read", "terminal.control"] as const };
  await expect(
    daemon.owner("owner.approve", { ...approval, capabilities: [...approval.capabilities] }),
  ).rejects.toThrow(/plain http/);
  await daemon.owner("owner.approve", {
    ...approval,
    capabilities: [...approval.capabilities],
    acceptHttp: true,
  });
  await waitFor("the page to be ready", () => page.evaluate(() => nexus.state() === "ready"));

  const workspaceId = await workspaceOf(daemon);
  const tab = await page.evaluate(async (id) => {
    const opened = (await nexus.call("terminal.open", { workspaceId: id } as never)) as { tabId: string };
    const ref = { workspaceId: id, tabId: opened.tabId };
    nexus.watch(ref);
    await nexus.call("terminal.input", { ...ref, text: "echo page-$((6*7))", enter: true } as never);
    return ref;
  }, workspaceId);
  await waitFor("the output on the page", () => page.evaluate(() => nexus.text.includes("page-42")));
  await waitFor("the page's text to be what a read gives", async () => {
    const { text } = await daemon.call("terminal.read", tab);
    return text === (await page.evaluate(() => nexus.text));
  });
});
