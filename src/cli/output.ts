/**
 * What a command writes: lines and tables for people, one JSON value a line
 * with --json. Text from the wire is made printable here; colour only on a
 * terminal that wants it.
 */
import { styleText } from "node:util";
import { readEnv } from "./env.js";
import { type PrintableOptions, printable, printableJson } from "./printable.js";
import { cutToWidth, padToWidth, widthOf } from "./width.js";

/** The part of a stream that writing takes. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly out: Sink;
  readonly err: Sink;
  readonly color: boolean;
}

export type Style = Parameters<typeof styleText>[0];

/** A cell that is coloured where colour is wanted. */
interface StyledCell {
  readonly text: string;
  readonly style: Style;
}
export type Cell = string | StyledCell;

export class Output {
  readonly json: boolean;
  readonly #out: Sink;
  readonly #err: Sink;
  readonly #color: boolean;

  constructor(options: OutputOptions) {
    this.json = options.json;
    this.#out = options.out;
    this.#err = options.err;
    this.#color = options.color;
  }

  get isTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  /** One value, when --json is on. */
  value(value: unknown): void {
    if (this.json) this.#out.write(`${printableJson(value)}\n`);
  }

  /** One line for people; nothing with --json. */
  line(text = ""): void {
    if (!this.json) this.#out.write(`${printable(text)}\n`);
  }

  /** Text of the wire as it is, in lines, with a newline at its end. */
  text(text: string, options: Pick<PrintableOptions, "colors"> = {}): void {
    if (this.json) return;
    const shown = printable(text, { lines: true, ...options });
    this.#out.write(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  /** Text of ours that may hold escapes, such as a QR code; never what came by the wire. */
  raw(text: string): void {
    this.#out.write(text);
  }

  /** A line beside the result, on standard error, also with --json. */
  note(text: string): void {
    this.#err.write(`${printable(text)}\n`);
  }

  /** Columns as wide as their cells; on a terminal the last one is cut to fit. */
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
    if (this.json || rows.length === 0) return;
    for (const line of this.tableLines(head, rows)) this.#out.write(`${line}\n`);
  }

  tableLines(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
    const all = [head, ...rows].map((row) => row.map(cellOf));
    const widths = head.map((_, at) => Math.max(...all.map((row) => widthOf(row[at]?.text ?? ""))));
    const limit = this.#out.isTTY === true ? (this.#out.columns ?? Number.POSITIVE_INFINITY) : Infinity;
    return all.map((row, index) => {
      let left = limit;
      const cells = row.map((cell, at) => {
        const last = at === row.length - 1;
        const width = Math.min(widths[at] ?? 0, Math.max(0, left));
        left -= width + GAP.length;
        const cut = cutToWidth(cell.text, width);
        const text = last ? cut : padToWidth(cut, width);
        return this.#styled(index === 0 ? "dim" : cell.style, text);
      });
      return cells.join(GAP).trimEnd();
    });
  }

  #styled(style: Style | undefined, text: string): string {
    if (!this.#color || style === undefined || text === "") return text;
    return styleText(style, text, { validateStream: false });
  }
}

const GAP = "  ";

function cellOf(cell: Cell): { text: string; style?: Style } {
  return typeof cell === "string"
    ? { text: printable(cell) }
    : { text: printable(cell.text), style: cell.style };
}

/** The output of this process. */
export function createOutput(options: { json?: boolean | undefined } = {}): Output {
  const { stdout, stderr } = process;
  const color = stdout.isTTY === true && !readEnv().noColor;
  return new Output({ json: options.json === true, out: stdout, err: stderr, color });
}

/** A moment for people: the time today, the day before that. */
export function whenText(at: number, now = Date.now()): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, "0");
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return new Date(now).toDateString() === date.toDateString() ? time : `${day} ${time}`;
}
