/** Where the output stood at each input, so that a wait can look at all that came after one. */
import type { LineCursor, Screen } from "../screen.js";
import { MAX_TYPED_PLACES } from "./limits.js";

export class TypedPlaces {
  readonly #screen: Screen;
  readonly #places: { readonly stamp: number; readonly cursor: LineCursor }[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Milliseconds since the last input. */
  get untypedMs(): number {
    return performance.now() - this.#typedAt;
  }

  /** Call before the first byte of an input is written. */
  note(stamp: number): void {
    this.#typedAt = performance.now();
    this.#places.push({ stamp, cursor: this.#screen.logicalLines({}).cursor });
    if (this.#places.length > MAX_TYPED_PLACES) this.#places.shift();
  }

  /** The place at the newest input that is not younger than the stamp, else the oldest one known. */
  at(stamp: number): LineCursor | undefined {
    return (this.#places.findLast((place) => place.stamp <= stamp) ?? this.#places[0])?.cursor;
  }

  linesSince(since: LineCursor | undefined): { lines: string[]; cursor: LineCursor } {
    return this.#screen.logicalLines(since === undefined ? {} : { since });
  }
}
