/** What a state file is to the code that fills it; the server opens and checks the file. */

export interface Kept<T> {
  readonly value: T;
  /** `value` is `next` at once; resolves when it is on the disk, rejects with the old value back. */
  save(next: T): Promise<void>;
}
