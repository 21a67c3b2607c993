/** Photographs the page's main screens on the stage: phone and laptop, light and dark, into a folder. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
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
/** Those that the documents show; the others are for looking at while one works on them. */
const SHOWN = ["pair", "sessions", "chat", "terminal", "diff"];
const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } };

const [, , folder = "docs/screenshots", only = ""] = process.argv;
const wanted = (name: string): boolean =>
  only === "all" || (only === "" ? SHOWN.includes(name) : only === name);
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
    const shoot = async (name: string): Promise<void> => {
      const picture = sharp(await page.screenshot());
      await picture
        .png({ palette: true, effort: 10 })
        .toFile(join(folder, `${name}-${size}-${colorScheme}.png`));
    };
    await page.goto(stage.origin);
    if (wanted("pair")) await shoot("pair");
    await page.evaluate(
      (record) => localStorage.setItem("nexus.device", JSON.stringify({ record })),
      stage.record,
    );
    for (const [name, hash] of Object.entries(SCREENS)) {
      if (!wanted(name)) continue;
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
