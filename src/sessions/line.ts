/** Text of programs and agents, made one line that a list can show. */

/** Escape sequences of terminals, whole: SGR and its like, OSC up to its end, two-character ones. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
/** What is left of controls, and the marks that turn the direction of text around. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]+/g;

/** Text that is looked at: far more than a line shows, far less than a flood. */
const MAX_READ_CHARS = 16_384;

/** The first `maxChars` of a text as one line, blanks joined; cut with "…", never inside a character. */
export function oneLine(text: string, maxChars: number): string {
  const line = text
    .slice(0, MAX_READ_CHARS)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(ESCAPES, "")
    .replace(CONTROLS, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= maxChars) return line;
  const cut = line.slice(0, maxChars - 1).replace(/\p{Cs}$/u, "");
  return `${cut.trimEnd()}…`;
}
