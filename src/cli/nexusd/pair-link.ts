/**
 * Shows a pairing link. It holds a secret: it goes to a terminal, or to
 * standard output when the owner asked for that, and nowhere else.
 */
import { renderUnicodeCompact } from "uqr";
import { readEnv } from "../env.js";
import { usage } from "../exit.js";
import type { Output } from "../output.js";
import { widthOf } from "../width.js";

/** Modules of quiet space around a code; below two some phones do not find it. */
const QR_BORDER = 2;

/** White modules must be light whatever the terminal's colours are. */
const WHITE_ON_BLACK = "\x1b[97;40m";
const RESET = "\x1b[0m";

export interface ShowOptions {
  readonly printLink: boolean;
  readonly expiresAt: number;
}

/** Refuses where a log or another program would read the link. */
export function checkMayShow(output: Output, options: { printLink: boolean }): void {
  if (options.printLink || (output.isTerminal && !output.json)) return;
  throw usage(
    "The pairing link is a secret and standard output is no terminal; pass --print-link to print it all the same",
  );
}

/** The link alone on its first line, then, on a terminal, the code and what to do. */
export function showPairLink(output: Output, link: string, options: ShowOptions): void {
  if (output.json) {
    output.value({ link, expiresAt: options.expiresAt });
    return;
  }
  output.line(link);
  if (!output.isTerminal) return;
  const minutes = Math.max(1, Math.round((options.expiresAt - Date.now()) / 60_000));
  output.raw(qrCode(link, process.stdout.columns ?? 0));
  output.line(`Scan it, open it, or paste it at nexus pair. It lets one device ask, within ${minutes} min.`);
}

/** The QR code of a link, or nothing on a terminal that is too narrow for it. */
function qrCode(link: string, columns: number): string {
  const lines = renderUnicodeCompact(link, { border: QR_BORDER }).split("\n");
  if (columns > 0 && widthOf(lines[0] ?? "") > columns) return "";
  const colored = !readEnv().noColor;
  return lines.map((line) => (colored ? `${WHITE_ON_BLACK}${line}${RESET}\n` : `${line}\n`)).join("");
}
