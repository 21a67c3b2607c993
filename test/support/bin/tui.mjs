#!/usr/bin/env node
// A scripted agent's TUI: bracketed paste, raw mode, and a composer that submits at Enter. An Enter that
// comes in the same read as a paste's end belongs to the paste, as in the real ones. It writes each
// submitted message as one JSON line to the file of its argument.
import { appendFileSync } from "node:fs";

const [, , out] = process.argv;
const START = "\x1b[200~";
const END = "\x1b[201~";
let composer = "";
let pasting = false;
let rest = "";

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdout.write("\x1b[?2004hcomposer ready\r\n");

process.stdin.on("data", (chunk) => {
  let text = rest + chunk;
  rest = "";
  let pasted = pasting;
  while (text.length > 0) {
    const marker = pasting ? END : START;
    const at = text.indexOf(marker);
    const piece = at < 0 ? text : text.slice(0, at);
    const partial = at < 0 ? /\x1b(\[(2(0([01]~?)?)?)?)?$/.exec(piece) : null;
    if (partial) rest = piece.slice(partial.index);
    take(partial ? piece.slice(0, partial.index) : piece, pasting || pasted);
    if (at < 0) break;
    text = text.slice(at + marker.length);
    pasting = !pasting;
    pasted = true;
  }
  process.stdout.write(`\r\x1b[K> ${composer.length} characters`);
});

function take(piece, isPaste) {
  for (const char of piece) {
    if (char === "\x03") process.exit(0);
    if (char === "\r" && !isPaste) submit();
    else composer += char === "\r" ? "\n" : char;
  }
}

function submit() {
  appendFileSync(out, `${JSON.stringify(composer)}\n`);
  composer = "";
  process.stdout.write("\r\nsubmitted\r\n");
}
