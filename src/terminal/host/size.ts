/** Sizes of terminals, and of windows that are attached to them. */
import { invalidParams } from "../../protocol/errors.js";
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  MAX_COLS,
  MAX_ROWS,
  MAX_WINDOW_CELLS,
  MIN_COLS,
  MIN_ROWS,
  MIN_WINDOW_CELLS,
} from "./limits.js";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The size to open with; InvalidParams for one that no terminal has. */
export function openingSize({ cols = DEFAULT_COLS, rows = DEFAULT_ROWS }: Partial<Size>): Size {
  if (!isWithin(cols, MIN_COLS, MAX_COLS) || !isWithin(rows, MIN_ROWS, MAX_ROWS)) {
    throw invalidParams(`A terminal has ${MIN_COLS}–${MAX_COLS} columns and ${MIN_ROWS}–${MAX_ROWS} rows`);
  }
  return { cols, rows };
}

/** InvalidParams for a size that no window has. */
export function checkWindowSize({ cols, rows }: Size): void {
  const fits = [cols, rows].every((cells) => isWithin(cells, MIN_WINDOW_CELLS, MAX_WINDOW_CELLS));
  if (!fits) throw invalidParams(`A window has ${MIN_WINDOW_CELLS} to ${MAX_WINDOW_CELLS} columns and rows`);
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
