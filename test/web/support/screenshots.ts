/** Photographs the page's main screens on the stage: phone and laptop, light and dark, into a folder. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "./browser.js";
import { answerScene } from "./scene.js";
import { startStage } from "./stage.js";

const SCREENS: Readonly<Record<string, string>> = {
  sessions: "/",
  chat: "/s/w1/chat",
  terminal: "/s/w1/term",
  files: "/w/w1/files",
  file: "/w/w1/files/retry~002ets~0001",
  git: "/w/w1/git/changes",
  diff: "/w/w1/git/unstaged/src~002fhttp~002fretry~002ets",
  settings: "/settings",
  owner: "/owner",
};
const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } };

const [, , folder = "docs/screenshots", only = ""] = process.argv;
await mkdir(folder, { recursive: true });
const stage = await startStage({ answer: answerScene });
const browser = await launchBrowser();
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const context = await browser.newContext({
      viewport,
      colorScheme,
      deviceScaleFactor: size === "phone" ? 2 : 1,
      hasTouch: size === "phone",
    });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") console.error(`${page.url()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => console.error(`${page.url()}: ${error.message}`));
    const shoot = (name: string): Promise<unknown> =>
      page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
    await page.goto(stage.origin);
    if (only === "" || only === "pair") await shoot("pair");
    await page.evaluate(
      (record) => localStorage.setItem("nexus.device", JSON.stringify({ record })),
      stage.record,
    );
    for (const [name, hash] of Object.entries(SCREENS)) {
      if (only !== "" && only !== name) continue;
      await open(page, `${stage.origin}/#${hash}`);
      await shoot(name);
    }
  }
}
await browser.close();
await stage.close();

async function open(page: Page, url: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(url);
  await page.locator(".link-banner:not(.shown)").waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(250); // fonts and the sheet of the first frame
}
