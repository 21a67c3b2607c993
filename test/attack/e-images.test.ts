/** Images that strangers made, to break or to fill what decodes them. */
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { ImageShrinker } from "../../src/files/image.js";
import { crc32 } from "../support/crc32.js";
import { imageChildFile, imageShrinker } from "../support/image-child.js";
import { tempFolder, write } from "../support/repo.js";
import { waitFor } from "../support/wait-for.js";

/** A PNG of one colour, of any size: a few bytes a megapixel. */
function pngBomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const whole = Buffer.alloc(body.length + 8);
    whole.writeUInt32BE(data.length, 0);
    body.copy(whole, 4);
    whole.writeUInt32BE(crc32(body), body.length + 4);
    return whole;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1; // one bit, grey
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The least GIF of so many pictures. */
function gifOf(frames: number, side: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  const head = Buffer.concat([
    Buffer.from("GIF89a"),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]);
  const picture = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])]);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => picture), Buffer.from([0x3b])]);
}

const svg = (body: string, size = 'width="100" height="100"'): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${body}</svg>`,
  );

const rssOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // ended
  }
};

describe("E14 bombs", () => {
  test("a small file of 900 megapixels is Unavailable, in little memory", { timeout: 60_000 }, async () => {
    const shrinker = await imageShrinker();
    const bomb = pngBomb(30_000, 30_000);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(shrinker.shrink(bomb)).rejects.toMatchObject({ code: 1003, message: /too many pixels/ });
    for (const pid of shrinker.pids) expect(rssOf(pid)).toBeLessThan(250 * 1024 * 1024);
    // The same process still serves.
    expect(await shrinker.shrink(pngBomb(100, 50))).toMatchObject({ width: 100, height: 50 });
  });

  test("a gif of a thousand pictures shows its first", async () => {
    const shrinker = await imageShrinker();
    expect(await shrinker.shrink(gifOf(1000, 40))).toMatchObject({
      mediaType: "image/png",
      width: 40,
      height: 40,
    });
  });

  test("an svg of a billion laughs, of huge size or of endless filters ends as Unavailable", {
    timeout: 120_000,
  }, async () => {
    const shrinker = await imageShrinker({ jobMs: 8000 });
    const laughs = `<!DOCTYPE svg [<!ENTITY a "ha">${"bcdefghij"
      .split("")
      .map((name, n) => `<!ENTITY ${name} "${`&${"abcdefghij"[n]};`.repeat(10)}">`)
      .join("")}]>${svg("<text>&j;</text>").toString()}`;
    const uses = Array.from(
      { length: 12 },
      (_, n) => `<g id="g${n + 1}">${`<use xlink:href="#g${n}"/>`.repeat(12)}</g>`,
    ).join("");
    const bombs = [
      Buffer.from(laughs),
      svg("<rect width='1' height='1'/>", 'width="100000" height="100000"'),
      svg(`<g id="g0"><rect width="9" height="9"/></g>${uses}`),
      svg(
        `<filter id="f"><feGaussianBlur stdDeviation="5000"/></filter>${'<rect width="6000" height="6000" filter="url(#f)"/>'.repeat(30)}`,
        'width="6000" height="6000"',
      ),
    ];
    for (const bomb of bombs) {
      const answer = await shrinker.shrink(bomb).then(
        ({ data }) => data.length,
        (error: { code: number }) => error.code,
      );
      expect(answer).toBeLessThanOrEqual(560 * 1024);
      for (const pid of shrinker.pids) expect(rssOf(pid)).toBeLessThan(900 * 1024 * 1024);
    }
    expect(await shrinker.shrink(pngBomb(10, 10))).toMatchObject({ width: 10 });
  });

  test("a process that takes too much memory or time is ended, and the next image has a new one", {
    timeout: 60_000,
  }, async () => {
    const input = await sharp({
      create: {
        width: 2600,
        height: 2600,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 30 },
      },
    })
      .tiff()
      .toBuffer();
    const tight = await imageShrinker({ maxRssBytes: 30 * 1024 * 1024 });
    await expect(tight.shrink(input.subarray(0, 30 * 1024 * 1024))).rejects.toMatchObject({ code: 1003 });
    const hasty = await imageShrinker({ jobMs: 1 });
    await expect(hasty.shrink(pngBomb(10, 10))).rejects.toThrow(/too much memory or time/);
    await waitFor("its end", () => hasty.pids.length === 0);
    const good = await imageShrinker();
    expect(await good.shrink(pngBomb(10, 10))).toMatchObject({ width: 10 });
  });

  test("two at once, a bounded queue, and close ends them all", { timeout: 60_000 }, async () => {
    const shrinker = await imageShrinker();
    const jobs = Array.from({ length: 30 }, () =>
      shrinker.shrink(pngBomb(3000, 3000)).then(
        () => "done",
        (error: Error) => error.message,
      ),
    );
    expect(shrinker.pids.length).toBeLessThanOrEqual(2);
    const outcomes = await Promise.all(jobs);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(18);
    expect(outcomes.filter((outcome) => /Too many images/.test(outcome))).toHaveLength(12);
    expect(shrinker.pids.length).toBe(2);
    const [pid = 0] = shrinker.pids;
    shrinker.close();
    await waitFor("the end of its processes", () => shrinker.pids.length === 0 && rssOf(pid) === 0);
    await expect(shrinker.shrink(pngBomb(1, 1))).rejects.toMatchObject({ code: 1003 });
    shrinker.close();
  });

  test("a process without work ends by itself", async () => {
    const shrinker = new ImageShrinker({ childFile: await imageChildFile(), idleMs: 50 });
    await shrinker.shrink(pngBomb(1, 1));
    const [pid = 0] = shrinker.pids;
    await waitFor("its end", () => rssOf(pid) === 0);
    shrinker.close();
  });
});

describe("H12 hostile files reach decoders only in a process of their own", () => {
  test("truncated and twisted files of each kind are Unavailable or harmless, and the process lives on", {
    timeout: 120_000,
  }, async () => {
    const shrinker = await imageShrinker();
    const noise = sharp({
      create: {
        width: 120,
        height: 90,
        channels: 3,
        background: "red",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    });
    for (const format of ["png", "jpeg", "gif", "webp", "avif", "tiff"] as const) {
      const whole = await noise.clone().toFormat(format).toBuffer();
      for (const part of [0.1, 0.5, 0.9]) {
        await expect(
          shrinker.shrink(whole.subarray(0, whole.length * part)),
          `${format} ${part}`,
        ).rejects.toMatchObject({ code: 1003 });
      }
      for (let n = 0; n < 20; n++) {
        const twisted = Buffer.from(whole);
        for (let m = 0; m < 8; m++) {
          const at = (n * 977 + m * 131 + 12) % twisted.length;
          twisted[at] = (twisted[at] ?? 0) ^ (1 << (m % 8));
        }
        await shrinker.shrink(twisted).catch((error: { code: number }) => expect(error.code).toBe(1003));
      }
    }
    expect(await shrinker.shrink(pngBomb(10, 10))).toMatchObject({ width: 10 });
  });

  test("kinds without a decoder of ours are refused", async () => {
    const shrinker = await imageShrinker();
    for (const other of [
      "P6 2 2 255 abcdefghijkl",
      "%PDF-1.4\n",
      "SIMPLE  =",
      "#?RADIANCE\n",
      "\0\0\0\fjP  \r\n",
      "",
      "id=ImageMagick",
    ]) {
      await expect(shrinker.shrink(Buffer.from(other, "latin1"))).rejects.toThrow(/damaged, or of a kind/);
    }
  });

  test("an svg shows no other file and asks no network", async () => {
    const folder = tempFolder();
    const red = await sharp({ create: { width: 100, height: 100, channels: 3, background: "#ff0000" } })
      .png()
      .toBuffer();
    write(folder, { "red.png": red, "secret.txt": "secret" });
    const shrinker = await imageShrinker();
    const { data } = await shrinker.shrink(
      svg(
        `<rect width="100" height="100" fill="#0000ff"/><image width="100" height="100" xlink:href="file://${folder}/red.png"/><image width="100" height="100" href="${folder}/red.png"/><image href="http://127.0.0.1:9/x.png" width="9" height="9"/><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${folder}/secret.txt" parse="text"/>`,
      ),
    );
    const { dominant } = await sharp(data).stats();
    expect(dominant.b).toBeGreaterThan(200);
    expect(dominant.r).toBeLessThan(50);
  });

  test("the process has nothing of the daemon's environment", async () => {
    const shrinker = await imageShrinker();
    await shrinker.shrink(pngBomb(1, 1));
    const [pid = 0] = shrinker.pids;
    const environ = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(environ).not.toContain("HOME=");
    expect(environ).not.toContain("PATH=/");
    expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/Max data size\s+1073741824/);
  });
});
