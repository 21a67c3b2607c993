/** Terminals on the page: a real shell behind a real daemon, in a real browser. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDaemon } from "../support/daemon.js";
import { launchBrowser } from "./support/browser.js";
import { LAPTOP, openPaired, startPageDaemon } from "./support/pages.js";

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

async function newTerminal(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New session" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Terminal" }).click();
  await sheet.getByRole("button", { name: "Start" }).click();
  await page
    .getByLabel("Terminal screen")
    .getByText(/[$#] *$/)
    .first()
    .waitFor();
}

async function type(page: Page, text: string): Promise<void> {
  await page.getByLabel("Text to send").fill(text);
  await page.getByLabel("Text to send").press("Enter");
}

test("a shell opens, echoes what is typed, and takes the key row's keys", async () => {
  const { page, complaints } = await openPaired(browser, daemon);
  await newTerminal(page);
  await type(page, "echo one-$((40+2))");
  const screen = page.getByLabel("Terminal screen");
  await screen.getByText("one-42", { exact: true }).waitFor();
  await type(page, "sleep 600");
  await page.getByRole("button", { name: "ctrl-c" }).click();
  await screen.getByText("^C").waitFor();
  await page.getByRole("button", { name: "up", exact: true }).click();
  await page.getByRole("button", { name: "enter", exact: true }).click();
  await page.getByRole("button", { name: "Ctrl", exact: true }).click();
  await page.getByLabel("Text to send").pressSequentially("c");
  await expect
    .poll(async () => (await screen.textContent())?.match(/\^C/g)?.length, { timeout: 20_000 })
    .toBe(2);
  expect(complaints).toEqual([]);
});

test("a paste of 17 KB arrives whole", async () => {
  const { page } = await openPaired(browser, daemon);
  await newTerminal(page);
  await type(page, "cat > pasted.txt");
  const text = Array.from({ length: 340 }, (_, at) => `line ${at} ${"x".repeat(43)}`).join("\n");
  expect(text.length).toBeGreaterThan(17_000);
  await type(page, text);
  await page.getByRole("button", { name: "ctrl-d" }).click();
  await type(page, "clear; md5sum < pasted.txt");
  const { createHash } = await import("node:crypto");
  const sum = createHash("md5").update(`${text}\n`).digest("hex");
  await page.getByLabel("Terminal screen").getByText(sum).waitFor({ timeout: 40_000 });
});

test("typing goes straight in when it is switched so", async () => {
  const { page } = await openPaired(browser, daemon, { viewport: LAPTOP });
  await newTerminal(page);
  await page.getByRole("button", { name: "Type straight into the terminal" }).click();
  await page.keyboard.type("printf 'str%s\\n' aight");
  await page.keyboard.press("Enter");
  await page.getByLabel("Terminal screen").getByText("straight", { exact: true }).waitFor();
});

test("long rows wrap to the screen, or keep their columns", async () => {
  const { page } = await openPaired(browser, daemon);
  await newTerminal(page);
  await type(page, "seq -s ' ' 60");
  const screen = page.getByLabel("Terminal screen");
  await screen.getByText(/58 59 60/).waitFor();
  const overflows = (): Promise<boolean> =>
    screen.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
  expect(await overflows()).toBe(false);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Keep columns" }).click();
  expect(await overflows()).toBe(true);
});

test("hostile output is text and nothing else", async () => {
  const { page, complaints } = await openPaired(browser, daemon);
  await newTerminal(page);
  await type(
    page,
    `printf '%s\\n' '<img src=x onerror="document.title=1">' '<script>document.title=2</script>' end-of-it`,
  );
  await page.getByLabel("Terminal screen").getByText("end-of-it", { exact: true }).waitFor();
  expect(await page.getByLabel("Terminal screen").locator("img, script").count()).toBe(0);
  expect(await page.title()).toBe("nexus");
  expect(complaints).toEqual([]);
});

test("two pages see the same terminal, and a revoked one is told at once", async () => {
  const first = await openPaired(browser, daemon);
  const second = await openPaired(browser, daemon, { viewport: LAPTOP });
  await newTerminal(first.page);
  await type(first.page, "echo shared-$((1+1))");
  await second.page.goto(first.page.url());
  await second.page.getByLabel("Terminal screen").getByText("shared-2", { exact: true }).waitFor();
  const { devices } = await daemon.owner("owner.devices", {});
  const newest = devices.sort((a, b) => b.pairedAt - a.pairedAt)[0];
  await daemon.owner("owner.revoke", { deviceId: newest?.id ?? "" });
  await second.page.getByText("This device was revoked").waitFor();
  expect(await second.page.evaluate(() => localStorage.getItem("nexus.device"))).toBeNull();
  await type(first.page, "echo still-$((2+2))");
  await first.page.getByLabel("Terminal screen").getByText("still-4", { exact: true }).waitFor();
});
