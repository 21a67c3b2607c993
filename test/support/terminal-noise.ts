/**
 * Random output of terminal programs, from a seed: text of all widths, every
 * kind of sequence that moves, erases, scrolls, styles or switches, and bytes
 * that mean nothing.
 */
export type Random = () => number;

/** Mulberry32: small, fast, the same everywhere. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function integer(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const WORDS = [
  "plain",
  "two words",
  "x",
  "  ",
  "\t",
  "0123456789",
  "─│┌",
  "漢字",
  "表示テスト",
  "e\u0301a\u0308",
  "😀",
  "👩‍👩‍👧‍👦",
  "❤️",
  "한국어",
  "\u200b",
  "\ufeff",
  "ａ",
  "naïve",
  "\u00a0",
  "🇩🇪",
  '"quoted\\"',
  "\u0300",
] as const;

const CONTROLS = [
  "\r\n",
  "\n",
  "\r",
  "\b",
  "\t",
  "\v",
  "\f",
  "\x07",
  "\x0e",
  "\x0f",
  "\x00",
  "\x7f",
] as const;

const COUNTED = "ABCDEFGHIJKLMPSTXZ@`abdefr".split("");

const ESCAPES = [
  "\x1b7",
  "\x1b8",
  "\x1bD",
  "\x1bE",
  "\x1bM",
  "\x1bH",
  "\x1b#8",
  "\x1b(0",
  "\x1b(B",
  "\x1b=",
  "\x1b>",
  "\x1b[s",
  "\x1b[u",
  "\x1b[!p",
  '\x1b[1"q',
  '\x1b[0"q',
  "\x1b[?J",
  "\x1b[?1J",
  "\x1b[?2K",
  "\x1b[g",
  "\x1b[3g",
  "\x1b[2J",
  "\x1b[J",
  "\x1b[1J",
  "\x1b[K",
  "\x1b[1K",
  "\x1b[2K",
  "\x1b[2 @",
  "\x1b[2 A",
  "\x1b[3'}",
  "\x1b[3'~",
  "\u0084",
  "\u0085",
  "\u008d",
  "\x1b[c",
  "\x1b[6n",
  "\x1b[?2004$p",
  "\x1bP$qm\x1b\\",
  "\x1b]0;title\x07",
  "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\",
  "\x1b]52;c;aGk=\x07",
  "\x1b_apc\x1b\\",
  "\x1b^pm\x1b\\",
  "\x1b[99999S",
  "\x1b[99999L",
  "\x1b[4000b",
  "\x1b[2147483647M",
  "\x1b[r",
  "\x1b[999;999H\x1b[1J",
  "\x18",
  "\x1a",
] as const;

const MODES = [
  "?25",
  "?6",
  "?7",
  "4",
  "20",
  "?45",
  "?1",
  "?2004",
  "?2026",
  "?5",
  "?12",
  "?3",
  "?1000",
  "?66",
] as const;

const ALTERNATE = ["?1049", "?1047", "?47"] as const;

const STYLES = [
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "7",
  "8",
  "9",
  "21",
  "22",
  "23",
  "24",
  "25",
  "27",
  "28",
  "29",
  "53",
  "55",
  "59",
  "31",
  "42",
  "97",
  "104",
  "39",
  "49",
  "38;5;200",
  "48;5;17",
  "38;2;1;2;3",
  "48;2;250;128;0",
  "4:2",
  "4:3",
  "4:4",
  "4:5",
  "58:5:9",
  "58:2::9;8",
  "58;2;10;20;30",
] as const;

/** One piece of output, from a character to a few lines; never one that `without` matches. */
export function noise(random: Random, without?: RegExp): Buffer {
  for (;;) {
    const bytes = anyNoise(random);
    if (!without?.test(bytes.toString("latin1"))) {
      return bytes;
    }
  }
}

function anyNoise(random: Random): Buffer {
  const kind = random();
  if (kind < 0.34) {
    return Buffer.from(words(random));
  }
  if (kind < 0.5) {
    return Buffer.from(`${words(random)}\r\n`.repeat(integer(random, 1, 4)));
  }
  if (kind < 0.6) {
    return Buffer.from(pick(random, CONTROLS));
  }
  if (kind < 0.74) {
    return Buffer.from(`\x1b[${counts(random)}${pick(random, COUNTED)}`);
  }
  if (kind < 0.84) {
    return Buffer.from(`\x1b[${pick(random, STYLES)};${pick(random, STYLES)}m${words(random)}`);
  }
  if (kind < 0.91) {
    return Buffer.from(pick(random, ESCAPES));
  }
  return rare(random);
}

function rare(random: Random): Buffer {
  const kind = random();
  if (kind < 0.3) {
    return Buffer.from(`\x1b[${pick(random, MODES)}${random() < 0.5 ? "h" : "l"}`);
  }
  if (kind < 0.6) {
    return Buffer.from(`\x1b[${pick(random, ALTERNATE)}${random() < 0.45 ? "h" : "l"}`);
  }
  if (kind < 0.75) {
    return Buffer.from(Array.from({ length: integer(random, 1, 12) }, () => integer(random, 0, 255)));
  }
  if (kind < 0.83) {
    return Buffer.from("\x1b[3J");
  }
  if (kind < 0.87) {
    return Buffer.from("\x1bc");
  }
  if (kind < 0.93) {
    return Buffer.from("y\r\n".repeat(integer(random, 1, 400)));
  }
  return Buffer.from(`${"wrapped line ".repeat(integer(random, 1, 60))}\r\n`);
}

function words(random: Random): string {
  return Array.from({ length: integer(random, 1, 6) }, () => pick(random, WORDS)).join(
    random() < 0.5 ? " " : "",
  );
}

function counts(random: Random): string {
  const one = () => (random() < 0.2 ? "" : String(integer(random, 0, random() < 0.1 ? 300 : 12)));
  return random() < 0.6 ? one() : `${one()};${one()}`;
}

/** Cuts bytes into pieces of random length, also inside characters and sequences. */
export function cutUp(random: Random, bytes: Buffer): Buffer[] {
  if (random() < 0.7 || bytes.length < 2) {
    return [bytes];
  }
  const at = integer(random, 1, bytes.length - 1);
  return [bytes.subarray(0, at), ...cutUp(random, bytes.subarray(at))];
}
