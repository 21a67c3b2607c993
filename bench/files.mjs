/**
 * files.* against ls and against sharp alone, and the delay of the main loop
 * meanwhile. Run alone it prints its figures; `run()` gives them as `{ what, value, unit, goal? }`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { ImageShrinker } from "../dist/files/image.js";
import { listFolder } from "../dist/files/list.js";
import { readFile } from "../dist/files/read.js";

const ROUNDS = 11;
const BUDGET_BYTES = 785_000;
const MAX_SIDE_PX = 2048;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function ls(folder) {
  return new Promise((resolve, reject) => {
    const child = spawn("ls", ["-f", folder], { stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.on("data", () => undefined);
    child.on("error", reject);
    child.on("close", resolve);
  });
}

/** 24 megapixels with the detail of a photo: soft shapes, some grain. */
async function photo() {
  const small = await sharp({
    create: {
      width: 600,
      height: 400,
      channels: 3,
      background: "#777",
      noise: { type: "gaussian", mean: 128, sigma: 70 },
    },
  })
    .blur(2)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return await sharp(small.data, { raw: small.info })
    .resize(6000, 4000, { kernel: "cubic" })
    .jpeg({ quality: 92 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
}

async function listing(top, roots) {
  const folder = join(top, "many");
  mkdirSync(folder);
  for (let n = 0; n < 50_000; n++) writeFileSync(join(folder, `file-${(n * 7919) % 1_000_003}.txt`), "");
  const times = { ours: [], ls: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.ls.push(await timed(() => ls(folder)));
    times.ours.push(await timed(() => listFolder(roots, "many", { budgetBytes: BUDGET_BYTES })));
  }
  const ours = median(times.ours);
  const goal = 2 * median(times.ls) + 10;
  return [
    {
      what: "files.list of 2,000 in 50,000 entries (goal: twice ls -f, and 10 ms)",
      value: ours,
      unit: "ms",
      goal,
    },
  ];
}

async function shrinking(roots, images) {
  const input = await photo();
  writeFileSync(join(roots.top, "photo.jpg"), input);
  // What a program that trusts its images would do, in its own process.
  const alone = () =>
    sharp(input)
      .autoOrient()
      .resize({ width: MAX_SIDE_PX, height: MAX_SIDE_PX, fit: "inside" })
      .jpeg({ quality: 82 })
      .toBuffer();
  const ours = () => readFile(roots, "photo.jpg", { images, budgetBytes: BUDGET_BYTES });
  sharp.cache(false);
  sharp.concurrency(1);
  const times = { ours: [], alone: [] };
  const cold = await timed(ours);
  await alone();
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(await timed(alone));
    times.ours.push(await timed(ours));
  }
  return [
    {
      what: "a 24-megapixel photo made small / sharp alone",
      value: median(times.ours) / median(times.alone),
      unit: "×",
      goal: 1.2,
    },
    { what: "the same, ours", value: median(times.ours), unit: "ms" },
    { what: "the same, with the start of the process", value: cold, unit: "ms" },
  ];
}

export async function run() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "nexusd-bench-files-")));
  const images = new ImageShrinker();
  const roots = { top, folders: async () => [top], forbidden: [] };
  try {
    writeFileSync(join(top, "text.ts"), "const line = 'of some text';\n".repeat(40_000));
    const figures = [...(await listing(top, roots)), ...(await shrinking(roots, images))];
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    for (let round = 0; round < ROUNDS; round++) {
      await listFolder(roots, "many", { budgetBytes: BUDGET_BYTES });
      await readFile(roots, "text.ts", { images, budgetBytes: BUDGET_BYTES });
      await readFile(roots, "photo.jpg", { images, budgetBytes: BUDGET_BYTES });
    }
    loop.disable();
    figures.push({
      what: "files: delay of the main loop meanwhile, p99",
      value: loop.percentile(99) / 1e6,
      unit: "ms",
      goal: 20,
    });
    return figures;
  } finally {
    images.close();
    rmSync(top, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
