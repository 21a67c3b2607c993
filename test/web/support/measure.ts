/** How the page bears what is asked of it: a long answer as it streams, a long chat, a loud terminal. For the bench. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { ViewItem } from "../../../src/protocol/view.js";
import { launchBrowser } from "./browser.js";
import { answerScene, STATUS } from "./scene.js";
import { PAGE_FOLDER, type Stage, startStage } from "./stage.js";

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: string;
}

const WORDS = 10_000;
/** What the daemon sends at most. */
const UPDATES_PER_SECOND = 10;
const STREAM_SECONDS = 20;
const ITEMS = 10_000;
const LINES_PER_SECOND = 200;
const TERMINAL_SECONDS = 5;
/** A frame that took longer than one and a half of a 60 Hz screen's was dropped. */
const DROPPED_MS = 25;

export async function measurePage(): Promise<Row[]> {
  const browser = await launchBrowser();
  try {
    return [
      firstLoad(),
      await streamedTurn(browser),
      ...(await longChat(browser)),
      await loudTerminal(browser),
    ];
  } finally {
    await browser.close();
  }
}

function firstLoad(): Row {
  const page = readFileSync(join(PAGE_FOLDER, "index.html"));
  const names = [...page.toString().matchAll(/\/(assets\/[\w-]+\.(?:js|css))/g)].map(
    (match) => match[1] ?? "",
  );
  const bytes = [page, ...names.map((name) => readFileSync(join(PAGE_FOLDER, name)))];
  const sum = bytes.reduce((total, body) => total + gzipSync(body).length, 0);
  return { what: "first load, gzipped", value: sum / 1024, unit: "KiB", goal: "under 200" };
}

async function open(browser: Browser, stage: Stage, route: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(stage.origin);
  await page.evaluate(
    (record) => localStorage.setItem("nexus.device", JSON.stringify({ record })),
    stage.record,
  );
  await page.goto("about:blank");
  await page.goto(`${stage.origin}/#${route}`);
  return page;
}

const chatOf = (items: readonly ViewItem[], start = 0): object => ({
  watchId: "wc",
  status: { ...STATUS, state: "working", requests: [] },
  start,
  total: start + items.length,
  items,
  tools: {},
  tasks: {},
  agentItems: {},
});

const textItem = (index: number, text: string): ViewItem => ({
  kind: "text",
  key: `m${index}`,
  at: index,
  text,
});

/** Paragraphs, lists and code, as an agent writes. */
function wordsUpTo(count: number): string {
  const parts: string[] = [];
  for (let at = 0; at < count; at++) {
    parts.push(
      at % 97 === 0
        ? "\n\n## Part\n\n- **point**"
        : at % 211 === 0
          ? "\n\n```ts\nconst a = 1;\n```\n\n"
          : `word${at % 50}`,
    );
  }
  return parts.join(" ");
}

async function streamedTurn(browser: Browser): Promise<Row> {
  const stage = await startStage({
    answer: (request) => (request.method === "chat.watch" ? chatOf([textItem(0, "")]) : answerScene(request)),
  });
  const page = await open(browser, stage, "/s/w1/chat");
  await page.getByText("Working").waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  const [before, began] = [await busy(), performance.now()];
  const updates = STREAM_SECONDS * UPDATES_PER_SECOND;
  for (let rev = 1; rev <= updates; rev++) {
    const item = { ...textItem(0, wordsUpTo((WORDS * rev) / updates)), streaming: true };
    const update = {
      watchId: "wc",
      rev,
      total: 1,
      items: [{ index: 0, item }],
      tools: {},
      tasks: {},
      agentItems: {},
    };
    stage.daemon.link.notify("chat.update", update);
    await new Promise((resolve) => setTimeout(resolve, 1000 / UPDATES_PER_SECOND));
  }
  const share = (await busy()) - before;
  const took = (performance.now() - began) / 1000;
  await page.context().close();
  await stage.close();
  const what = `main thread busy while ${WORDS} words stream in ${STREAM_SECONDS} s`;
  return { what, value: (100 * share) / took, unit: "%", goal: "under 50" };
}

async function longChat(browser: Browser): Promise<Row[]> {
  const stage = await startStage({
    answer: (request) => {
      const limit = Number(request.params.limit ?? 60);
      const before = Number(request.params.before ?? ITEMS);
      if (request.method !== "chat.watch" && request.method !== "chat.read") return answerScene(request);
      const start = Math.max(0, before - limit);
      const items = Array.from({ length: before - start }, (_, at) =>
        textItem(start + at, wordsUpTo(40 + (at % 80))),
      );
      return { ...chatOf(items, start), total: ITEMS };
    },
  });
  const began = performance.now();
  const page = await open(browser, stage, "/s/w1/chat");
  await page.locator(".item").last().waitFor();
  const painted = performance.now() - began;
  const frames = await page.evaluate(async () => {
    const log = document.querySelector(".chat-scroll");
    const times: number[] = [];
    let last = performance.now();
    for (let frame = 0; frame < 300; frame++) {
      log?.scrollBy(0, -120);
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  await page.context().close();
  await stage.close();
  return [
    {
      what: `a chat of ${ITEMS} items: opened, loaded and painted`,
      value: painted,
      unit: "ms",
      goal: "under 2,000",
    },
    {
      what: "a frame while scrolling up through it, 95th of 100",
      value: frames[285] ?? 0,
      unit: "ms",
      goal: "under 34",
    },
  ];
}

async function loudTerminal(browser: Browser): Promise<Row> {
  const rows = Array.from({ length: 1000 }, (_, at) => `\u001b[32m${at}\u001b[0m ${"output ".repeat(8)}`);
  const stage = await startStage({
    answer: (request) =>
      request.method === "terminal.watch" ? { watchId: "wt", text: rows.join("\n") } : answerScene(request),
  });
  const page = await open(browser, stage, "/s/w1/term");
  await page.locator(".row").last().waitFor();
  const frames = page.evaluate(async (ms) => {
    const times: number[] = [];
    const end = performance.now() + ms;
    let last = performance.now();
    while (last < end) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  }, TERMINAL_SECONDS * 1000);
  const batch = LINES_PER_SECOND / UPDATES_PER_SECOND;
  for (let rev = 1; rev <= TERMINAL_SECONDS * UPDATES_PER_SECOND; rev++) {
    for (let line = 0; line < batch; line++) {
      rows.shift();
      rows.push(`\u001b[32m${rev * batch + line + 1000}\u001b[0m ${"output ".repeat(8)}`);
    }
    stage.daemon.link.notify("terminal.update", { watchId: "wt", rev, start: 0, text: rows.join("\n") });
    await new Promise((resolve) => setTimeout(resolve, 1000 / UPDATES_PER_SECOND));
  }
  const times = await frames;
  await page.context().close();
  await stage.close();
  const dropped = times.filter((time) => time > DROPPED_MS).length;
  const what = `frames dropped while a terminal of 1,000 rows prints ${LINES_PER_SECOND} lines a second`;
  return { what, value: (100 * dropped) / times.length, unit: "%", goal: "under 10" };
}
