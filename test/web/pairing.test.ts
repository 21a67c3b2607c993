/** The first minute on a phone, and each way it can fail, in a real browser without a secure context. */
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { encode } from "uqr";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDaemon } from "../support/daemon.js";
import { launchBrowser } from "./support/browser.js";
import { approveShown, openPage, openPaired, originOf, pageLink, startPageDaemon } from "./support/pages.js";

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

test("pairs by the link, shows the sessions, and is still paired after a reload", async () => {
  const { page, complaints } = await openPaired(browser, daemon);
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.getByText("No session is open").waitFor();
  await page.reload();
  await page.getByText("No session is open").waitFor();
  expect(complaints).toEqual([]);
});

test("B10: the secret leaves the address at once", async () => {
  const { page } = await openPage(browser, await pageLink(daemon));
  await page.getByRole("button", { name: "Pair", exact: true }).waitFor();
  expect(page.url()).not.toContain("pair=");
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
});

test("a link that was used says so", async () => {
  const link = await pageLink(daemon);
  const first = await openPage(browser, link);
  await first.page.getByRole("button", { name: "Pair", exact: true }).click();
  await first.page.getByTestId("code").waitFor();
  const second = await openPage(browser, link);
  await second.page.getByRole("button", { name: "Pair", exact: true }).click();
  await second.page.getByText("This link is spent or has expired").waitFor();
  await approveShown(first.page, daemon);
  await first.page.getByRole("heading", { name: "Sessions" }).waitFor();
});

test("a link that the owner replaced is as good as expired", async () => {
  const old = await pageLink(daemon);
  await pageLink(daemon);
  const { page } = await openPage(browser, old);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.getByText("This link is spent or has expired").waitFor();
});

test("an owner who says no is told apart from a broken link", async () => {
  const { page } = await openPage(browser, await pageLink(daemon));
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.getByTestId("code").waitFor();
  await daemon.owner("owner.deny", {});
  await page.getByText("The owner said no, or did not answer in time").waitFor();
});

test("text that is no link is refused before anything is sent", async () => {
  const { page } = await openPage(browser, originOf(daemon));
  await page.getByLabel("Pairing link").fill("http://example.org/#pear=1");
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.getByText("This is no pairing link").waitFor();
  await page.getByRole("button", { name: "Start over" }).click();
  await page.getByLabel("Pairing link").waitFor();
});

test("reads the link off a photo of the code", async () => {
  const { page } = await openPage(browser, originOf(daemon));
  const photo = await photoOf(await pageLink(daemon));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: photo });
  await page.getByLabel("Name of this device").waitFor();
  await page.getByText(`Pairing with`).waitFor();
});

test("a photo without a code says what to do", async () => {
  const { page } = await openPage(browser, originOf(daemon));
  const icon = await readFile(new URL("../../dist/web/icon-192.png", import.meta.url));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "icon.png", mimeType: "image/png", buffer: icon });
  await page.getByText("No code could be read in this picture").waitFor();
});

test("a forgotten device has no key left", async () => {
  const { page } = await openPaired(browser, daemon);
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Forget this device" }).click();
  await page.getByLabel("Pairing link").waitFor();
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("nexus."))),
  ).toEqual([]);
});

test("a PIN seals the key, and opens it again after a reload", async () => {
  const { page } = await openPaired(browser, daemon);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("PIN").fill("2468");
  await page.getByRole("button", { name: "Set a PIN" }).click();
  await page.getByRole("button", { name: "Lock now" }).waitFor({ timeout: 60_000 });
  expect(await page.evaluate(() => localStorage.getItem("nexus.device"))).not.toContain("secretKey");
  await page.reload();
  await page.getByLabel("PIN").fill("1357");
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.getByText("That is not the PIN").waitFor({ timeout: 60_000 });
  await page.getByLabel("PIN").fill("2468");
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor({ timeout: 60_000 });
});

/** A picture as a phone takes it: the code somewhere in it, on a grey ground. */
async function photoOf(text: string): Promise<Buffer> {
  const { data, size } = encode(text);
  const cell = 8;
  const side = (size + 8) * cell;
  const pixels = Buffer.alloc(side * side, 235);
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (!dark) return;
      for (let dy = 0; dy < cell; dy++) {
        pixels.fill(
          20,
          ((y + 4) * cell + dy) * side + (x + 4) * cell,
          ((y + 4) * cell + dy) * side + (x + 5) * cell,
        );
      }
    });
  });
  const code = await sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
    .png()
    .toBuffer();
  return sharp({ create: { width: side + 300, height: side + 500, channels: 3, background: "#777" } })
    .composite([{ input: code, left: 120, top: 260 }])
    .png()
    .toBuffer();
}
