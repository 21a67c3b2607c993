/** How far rows moved up between two pictures of a terminal, so that only what is new is drawn. Pure. */

/** Rows that must agree before a shift is believed. */
const PROBE_ROWS = 6;

/**
 * The number of rows that left at the top; `before.length` when nothing of the
 * old picture is at the top of the new one.
 */
export function shiftOf(before: readonly string[], after: readonly string[]): number {
  if (before.length === 0 || after.length === 0 || agree(before, after, 0)) return 0;
  for (let shift = 1; shift < before.length; shift++) {
    if (before[shift] === after[0] && agree(before, after, shift)) return shift;
  }
  return before[0] === after[0] ? 0 : before.length;
}

function agree(before: readonly string[], after: readonly string[], shift: number): boolean {
  const rows = Math.min(PROBE_ROWS, before.length - shift, after.length);
  for (let row = 0; row < rows; row++) if (before[shift + row] !== after[row]) return false;
  return true;
}
