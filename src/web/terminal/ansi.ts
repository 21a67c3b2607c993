/** One row of a terminal, from SGR escapes to segments with classes and colours. Pure but for its memory. */
import { createAnsiSequenceParser, type ParseToken } from "ansi-sequence-parser";
import { MAX_LINE_CHARS, MAX_PARSED_ROWS } from "../limits.js";

export interface Segment {
  readonly text: string;
  readonly classes: string;
  /** CSS colours beyond the sixteen, which follow the theme by their classes. */
  readonly color?: string;
  readonly background?: string;
}

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** Underline styles and their colour, which the parser does not know: an underline is what stays of them. */
const SGR = /\u001b\[([\d;:]*)m/g;
const ANY_ESCAPE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[^[])?/g;

const parsed = new Map<string, readonly Segment[]>();

export function segmentsOf(row: string): readonly Segment[] {
  const known = parsed.get(row);
  if (known !== undefined) return known;
  const segments = parse(row);
  if (parsed.size >= MAX_PARSED_ROWS) parsed.clear();
  parsed.set(row, segments);
  return segments;
}

/** The row as one reads it. */
export function plainOf(row: string): string {
  return row.replace(ANY_ESCAPE, "");
}

function parse(row: string): Segment[] {
  const simple = row.replace(SGR, (_whole, codes: string) => `\u001b[${simpler(codes)}m`);
  const parser = createAnsiSequenceParser();
  let left = MAX_LINE_CHARS;
  const segments: Segment[] = [];
  for (const token of parser.parse(simple)) {
    const text = token.value.slice(0, left);
    left -= text.length;
    if (text !== "") segments.push(segmentOf(token, text));
    if (left <= 0) {
      segments.push({ text: " …", classes: "cut" });
      break;
    }
  }
  return segments;
}

function simpler(codes: string): string {
  return codes
    .split(";")
    .filter((code) => !code.startsWith("58:"))
    .map((code) => (code.startsWith("4:") ? (code === "4:0" ? "24" : "4") : code))
    .join(";");
}

function segmentOf(token: ParseToken, text: string): Segment {
  const swap = token.decorations.has("reverse");
  const front = swap ? token.background : token.foreground;
  const back = swap ? token.foreground : token.background;
  const classes = [...token.decorations].filter((name) => name !== "reverse").map((name) => `t-${name}`);
  const color = colorOf(front, "f", classes);
  const background = colorOf(back, "b", classes);
  if (swap && front === null) classes.push("f-default");
  if (swap && back === null) classes.push("b-default");
  return {
    text,
    classes: classes.join(" "),
    ...(color === undefined ? {} : { color }),
    ...(background === undefined ? {} : { background }),
  };
}

function colorOf(color: ParseToken["foreground"], side: "f" | "b", classes: string[]): string | undefined {
  if (color === null) return undefined;
  if (color.type === "rgb") return `rgb(${color.rgb.join(" ")})`;
  if (color.type === "named") {
    const bright = color.name.startsWith("bright");
    const name = bright ? color.name.slice("bright".length).toLowerCase() : color.name;
    classes.push(`${side}-${NAMES.indexOf(name) + (bright ? 8 : 0)}`);
    return undefined;
  }
  if (color.index >= 16) return tableColor(color.index);
  classes.push(`${side}-${color.index}`);
  return undefined;
}

/** The 240 colours after the first sixteen: a cube of six steps, then greys. */
function tableColor(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${step(Math.floor(cube / 36))} ${step(Math.floor(cube / 6) % 6)} ${step(cube % 6)})`;
}
