/** Every main screen, phone and laptop, light and dark, against axe; and the page's first load in bytes. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.js";
import { LAPTOP, PHONE } from "./support/pages.js";
import { answerScene } from "./support/scene.js";
import { PAGE_FOLDER, type Stage, startStage } from "./support/stage.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ROUTES = [
  "/",
  "/s/w1/chat",
  "/s/w1/term",
  "/w/w1/files",
  "/w/w1/files/retry~002ets~0001",
  "/w/w1/git/changes",
  "/w/w1/git/log",
  "/w/w1/git/unstaged/src~002fhttp~002fretry~002ets",
  "/settings",
  "/owner",
];

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: { html: string; failureSummary?: string }[];
}

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ answer: answerScene });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

test.each([
  ["phone, light", PHONE, "light"],
  ["laptop, dark", LAPTOP, "dark"],
] as const)("no screen has a serious fault of accessibility (%s)", async (_name, viewport, colorScheme) => {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    bypassCSP: true,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(stage.origin);
  await page.addScriptTag({ content: AXE });
  const faults = async (): Promise<string[]> => {
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await axe.run()).violations;
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()} ${id}: ${html.slice(0, 160)}`));
  };
  const found = await faults();
  await page.evaluate(
    (record) => localStorage.setItem("nexus.device", JSON.stringify({ record })),
    stage.record,
  );
  for (const route of ROUTES) {
    await page.goto("about:blank");
    await page.goto(`${stage.origin}/#${route}`);
    await page.locator(".link-banner:not(.shown)").waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    await page.addScriptTag({ content: AXE });
    found.push(...(await faults()));
  }
  expect(found).toEqual([]);
});

test("the first load stays under 200 KB, gzipped", () => {
  const page = readFileSync(`${PAGE_FOLDER}/index.html`);
  const named = [...page.toString().matchAll(/\/(assets\/[\w-]+\.(?:js|css))/g)].map(
    (match) => match[1] ?? "",
  );
  expect(named.length).toBeGreaterThanOrEqual(2);
  const scripts = new Set(named);
  for (const name of named) {
    const text = readFileSync(`${PAGE_FOLDER}/${name}`, "utf8");
    for (const [, chunk] of text.matchAll(/from"\.\/(chunk-[\w]+\.js)"/g)) scripts.add(`assets/${chunk}`);
  }
  const bytes = [page, ...[...scripts].map((name) => readFileSync(`${PAGE_FOLDER}/${name}`))].map(
    (body) => gzipSync(body).length,
  );
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024);
});
