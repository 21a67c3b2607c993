/** The keyboard as it is: every key as the bytes that it sends, until the raw mode is left. */

export interface RawInput {
  /** Sets the one listener. */
  onData(listener: (bytes: Buffer) => void): void;
  /** Gives the terminal its line discipline back. Idempotent. */
  close(): void;
}

/** Raw mode also ends with the process, however that ends. */
export function openRawInput(): RawInput {
  const { stdin } = process;
  let listener: ((bytes: Buffer) => void) | undefined;
  let closed = false;
  const take = (bytes: Buffer): void => listener?.(bytes);
  const close = (): void => {
    if (closed) return;
    closed = true;
    process.off("exit", close);
    stdin.off("data", take);
    stdin.setRawMode(false);
    stdin.pause();
  };
  process.once("exit", close);
  stdin.setRawMode(true);
  stdin.on("data", take);
  stdin.resume();
  return {
    onData(next) {
      listener = next;
    },
    close,
  };
}
