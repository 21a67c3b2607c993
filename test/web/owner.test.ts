/** The owner's corner: a phone that holds that right ends another, and narrows what it may. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDaemon } from "../support/daemon.js";
import { launchBrowser } from "./support/browser.js";
import { EVERYTHING, openPaired, startPageDaemon } from "./support/pages.js";

let browser: Browser;
let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startPageDaemon();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await daemon?.dispose();
});

test("the owner's phone revokes a lost one, which is told at once", async () => {
  const lost = await openPaired(browser, daemon);
  const { devices } = await daemon.owner("owner.devices", {});
  expect(devices).toHaveLength(1);
  const own = await openPaired(browser, daemon, { capabilities: [...EVERYTHING, "owner"] });
  own.page.on("dialog", (dialog) => void dialog.accept());
  await own.page.getByRole("link", { name: "Settings" }).click();
  await own.page.getByRole("link", { name: "Owner's corner" }).click();
  const card = own.page.locator(".device").filter({ hasNotText: "this device" });
  await card.locator("summary").click();
  await card.getByRole("button", { name: "Revoke" }).click();
  await lost.page.getByText("This device was revoked").waitFor();
  await expect.poll(() => own.page.locator(".device").count()).toBe(1);
  expect(own.complaints).toEqual([]);
});

test("a right that is taken away closes its doors on the page that is open", async () => {
  const { page } = await openPaired(browser, daemon);
  await page.getByRole("button", { name: "New session" }).waitFor();
  const { devices } = await daemon.owner("owner.devices", {});
  const newest = devices.sort((a, b) => b.pairedAt - a.pairedAt)[0];
  await daemon.owner("owner.grant", { deviceId: newest?.id ?? "", capabilities: ["sessions"] });
  await page.getByRole("button", { name: "New session" }).waitFor({ state: "detached" });
});

test("a device without the right has no such corner", async () => {
  const { page } = await openPaired(browser, daemon);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Act as the owner").waitFor();
  expect(await page.getByRole("link", { name: "Owner's corner" }).count()).toBe(0);
});

test("the owner's phone stops all requests of agents, and lets them through again", async () => {
  const { page } = await openPaired(browser, daemon, { capabilities: [...EVERYTHING, "owner"] });
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Owner's corner" }).click();
  const stopped = async (): Promise<boolean> =>
    (await daemon.owner("owner.agents", {})).stopped !== undefined;
  await page.getByRole("button", { name: "Stop all agents" }).click();
  await page.getByText("Stopped since").waitFor();
  expect(await stopped()).toBe(true);
  await page.getByRole("button", { name: "Let them ask again" }).click();
  await page.getByRole("button", { name: "Stop all agents" }).waitFor();
  expect(await stopped()).toBe(false);
});
