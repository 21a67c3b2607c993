/** Splits git's `-z` output into its fields while it comes. */

const NUL = 0;

export class Fields {
  readonly #take: (field: Buffer) => void;
  #rest: Buffer[] = [];

  constructor(take: (field: Buffer) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NUL); end !== -1; end = chunk.indexOf(NUL, from)) {
      const part = chunk.subarray(from, end);
      if (this.#rest.length === 0) this.#take(part);
      else {
        this.#take(Buffer.concat([...this.#rest, part]));
        this.#rest = [];
      }
      from = end + 1;
    }
    if (from < chunk.length) this.#rest.push(Buffer.from(chunk.subarray(from)));
  }
}
