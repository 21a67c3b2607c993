/**
 * Takes the questions that a program asks its terminal out of a stream of bytes:
 * the host's emulator has answered them already, and the desk's own would answer
 * a second time. Everything else goes through as it came, across chunks.
 */

const ESC = 0x1b;
const BEL = 0x07;
const ENQ = 0x05;
const CAN = 0x18;
const SUB = 0x1a;
/** A sequence that grows past this is passed on as it is: no question is that long. */
const MAX_HELD_BYTES = 4096;

/** CSI bodies (parameters, intermediates, final) that are questions. */
const CSI_QUESTIONS = [
  /^[>=?]?[\d;]*c$/, // DA1, DA2, DA3
  /^\??[\d;]*n$/, // DSR, CPR and their private kin
  /^\??[\d;]*\$p$/, // DECRQM
  /^>[\d;]*q$/, // XTVERSION
  /^[01]?x$/, // DECREQTPARM
  /^(?:1[1-9]|2[01])(?:;[\d;]*)?t$/, // window reports
  /^\?u$/, // keyboard protocol
  /^\?[\d;]*S$/, // graphics attributes
  /^\?[\d;]*m$/, // XTQMODKEYS
  /^[\d;]*\*y$/, // DECRQCRA
  /^[\d;]*&u$|^[\d;]*\+[xz]$|^\d*\$w$/, // DECRQUPSS, function keys, DECRQPSR
];
/** OSC bodies that are questions: colours, fonts, the clipboard. */
const OSC_QUESTION =
  /^(?:4;(?:\d+;[^;]*;)*\d+;\?.*|5;.*\?|1\d;(?:[^;]*;)*\?.*|50;\?.*|52;[^;]*;\?|60|61|99;.*\?.*)$/;
/** DCS bodies that are questions: DECRQSS, XTGETTCAP, XTGETXRES. */
const DCS_QUESTION = /^[\d;]*(?:\$q|\+q|\+Q)/;

type State = "ground" | "escape" | "csi" | "string" | "stringEscape";

export class QueryFilter {
  #state: State = "ground";
  /** What introduced the string: ] or P or another that is no question. */
  #opener = 0;
  #held: number[] = [];

  /** What of the chunk, and of what was held back before it, goes on. */
  push(chunk: Buffer): Buffer {
    const out: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "ground") at = this.#ground(chunk, at, out);
      else this.#byte(chunk[at++] ?? 0, out);
    }
    return out.length === 1 && out[0] ? out[0] : Buffer.concat(out);
  }

  /** Passes on what comes before the next escape or ENQ; returns the place after it. */
  #ground(chunk: Buffer, from: number, out: Buffer[]): number {
    const sequence = placeOf(chunk, ESC, from);
    const enquiry = placeOf(chunk, ENQ, from);
    const end = Math.min(sequence, enquiry);
    if (end > from) out.push(chunk.subarray(from, end));
    if (sequence < enquiry) this.#begin();
    return end + 1;
  }

  #byte(byte: number, out: Buffer[]): void {
    this.#held.push(byte);
    if (this.#held.length > MAX_HELD_BYTES || byte === CAN || byte === SUB) {
      this.#end(out, false);
    } else if (this.#state === "escape") {
      this.#afterEscape(byte, out);
    } else if (this.#state === "csi") {
      this.#inCsi(byte, out);
    } else {
      this.#inString(byte, out);
    }
  }

  #begin(): void {
    this.#held = [ESC];
    this.#state = "escape";
  }

  #afterEscape(byte: number, out: Buffer[]): void {
    if (byte === ESC) {
      this.#held.pop();
      this.#end(out, false);
      this.#begin();
    } else if (byte === 0x5b) {
      this.#state = "csi";
    } else if (byte === 0x5d || byte === 0x50) {
      this.#state = "string";
      this.#opener = byte;
    } else if (byte < 0x20 || byte > 0x2f) {
      // ESC Z is DECID, the oldest way to ask for DA1; intermediates go on to a final byte.
      this.#end(out, byte === 0x5a && this.#held.length === 2);
    }
  }

  #inCsi(byte: number, out: Buffer[]): void {
    if (byte === ESC) {
      this.#held.pop();
      this.#end(out, false);
      this.#begin();
    } else if (byte >= 0x40 && byte <= 0x7e) {
      const body = this.#body(2);
      this.#end(
        out,
        CSI_QUESTIONS.some((question) => question.test(body)),
      );
    }
  }

  #inString(byte: number, out: Buffer[]): void {
    if (this.#state === "stringEscape") {
      if (byte === 0x5c) this.#endString(out, 2);
      else this.#restart(byte, out);
    } else if (byte === BEL && this.#opener === 0x5d) {
      this.#endString(out, 1);
    } else if (byte === ESC) {
      this.#state = "stringEscape";
    }
  }

  /** An ESC inside a string that does not close it begins the next sequence. */
  #restart(byte: number, out: Buffer[]): void {
    this.#held.splice(-2);
    this.#end(out, false);
    this.#begin();
    this.#held.push(byte);
    this.#afterEscape(byte, out);
  }

  #endString(out: Buffer[], terminatorBytes: number): void {
    const body = this.#body(2, terminatorBytes);
    const question = this.#opener === 0x5d ? OSC_QUESTION : DCS_QUESTION;
    this.#end(out, question.test(body));
  }

  #body(start: number, endBytes = 0): string {
    return Buffer.from(this.#held.slice(start, this.#held.length - endBytes)).toString("latin1");
  }

  #end(out: Buffer[], dropped: boolean): void {
    if (!dropped) out.push(Buffer.from(this.#held));
    this.#held = [];
    this.#state = "ground";
  }
}

/** The next place of a byte, the end when there is none. */
function placeOf(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}
