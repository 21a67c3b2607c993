/** The key that leaves an attached terminal, and where it stands in what was typed. */
import { usage } from "./exit.js";

const CONTROL_BITS = 0x1f;

export interface DetachKey {
  readonly name: string;
  /** The forms in which terminals send it: as a control, and by the two newer keyboard protocols. */
  readonly forms: readonly string[];
}

/** `ctrl-` and a letter or one of `]\^_`. Throws usage for another key, which programs need themselves. */
export function parseDetachKey(text: string): DetachKey {
  const match = /^ctrl-([a-z\]\\^_])$/.exec(text.toLowerCase());
  const char = match?.[1];
  if (char === undefined)
    throw usage("The key that leaves is ctrl- and a letter, or ctrl-], ctrl-\\, ctrl-^, ctrl-_");
  const code = char.charCodeAt(0);
  return {
    name: `ctrl-${char}`,
    forms: [String.fromCharCode(code & CONTROL_BITS), `\x1b[${code};5u`, `\x1b[27;5;${code}~`],
  };
}

/** Where the key stands in the bytes, or -1. */
export function findDetachKey(bytes: Buffer, { forms }: DetachKey): number {
  const places = forms.map((form) => bytes.indexOf(form, 0, "latin1")).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}
