/**
 * What a terminal's screen costs, without ptys and sockets: bytes of a watch,
 * memory of full terminals, reading, updating, parsing. Run alone it prints its
 * figures; `run()` gives them as `{ what, value, unit, goal? }`.
 */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import headless from "@xterm/headless";
import { Screen } from "../dist/terminal/screen.js";

export const title = "Screens of terminals, without ptys and sockets";

const COLS = 120;
const ROWS = 40;
const ROUNDS = 5;

const NOTHING = () => undefined;

function newScreen() {
  return new Screen(
    { cols: COLS, rows: ROWS, reply: NOTHING },
    { title: NOTHING, bell: NOTHING, notify: NOTHING, mark: NOTHING, parsed: NOTHING },
  );
}

/** A build log's line of 95 bytes with its line break, plain or in colours. */
function plainLine(index) {
  return `[${index}] compiled src/module/file_${index % 97}.ts in ${index % 313} ms`.padEnd(93, ".");
}
function colouredLine(index) {
  return `\x1b[90m[${index}]\x1b[m \x1b[32mcompiled\x1b[m \x1b[1;34msrc/module/file_${index % 97}.ts\x1b[m in \x1b[33m${index % 313} ms\x1b[m`;
}

function log(line, from, to) {
  return Buffer.from(Array.from({ length: to - from }, (_, index) => `${line(from + index)}\r\n`).join(""));
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function timed(action) {
  const start = performance.now();
  action();
  return performance.now() - start;
}

async function filled(line, rows = 6300) {
  const screen = newScreen();
  for (let from = 0; from < rows; from += 100) {
    screen.write(log(line, from, from + 100));
    await screen.settled();
  }
  return screen;
}

/** A log of 1,000 lines in five seconds, with one watcher of 1,000 rows that were full before. */
async function wireBytes() {
  const screen = await filled(plainLine, 1500);
  let bytes = 0;
  let rev = 0;
  const watch = screen.watch({ lines: 1000 }, (update) => {
    const params = { watchId: "w".repeat(22), rev: ++rev, ...update };
    bytes += Buffer.byteLength(JSON.stringify({ jsonrpc: "2.0", method: "terminal.update", params }));
  });
  let raw = 0;
  for (let from = 1500; from < 2500; from += 2) {
    const chunk = log(plainLine, from, from + 2);
    raw += chunk.length;
    screen.write(chunk);
    await sleep(9);
  }
  await sleep(1200);
  watch.close();
  screen.dispose();
  return [
    {
      what: "95 KB scrolling log, watch of 1,000 rows: bytes on the wire / of the pty",
      value: bytes / raw,
      unit: "×",
      goal: "≤ 6",
    },
    { what: "the same: updates", value: rev, unit: "" },
  ];
}

/** 100 full terminals of 5,000 rows and more, the memory of a process that has nothing else. */
async function memoryOf(line) {
  const bare = process.memoryUsage().rss;
  const screens = [];
  for (let count = 0; count < 100; count++) {
    screens.push(await filled(line));
  }
  await sleep(6000);
  return { bare: bare / 1e6, full: process.memoryUsage().rss / 1e6, screens: screens.length };
}

async function memory() {
  const figures = [];
  for (const kind of ["plain", "coloured"]) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      fileURLToPath(import.meta.url),
      "memory",
      kind,
    ]);
    const { full } = JSON.parse(stdout);
    figures.push({
      what: `100 terminals of 6,250 ${kind} rows × 120 columns: RSS`,
      value: full,
      unit: "MB",
      goal: "≤ 600",
    });
  }
  return figures;
}

async function reading() {
  const figures = [];
  for (const [kind, line] of [
    ["plain", plainLine],
    ["coloured", colouredLine],
  ]) {
    for (const ansi of [false, true]) {
      const cold = [];
      const warm = [];
      for (let round = 0; round < ROUNDS; round++) {
        const screen = await filled(line);
        await sleep(3500);
        cold.push(timed(() => screen.read({ lines: 5000, ansi })));
        warm.push(timed(() => screen.read({ lines: 5000, ansi })));
        screen.dispose();
      }
      const name = `read of 5,000 ${kind} rows${ansi ? " with colours" : ""}`;
      figures.push({ what: `${name}, first`, value: median(cold), unit: "ms" });
      figures.push({ what: `${name}, again`, value: median(warm), unit: "ms" });
    }
  }
  return figures;
}

/** Parsing a chunk and giving its update, in steps as large as a pty's. */
async function updating() {
  const figures = [];
  for (const lines of [40, 1000, 5000]) {
    const screen = await filled(plainLine);
    const costs = [];
    const watch = screen.watch({ lines }, NOTHING);
    for (let from = 7000; from < 7300; from++) {
      const chunk = log(plainLine, from, from + 1);
      // Past the pacing, so that each chunk is an update.
      await sleep(35);
      costs.push(timed(() => screen.write(chunk)));
    }
    watch.close();
    screen.dispose();
    figures.push({
      what: `a line parsed and sent, watch of ${lines} rows, p50`,
      value: median(costs),
      unit: "ms",
    });
    figures.push({
      what: `the same, p99`,
      value: costs.toSorted((a, b) => a - b)[Math.floor(costs.length * 0.99)],
      unit: "ms",
    });
  }
  return figures;
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The screen against the emulator alone with all of the rows as its own. */
async function parsing() {
  const ratios = [];
  const rates = [];
  const data = log(plainLine, 0, 300_000);
  for (let round = 0; round < ROUNDS; round++) {
    const terminal = new headless.Terminal({
      cols: COLS,
      rows: ROWS,
      scrollback: 6250,
      allowProposedApi: true,
    });
    let start = cpuSeconds();
    for (let at = 0; at < data.length; at += 16_384) {
      terminal.input("", true);
      terminal.write(data.subarray(at, at + 16_384));
    }
    const alone = cpuSeconds() - start;
    terminal.dispose();
    const screen = newScreen();
    start = cpuSeconds();
    for (let at = 0; at < data.length; at += 65_536) {
      screen.write(data.subarray(at, at + 65_536));
      await screen.settled();
    }
    const whole = cpuSeconds() - start;
    screen.dispose();
    ratios.push(whole / alone);
    rates.push(data.length / 1e6 / whole);
  }
  return [
    { what: "parsing a plain log", value: median(rates), unit: "MB per CPU second" },
    { what: "parsing / the emulator alone, CPU", value: median(ratios), unit: "×" },
  ];
}

export async function run() {
  const figures = [];
  for (const part of [wireBytes, parsing, reading, updating, memory]) {
    figures.push(...(await part()));
  }
  return figures;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "memory") {
    process.stdout.write(
      JSON.stringify(await memoryOf(process.argv[3] === "plain" ? plainLine : colouredLine)),
    );
    process.exit(0);
  }
  for (const { what, value, unit, goal } of await run()) {
    const wanted = goal === undefined ? "" : ` (goal ${goal})`;
    console.log(`${what}: ${value.toFixed(2)} ${unit}${wanted}`);
  }
}
