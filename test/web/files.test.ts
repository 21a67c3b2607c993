/** Files and git on the page: a real repository with hostile and foreign names. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDaemon } from "../support/daemon.js";
import { launchBrowser } from "./support/browser.js";
import { LAPTOP, openPaired, startPageDaemon } from "./support/pages.js";

const HOSTILE = "<img src=x onerror=alert(1)>.txt";
const FOREIGN = "国際化 plan 'two' 100%.md";

let browser: Browser;
let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startPageDaemon();
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: daemon.folder,
    });
  };
  git("init", "-q", "-b", "main");
  mkdirSync(join(daemon.folder, "src"));
  writeFileSync(join(daemon.folder, "src", "code.ts"), "export const answer: number = 41;\n");
  writeFileSync(join(daemon.folder, FOREIGN), "# Plan\n");
  git("add", "-A");
  git("commit", "-q", "-m", "start <b>bold</b>");
  writeFileSync(join(daemon.folder, "src", "code.ts"), "export const answer: number = 42;\n");
  writeFileSync(join(daemon.folder, HOSTILE), "<script>document.title = 'owned'</script>\n");
  writeFileSync(join(daemon.folder, "long.txt"), `${"y".repeat(400_000)}\nthe end\n`);
  await daemon.call("sessions.list", {});
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await daemon?.dispose();
});

test("walks through folders to a file with colours, and back", async () => {
  const { page, complaints } = await openPaired(browser, daemon);
  await page.getByRole("link", { name: "Files: project" }).click();
  await page.getByRole("button", { name: "src", exact: true }).click();
  await page.getByRole("button", { name: /code\.ts/ }).click();
  await page.locator(".hljs-keyword").first().waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: FOREIGN }).click();
  await page.getByText("# Plan").waitFor();
  expect(complaints).toEqual([]);
});

test("a file with a hostile name and hostile text is text", async () => {
  const { page, complaints } = await openPaired(browser, daemon);
  await page.getByRole("link", { name: "Files: project" }).click();
  await page.getByRole("button", { name: HOSTILE }).click();
  await page.getByText("<script>document.title = 'owned'</script>").waitFor();
  expect(await page.title()).toBe("nexus");
  expect(complaints).toEqual([]);
});

test("a line of 400,000 characters is cut with a mark, and what follows is there", async () => {
  const { page } = await openPaired(browser, daemon);
  await page.getByRole("link", { name: "Files: project" }).click();
  await page.getByRole("button", { name: /long\.txt/ }).click();
  await page.getByText("the end").waitFor();
  expect((await page.locator(".file-code").textContent())?.length).toBeLessThan(10_000);
});

test("status, a file's diff, the log and a commit", async () => {
  const { page, complaints } = await openPaired(browser, daemon, { viewport: LAPTOP });
  await page.getByRole("link", { name: "Git: project" }).click({ timeout: 60_000 });
  await page.getByRole("link", { name: /code\.ts/ }).click();
  await page.locator(".diff-row.add").getByText("= 42;").waitFor();
  await page.locator(".diff-row.del").getByText("= 41;").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Back" }).click();
  await page.getByRole("link", { name: "Log" }).click();
  await page.getByRole("link", { name: /start <b>bold<\/b>/ }).click();
  await page.getByRole("link", { name: /code\.ts/ }).click();
  await page.locator(".diff-row.add").getByText("= 41;").waitFor();
  expect(complaints).toEqual([]);
});

test("a device without the right is told so, and offered no way in", async () => {
  const { page } = await openPaired(browser, daemon, { capabilities: ["sessions"] });
  await page.getByText("No session is open").waitFor();
  expect(await page.getByRole("link", { name: "Files: project" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "New session" }).count()).toBe(0);
});
