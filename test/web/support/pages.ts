/** Pages of the built page in a real browser, paired with a real daemon over plain http under a name that is no secure context. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { Capability } from "../../../src/protocol/capabilities.js";
import { startDaemon, type TestDaemon } from "../../support/daemon.js";
import { INSECURE_HOST } from "./browser.js";

export const PHONE = { width: 390, height: 844 };
export const LAPTOP = { width: 1280, height: 800 };

export const EVERYTHING: Capability[] = [
  "sessions",
  "chat.read",
  "chat.control",
  "terminal.read",
  "terminal.control",
  "files",
  "git",
];

export function startPageDaemon(): Promise<TestDaemon> {
  return startDaemon({ config: { allowedHosts: [INSECURE_HOST] } });
}

export function originOf(daemon: TestDaemon): string {
  return `http://${INSECURE_HOST}:${daemon.port}`;
}

/** A new link, under the browser's name of the daemon. */
export async function pageLink(daemon: TestDaemon): Promise<string> {
  const { link } = await daemon.owner("owner.pair", {});
  return link.replace(/^http:\/\/[^/]+\//, `${originOf(daemon)}/`);
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of: errors of scripts, of the console, and of the policy. */
  readonly complaints: string[];
}

export async function openPage(browser: Browser, url: string, viewport = PHONE): Promise<OpenPage> {
  const context = await browser.newContext({ viewport, hasTouch: viewport === PHONE });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, context, complaints };
}

/** A page that went through the whole pairing. */
export async function openPaired(
  browser: Browser,
  daemon: TestDaemon,
  options: { capabilities?: Capability[]; viewport?: typeof PHONE } = {},
): Promise<OpenPage> {
  const opened = await openPage(browser, await pageLink(daemon), options.viewport);
  await opened.page.getByRole("button", { name: "Pair", exact: true }).click();
  await approveShown(opened.page, daemon, options.capabilities);
  await opened.page.getByRole("heading", { name: "Sessions" }).waitFor();
  return opened;
}

/** The owner types what the page shows. */
export async function approveShown(page: Page, daemon: TestDaemon, capabilities = EVERYTHING): Promise<void> {
  const code = ((await page.getByTestId("code").textContent()) ?? "").replace(/\D/g, "");
  expect(code).toMatch(/^\d{6}$/);
  await daemon.owner("owner.approve", { code, capabilities, acceptHttp: true });
}
