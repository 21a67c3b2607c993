/**
 * Draws a terminal's text into the document: a row an element, and of each new
 * picture only the rows that changed. It follows the end unless one scrolled.
 */
import { FOLLOW_PX } from "../limits.js";
import { plainOf, type Segment, segmentsOf } from "./ansi.js";
import { shiftOf } from "./shift.js";

/** Rows that are one line drawn across: wrapped they would be several. */
const RULE = /^\s*([─━═▔▁_╌┄=\-*])\1{19,}\s*$/u;

export class ScreenView {
  readonly #scroller: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #onFollow: (follows: boolean) => void;
  #shown: string[] = [];
  #waiting: string | undefined;
  #frame: number | undefined;
  #follows = true;
  readonly #scrolled = (): void => this.#look();
  readonly #resized: ResizeObserver;

  constructor(scroller: HTMLElement, rows: HTMLElement, onFollow: (follows: boolean) => void) {
    this.#scroller = scroller;
    this.#rows = rows;
    this.#onFollow = onFollow;
    scroller.addEventListener("scroll", this.#scrolled, { passive: true });
    this.#resized = new ResizeObserver(() => this.#keepEnd());
    this.#resized.observe(scroller);
  }

  /** Drawn with the browser's next frame; a newer text takes its place. */
  show(text: string): void {
    this.#waiting = text;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      const next = this.#waiting;
      this.#waiting = undefined;
      if (next !== undefined) this.#draw(next.split("\n"));
    });
  }

  toEnd(): void {
    this.#setFollows(true);
    this.#keepEnd();
  }

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#scroller.removeEventListener("scroll", this.#scrolled);
    this.#resized.disconnect();
  }

  #draw(rows: string[]): void {
    const shift = shiftOf(this.#shown, rows);
    for (let left = 0; left < shift; left++) this.#rows.firstElementChild?.remove();
    const kept = this.#shown.slice(shift);
    while (this.#rows.childElementCount > rows.length) this.#rows.lastElementChild?.remove();
    const elements = this.#rows.children;
    const added = document.createDocumentFragment();
    rows.forEach((row, index) => {
      const element = elements[index];
      if (element === undefined) added.append(fill(document.createElement("div"), row));
      else if (kept[index] !== row) fill(element as HTMLElement, row);
    });
    this.#rows.append(added);
    this.#shown = rows;
    this.#keepEnd();
  }

  #keepEnd(): void {
    if (this.#follows) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#setFollows(scrollHeight - scrollTop - clientHeight < FOLLOW_PX);
  }

  #setFollows(follows: boolean): void {
    if (follows === this.#follows) return;
    this.#follows = follows;
    this.#onFollow(follows);
  }
}

function fill(element: HTMLElement, row: string): HTMLElement {
  element.className = RULE.test(plainOf(row)) ? "row rule" : "row";
  element.replaceChildren(...segmentsOf(row).map(spanOf));
  return element;
}

function spanOf(segment: Segment): Node {
  if (segment.classes === "" && segment.color === undefined && segment.background === undefined) {
    return document.createTextNode(segment.text);
  }
  const span = document.createElement("span");
  span.className = segment.classes;
  span.textContent = segment.text;
  if (segment.color !== undefined) span.style.color = segment.color;
  if (segment.background !== undefined) span.style.background = segment.background;
  return span;
}
