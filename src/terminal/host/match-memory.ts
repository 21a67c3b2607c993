/** Where each asker's last match of a pattern stopped, so that no line is missed between two asks. */
import type { LineCursor } from "../screen.js";
import { MATCH_MEMORY_MS, MAX_MATCH_MEMORIES } from "./limits.js";

export class MatchMemory {
  readonly #places = new Map<string, { cursor: LineCursor; at: number }>();

  recall(asker: string, pattern: string): LineCursor | undefined {
    const place = this.#places.get(keyOf(asker, pattern));
    if (!place || performance.now() - place.at > MATCH_MEMORY_MS) return undefined;
    return place.cursor;
  }

  remember(asker: string, pattern: string, cursor: LineCursor): void {
    const key = keyOf(asker, pattern);
    this.#places.delete(key);
    this.#places.set(key, { cursor, at: performance.now() });
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_MATCH_MEMORIES && oldest !== undefined) this.#places.delete(oldest);
  }
}

function keyOf(asker: string, pattern: string): string {
  return JSON.stringify([asker, pattern]);
}
