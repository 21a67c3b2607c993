/** What a keyboard sends in raw mode, as the texts and keys of terminal.input. */
import type { TerminalKey } from "../../protocol/rpc.js";

/** One terminal.input: the text, then the keys. */
export interface Typed {
  text?: string;
  keys?: TerminalKey[];
}

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Keys and characters of one terminal.input, which takes 64 and 65,536. */
const MAX_KEYS = 64;
const MAX_CHARS = 64 * 1024;

const CONTROLS: Readonly<Record<string, TerminalKey>> = {
  "\r": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\x1b": "esc",
};

/** By the last letter of CSI or SS3. */
const LETTERS: Readonly<Record<string, TerminalKey>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift-tab",
};

/** By the number of CSI n ~. */
const NUMBERS: Readonly<Record<string, TerminalKey>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "pageup",
  "6": "pagedown",
  "7": "home",
  "8": "end",
};

/** A whole CSI or SS3 sequence at the start. */
const SEQUENCE = /^\x1b(?:O([A-Za-z])|\[([0-9;:<=>?]*)[ -/]*([@-~]))/;
/** The start of one, all that there is. */
const UNFINISHED = /^\x1b(?:O|\[[0-9;:<=>?]*[ -/]*)$/;

export class TypedKeys {
  readonly #utf8 = new TextDecoder("utf-8");
  #rest = "";
  #pasting = false;
  #typed: Typed[] = [];

  /** What these bytes add; a sequence or a character that goes on in the next ones waits for them. */
  push(bytes: Uint8Array): Typed[] {
    this.#rest += this.#utf8.decode(bytes, { stream: true });
    this.#typed = [];
    while (this.#rest !== "" && this.#step());
    return this.#typed;
  }

  /** Takes one thing off the front; false when it has to wait. */
  #step(): boolean {
    if (this.#pasting) return this.#paste();
    const char = this.#rest.charAt(0);
    if (char === "\x1b") return this.#escape();
    const text = /^[^\x00-\x1f\x7f]+/.exec(this.#rest)?.[0];
    if (text !== undefined) {
      this.#text(text);
      this.#skip(text.length);
      return true;
    }
    this.#control(char);
    this.#skip(1);
    return true;
  }

  #escape(): boolean {
    if (this.#rest.startsWith(PASTE_START)) {
      this.#pasting = true;
      this.#skip(PASTE_START.length);
      return true;
    }
    const sequence = SEQUENCE.exec(this.#rest);
    if (sequence !== null) {
      this.#sequence(sequence);
      this.#skip(sequence[0].length);
      return true;
    }
    if (UNFINISHED.test(this.#rest)) return false;
    // Esc alone, or Alt with what follows, which programs take as Esc and the key
    this.#key("esc");
    this.#skip(1);
    return true;
  }

  /** Keys without a name in the protocol are dropped. */
  #sequence([, ss3, params = "", final]: RegExpExecArray): void {
    const [first = ""] = params.split(/[;:]/, 1);
    const key = final === "~" ? NUMBERS[first] : LETTERS[ss3 ?? final ?? ""];
    if (key !== undefined) this.#key(key);
  }

  #control(char: string): void {
    const named = CONTROLS[char];
    const code = char.charCodeAt(0);
    if (named !== undefined) this.#key(named);
    else if (code >= 1 && code <= 26) this.#key(`ctrl-${String.fromCharCode(code + 0x60)}` as TerminalKey); // a to z, all of which it has
  }

  /** All up to the frame's end; a start of that end at the end of the bytes waits. */
  #paste(): boolean {
    const end = this.#rest.indexOf(PASTE_END);
    if (end !== -1) {
      this.#text(this.#rest.slice(0, end));
      this.#skip(end + PASTE_END.length);
      this.#pasting = false;
      return true;
    }
    let keep = PASTE_END.length - 1;
    while (keep > 0 && !PASTE_END.startsWith(this.#rest.slice(-keep))) keep--;
    const ready = this.#rest.length - keep;
    this.#text(this.#rest.slice(0, ready));
    this.#skip(ready);
    return false;
  }

  #text(text: string): void {
    for (let from = 0; from < text.length; from += MAX_CHARS) {
      this.#typed.push({ text: text.slice(from, from + MAX_CHARS) });
    }
  }

  #key(key: TerminalKey): void {
    const last = this.#typed.at(-1);
    if (last === undefined || (last.keys?.length ?? 0) >= MAX_KEYS) this.#typed.push({ keys: [key] });
    else last.keys = [...(last.keys ?? []), key];
  }

  #skip(chars: number): void {
    this.#rest = this.#rest.slice(chars);
  }
}
