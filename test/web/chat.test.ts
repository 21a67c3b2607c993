/** What a chat can show and ask, on a scripted daemon: each card, a lost link, hostile text, a long chat. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { PermissionRequest, ViewItem } from "../../src/protocol/view.js";
import type { ServedRequest } from "../support/sealed-server.js";
import { waitFor } from "../support/wait-for.js";
import { launchBrowser } from "./support/browser.js";
import { type OpenPage, openPage, PHONE } from "./support/pages.js";
import { answerScene, ITEMS, STATUS, TOOLS } from "./support/scene.js";
import { type Stage, startStage } from "./support/stage.js";

let browser: Browser;
let stage: Stage;
/** Answers of one test, before those of the scene. */
let answers: Record<string, (request: ServedRequest) => unknown> = {};

beforeAll(async () => {
  stage = await startStage({
    answer: (request) => answers[request.method]?.(request) ?? answerScene(request),
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});
beforeEach(() => {
  answers = {};
  delete stage.daemon.options.intercept;
  stage.daemon.requests.length = 0;
});

async function openChat(viewport = PHONE, route = "/s/w1/chat"): Promise<OpenPage> {
  const opened = await openPage(browser, stage.origin, viewport);
  const kept = JSON.stringify({ record: stage.record });
  await opened.page.evaluate((text) => localStorage.setItem("nexus.device", text), kept);
  await opened.page.goto("about:blank");
  await opened.page.goto(`${stage.origin}/#${route}`);
  await opened.page.locator(".link-banner:not(.shown)").waitFor({ state: "attached" });
  return opened;
}

function chatOf(
  items: readonly ViewItem[],
  more: { requests?: PermissionRequest[]; start?: number } = {},
): unknown {
  const start = more.start ?? 0;
  const requests = more.requests ?? [];
  return {
    watchId: "wc",
    status: { ...STATUS, state: requests.length > 0 ? "asking" : "idle", requests },
    start,
    total: start + items.length,
    items,
    tools: TOOLS,
    tasks: {},
    agentItems: {},
  };
}

function requestOf(
  kind: PermissionRequest["kind"],
  more: Partial<PermissionRequest> = {},
): PermissionRequest {
  return {
    requestId: `r-${kind}`,
    kind,
    toolName: "Bash",
    title: `A ${kind} to decide`,
    detail: "the details",
    input: { command: "make" },
    suggestions: [],
    at: Date.now(),
    ...more,
  };
}

async function answered(): Promise<Record<string, unknown>> {
  await waitFor("the answer", () => stage.daemon.asked("chat.answer").length === 1);
  return stage.daemon.asked("chat.answer")[0]?.params ?? {};
}

const say = (index: number, text = `message number ${index}`): ViewItem => ({
  kind: "text",
  key: `m${index}`,
  at: index,
  text,
});

test("a permission is allowed, from now on too", async () => {
  const { page } = await openChat();
  await page.getByLabel("npm test, whatever follows, in harbor").check();
  await page.getByRole("button", { name: "Always allow" }).click();
  expect(await answered()).toMatchObject({ requestId: "r1", decision: "allow", always: [0] });
});

test("a denial carries its reason, and can end the turn", async () => {
  const { page } = await openChat();
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByLabel("Why not? The agent reads it").fill("not on a Friday");
  await page.getByRole("button", { name: "Deny and stop" }).click();
  expect(await answered()).toMatchObject({ decision: "deny", stop: true, message: "not on a Friday" });
});

test("questions are answered by one choice, several, or other words", async () => {
  const questions = [
    {
      id: "q1",
      text: "Which colour?",
      options: [{ label: "Red" }, { label: "Blue" }],
      multi: false,
      allowOther: false,
    },
    {
      id: "q2",
      text: "Which sizes?",
      options: [{ label: "S" }, { label: "M" }],
      multi: true,
      allowOther: true,
    },
  ];
  answers = {
    "chat.watch": () =>
      chatOf(ITEMS, { requests: [requestOf("question", { questions, input: { kept: 1 } })] }),
  };
  const { page } = await openChat();
  const button = page.getByRole("button", { name: "Answer" });
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel("Blue").check();
  await page.getByLabel("S", { exact: true }).check();
  await page.getByLabel("Other answer").fill("XL");
  await page.getByLabel("S", { exact: true }).check();
  await button.click();
  const { updatedInput } = await answered();
  expect(updatedInput).toEqual({ kept: 1, answers: { "Which colour?": "Blue", "Which sizes?": "S, XL" } });
});

test("a plan is read whole before it is approved", async () => {
  answers = {
    "chat.watch": () => chatOf(ITEMS, { requests: [requestOf("plan", { detail: "# Plan\n\n1. First" })] }),
  };
  const { page } = await openChat();
  await page.getByRole("heading", { name: "Plan", exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Approve plan" }).click();
  expect(await answered()).toMatchObject({ decision: "allow" });
});

test("H9: a long consent cannot be allowed before it was opened whole", async () => {
  const consent = { detail: `${"x".repeat(4096)}\n…`, toolUseId: "consent-1" };
  const whole = { toolUseId: "consent-1", name: "chat.send", title: "x", input: {}, state: "asking" };
  answers = {
    "chat.watch": () => chatOf(ITEMS, { requests: [requestOf("consent", consent)] }),
    "chat.tool": () => ({ ...whole, result: { text: `${"x".repeat(5000)} \u202ethe end`, images: [] } }),
  };
  const { page } = await openChat();
  const allow = page.getByRole("button", { name: "Allow", exact: true });
  expect(await allow.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Open the whole text before you allow it" }).click();
  await page.getByText("<U+202E>the end").waitFor();
  await allow.click();
  expect(await answered()).toMatchObject({ decision: "allow" });
});

test("what is sent without a link waits in sight and goes out once, in order", async () => {
  answers = { "chat.watch": () => chatOf(ITEMS) };
  const { page } = await openChat();
  stage.daemon.options.intercept = (socket) => {
    socket.terminate();
    return true;
  };
  for (const link of stage.daemon.links) link.socket.terminate();
  await page.getByText(/Offline since \d/).waitFor();
  for (const text of ["first while away", "second while away"]) {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByLabel("Message", { exact: true }).press("Enter");
  }
  await expect.poll(() => page.getByText("Waiting for the link").count()).toBe(2);
  expect(stage.daemon.asked("chat.send")).toEqual([]);
  delete stage.daemon.options.intercept;
  await page.getByText("Waiting for the link").first().waitFor({ state: "detached", timeout: 60_000 });
  await waitFor("the message", () => stage.daemon.asked("chat.send").length === 2);
  await expect.poll(() => page.locator("[data-outgoing]").count()).toBe(0);
  expect(stage.daemon.asked("chat.send").map(({ params }) => params.text)).toEqual([
    "first while away",
    "second while away",
  ]);
});

test("a message that was refused stays, says why, and can be discarded", async () => {
  const { unavailable } = await import("../../src/protocol/errors.js");
  answers = {
    "chat.watch": () => chatOf(ITEMS),
    "chat.send": () => {
      throw unavailable("The agent is gone");
    },
  };
  const { page } = await openChat();
  await page.getByLabel("Message", { exact: true }).fill("hello");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Not delivered: The agent is gone").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("Not delivered").waitFor({ state: "detached" });
});

test("D6, H14: hostile text of every kind is text", async () => {
  const hostile = [
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
    "[click](javascript:document.title='owned') ![pixel](http://evil.example/p.png) [ok](https://example.org/)",
    "<form action=http://evil.example><base href=http://evil.example><iframe src=http://evil.example></iframe></form>",
    "```html\n<script>document.title='owned'</script>\n```",
    `| a |\n|---|\n| <b onclick=x>${"\u202e"}gnp.exe |`,
    "z".repeat(600_000),
  ];
  const from = { kind: "tab", workspaceId: "w", tabId: "t", name: "<b>You</b>", hops: 1 } as const;
  const items: ViewItem[] = [
    ...hostile.map((text, at) => say(at, text)),
    { kind: "user", key: "u", at: 9, text: hostile[0] ?? "", images: [], state: "sent", from },
    { kind: "unknown", key: "x", at: 10, type: "<i>", text: hostile[2] ?? "" },
  ];
  answers = { "chat.watch": () => chatOf(items) };
  const { page, complaints } = await openChat();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByText("another agent, not you").waitFor();
  await page.getByText("<iframe src=http://evil.example>").first().waitFor({ state: "attached" });
  const elements = page.locator(".chat-items").locator("img, script, form, base, iframe, b, i");
  expect(await elements.count()).toBe(0);
  expect(
    await page
      .locator(".chat-items a")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href)),
  ).toEqual(["http://evil.example/p.png", "https://example.org/"]);
  expect(await page.title()).toBe("nexus");
  expect(asked.filter((url) => url.includes("evil"))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a chat of 10,000 items holds few of them in the document, and shows all by scrolling", async () => {
  const total = 10_000;
  answers = {
    "chat.watch": ({ params }) => {
      const limit = Number(params.limit);
      return chatOf(
        Array.from({ length: limit }, (_, at) => say(total - limit + at)),
        { start: total - limit },
      );
    },
    "chat.read": ({ params }) => {
      const before = Number(params.before);
      const start = Math.max(0, before - Number(params.limit));
      const { panel: _panel, ...page } = chatOf(
        Array.from({ length: before - start }, (_, at) => say(start + at)),
        { start },
      ) as { panel?: unknown };
      return { ...page, total };
    },
  };
  const { page } = await openChat();
  await page.getByText("message number 9999").waitFor();
  const log = page.getByRole("log");
  for (let turn = 0; turn < 12; turn++) {
    await log.evaluate((element) => element.scrollTo(0, 0));
    await page.waitForTimeout(120); // one turn of the wheel after another
  }
  await waitFor("earlier pages", () => stage.daemon.asked("chat.read").length >= 6);
  expect(await page.locator(".item").count()).toBeLessThanOrEqual(300);
  await page.getByRole("button", { name: "To the latest" }).click();
  await page.getByText("message number 9999").waitFor();
});

test("what one reads stays where it is when earlier messages come in", async () => {
  const items = Array.from({ length: 200 }, (_, at) => say(at, `line ${at} `.repeat(20)));
  answers = { "chat.watch": () => chatOf(items) };
  const { page } = await openChat();
  await page.getByText("line 199").waitFor();
  const log = page.getByRole("log");
  const place = await placeOfFirst(page, 500);
  await expect.poll(() => page.locator(".item").count()).toBeGreaterThan(120);
  const after = await page.locator(`[data-key="${place.key}"]`).boundingBox();
  expect(Math.abs((after?.y ?? 0) - place.top)).toBeLessThan(80);
  await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
});

/** Scrolls near the beginning and tells which item is then on top, at once. */
async function placeOfFirst(page: Page, top: number): Promise<{ key: string; top: number }> {
  return page.getByRole("log").evaluate((element, to) => {
    element.scrollTop = to;
    const ground = element.getBoundingClientRect().top;
    const rows = [...element.querySelectorAll<HTMLElement>("[data-key]")];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > ground);
    return { key: first?.dataset.key ?? "", top: first?.getBoundingClientRect().top ?? 0 };
  }, top);
}

test("pictures from the camera are made small before they are sent", async () => {
  answers = { "chat.watch": () => chatOf(ITEMS), "chat.attach": () => ({ attachmentId: "a1" }) };
  const { page } = await openChat();
  const sharp = (await import("sharp")).default;
  const noise = {
    create: { width: 2400, height: 1800, channels: 3, noise: { type: "gaussian", mean: 128, sigma: 60 } },
  } as never;
  const big = await sharp(noise).jpeg({ quality: 95 }).toBuffer();
  await page
    .locator(".composer input[type=file]")
    .setInputFiles({ name: "p.jpg", mimeType: "image/jpeg", buffer: big });
  await page.getByRole("button", { name: "Remove picture" }).waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor("the message", () => stage.daemon.asked("chat.send").length === 1);
  const [attach] = stage.daemon.asked("chat.attach");
  const data = Buffer.from(String(attach?.params.data), "base64");
  expect(data.length).toBeLessThanOrEqual(560 * 1024);
  expect(Math.max((await sharp(data).metadata()).width, 0)).toBeLessThanOrEqual(1568);
  expect(stage.daemon.asked("chat.send")[0]?.params.attachments).toEqual(["a1"]);
});

test("commands come up after a slash, and run", async () => {
  answers = { "chat.watch": () => chatOf(ITEMS), "chat.command": () => ({ message: "Summarised" }) };
  const { page } = await openChat();
  await page.getByLabel("Message", { exact: true }).fill("/com");
  await page.getByRole("button", { name: /\/compact/ }).click();
  await page.getByText("Summarised").waitFor();
  expect(stage.daemon.asked("chat.command")[0]?.params.name).toBe("compact");
});

test("an update shows at once, and the side panel has what it tells", async () => {
  const { page } = await openChat({ width: 1280, height: 800 });
  await page.getByText("Keep the tests green", { exact: true }).waitFor();
  stage.daemon.link.notify("chat.update", {
    watchId: "wc",
    rev: 1,
    total: ITEMS.length + 1,
    items: [{ index: ITEMS.length, item: { ...say(99, "Streaming **bold** words"), streaming: true } }],
    tools: {},
    tasks: {},
    agentItems: {},
  });
  await page.getByText("Streaming bold words").waitFor();
});
