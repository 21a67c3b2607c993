/**
 * Chats against Claude's SDK alone, both with the real program and the fake
 * Messages API in this process; needs `npm ci --prefix test/agents`.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { Chats } from "../dist/chat/chats.js";
import { ClaudeDriver } from "../dist/chat/drivers/claude/driver.js";
import { History, projectName } from "../dist/chat/drivers/claude/history.js";
import { bundledPrograms, sdkFile } from "../dist/chat/drivers/claude/program.js";
import { watchChat } from "../dist/watches/chat.js";
import { WatchHub } from "../dist/watches/hub.js";

export const title = "Chats";

const AGENTS = fileURLToPath(new URL("../test/agents/", import.meta.url));
const ROUNDS = 25;

/** Between turns, as people write: a watch's ten updates a second are there again. */
const PAUSE_MS = 800;
const STREAM_WORDS = 4000;
const LONG_WORDS = 10_000;
const PAST_CHATS = 5_000;
const UPDATE_BYTES = 780_000;

const sorted = (values) => values.toSorted((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))];

async function loadFake(dir) {
  const outfile = join(dir, "fake.mjs");
  const entry = fileURLToPath(new URL("../test/support/anthropic.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return (await import(pathToFileURL(outfile).href)).startFakeAnthropic();
}

function environment(dir, api) {
  return {
    PATH: process.env.PATH,
    HOME: dir,
    LANG: "C.UTF-8",
    CLAUDE_CONFIG_DIR: join(dir, "claude"),
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "sk-bench-0123456789",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  };
}

/** The SDK alone: `turn` resolves when its program says that it is idle. */
async function sdkAlone(dir, api) {
  const { query } = await import(pathToFileURL(sdkFile(AGENTS)).href);
  const inbox = [];
  let wake;
  let idle;
  async function* prompts() {
    for (;;) {
      while (inbox.length > 0) yield inbox.shift();
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
  }
  const running = query({
    prompt: prompts(),
    options: {
      cwd: join(dir, "work"),
      env: environment(dir, api),
      pathToClaudeCodeExecutable: bundledPrograms(AGENTS)[0],
      permissionMode: "default",
      includePartialMessages: true,
      settingSources: ["user"],
      systemPrompt: { type: "preset", preset: "claude_code" },
    },
  });
  const reading = (async () => {
    for await (const message of running) {
      if (message.subtype === "session_state_changed" && message.state === "idle") idle?.(performance.now());
    }
  })().catch(() => undefined);
  return {
    turn(text) {
      const done = new Promise((resolve) => {
        idle = resolve;
      });
      inbox.push({
        type: "user",
        uuid: crypto.randomUUID(),
        parent_tool_use_id: null,
        message: { role: "user", content: text },
      });
      wake?.();
      return done;
    },
    async close() {
      running.close();
      await reading;
    },
  };
}

/** A chat with some watchers: `turn` resolves when the first was told that it is idle. */
async function watched(dir, api, count) {
  const { CLAUDE_CONFIG_DIR: configDir, ...env } = environment(dir, api);
  const profile = {
    id: "claude",
    name: "Claude",
    agent: "claude",
    driver: "claude",
    command: bundledPrograms(AGENTS)[0],
    configDir,
  };
  const driver = new ClaudeDriver({ installDir: AGENTS, trustFile: join(dir, "trust.json"), env });
  const chats = new Chats({
    stateDir: join(dir, `state-${count}`),
    profiles: { list: () => [profile], get: () => profile, choose: () => profile },
    driver: () => driver,
    images: { shrink: () => Promise.reject(new Error("no images here")) },
    log: { warn: () => undefined },
    now: Date.now,
  });
  await chats.open();
  const { chat } = await chats.new({ workspaceId: "w", folder: join(dir, "work"), agent: "claude" });
  const hub = new WatchHub();
  const state = { bytes: 0, updates: 0, idle: undefined };
  for (let n = 0; n < count; n++) {
    const watch = hub.open(
      { id: `link-${n}`, onClose: () => undefined },
      { kind: "chat", capability: "chat.read", tabId: "t" },
    );
    watchChat(chat.feed, watch, {
      limit: 100,
      pageBudgetBytes: UPDATE_BYTES,
      updateBudgetBytes: UPDATE_BYTES,
      answered: Promise.resolve(),
      deliver: async (update) => {
        const text = JSON.stringify(update);
        if (n > 0) return;
        state.bytes += Buffer.byteLength(text);
        state.updates += 1;
        if (update.status?.state === "idle") state.idle?.(performance.now());
      },
    });
  }
  return {
    state,
    async turn(text) {
      const done = new Promise((resolve) => {
        state.idle = resolve;
      });
      await chat.send({ text });
      return done;
    },
    close: () => chats.dispose(),
  };
}

const lastByte = (api) => api.requests.findLast((request) => request.endedAt !== undefined)?.endedAt ?? 0;

async function delays(api, one) {
  const all = [];
  await one.turn("[[text:warm]] go");
  for (let round = 0; round < ROUNDS; round++) {
    const told = await one.turn(`[[brisk:60]] round ${round}`);
    all.push(told - lastByte(api));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return all;
}

async function cpuMs(one, text) {
  const before = process.cpuUsage();
  await one.turn(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function historyRatio(dir) {
  const configDir = join(dir, "many");
  const folder = join(dir, "work");
  const project = join(configDir, "projects", projectName(folder));
  mkdirSync(project, { recursive: true });
  const files = Array.from({ length: PAST_CHATS }, (_, n) => {
    const file = join(project, `00000000-0000-4000-8000-${String(n).padStart(12, "0")}.jsonl`);
    writeFileSync(
      file,
      `${JSON.stringify({ type: "user", uuid: "u", cwd: folder, message: { content: `chat ${n}` } })}\n`,
    );
    return file;
  });
  const history = new History();
  await history.list(configDir, folder, { limit: 200, query: "chat" });
  const { stat } = await import("node:fs/promises");
  const ours = [];
  const theirs = [];
  for (let round = 0; round < 9; round++) {
    let start = performance.now();
    for (let at = 0; at < files.length; at += 64)
      await Promise.all(files.slice(at, at + 64).map((file) => stat(file)));
    theirs.push(performance.now() - start);
    start = performance.now();
    await history.list(configDir, folder, { limit: 200, query: "chat" });
    ours.push(performance.now() - start);
  }
  return { ratio: quantile(ours, 0.5) / quantile(theirs, 0.5), ms: quantile(ours, 0.5) };
}

export async function run() {
  if (!existsSync(sdkFile(AGENTS)))
    return [{ what: "Claude's SDK is not in test/agents", value: "not measured" }];
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-bench-")));
  mkdirSync(join(dir, "work"));
  mkdirSync(join(dir, "claude"));
  const api = await loadFake(dir);
  try {
    const alone = await sdkAlone(dir, api);
    const one = await watched(dir, api, 1);
    const theirs = await delays(api, alone);
    const ours = await delays(api, one);
    one.state.bytes = 0;
    one.state.updates = 0;
    await one.turn(`[[brisk:${LONG_WORDS}]] long`);
    const size = Array.from({ length: LONG_WORDS }, (_, n) => `word${n} `).join("").length;
    const factor = one.state.bytes / size;
    await one.close();
    const four = await watched(dir, api, 4);
    await four.turn("[[text:warm]] go");
    const cpuAlone = await cpuMs(alone, `[[brisk:${STREAM_WORDS}]] go`);
    const cpuFour = await cpuMs(four, `[[brisk:${STREAM_WORDS}]] go`);
    await four.close();
    await alone.close();
    const past = await historyRatio(dir);
    const more = (q) => quantile(ours, q) - quantile(theirs, q);
    return [
      {
        what: "from the model's last byte to the watcher's last update, more than the SDK alone, p50",
        value: more(0.5),
        unit: "ms",
        goal: "≤ 20",
      },
      { what: "the same, p99", value: more(0.99), unit: "ms" },
      { what: "the SDK alone, p50", value: quantile(theirs, 0.5), unit: "ms" },
      {
        what: "CPU per 1,000 streamed words with 4 watchers, beside what the SDK takes",
        value: (cpuFour - cpuAlone) / (STREAM_WORDS / 1000),
        unit: "ms",
      },
      { what: "the SDK's own CPU per 1,000 words", value: cpuAlone / (STREAM_WORDS / 1000), unit: "ms" },
      {
        what: "JSON of a streamed answer of 10,000 words, by its size",
        value: factor,
        unit: "×",
        goal: "≤ 12",
      },
      {
        what: `history.list over ${PAST_CHATS} past chats, warm, by stat of them all`,
        value: past.ratio,
        unit: "×",
        goal: "≤ 1.5",
      },
      { what: "the same", value: past.ms, unit: "ms" },
    ];
  } finally {
    await api.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
