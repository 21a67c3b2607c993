/** What runs until Ctrl-C, --timeout, or its own end. */
import { timedOut } from "./exit.js";

/** Ends it: with an error as a failure, without one as done. */
export type Stop = (error?: unknown) => void;

/**
 * Runs `begin`, whose answer ends it, until it is stopped. Ctrl-C and a
 * terminal that goes away are the ways to end it, so they are done, not failed;
 * past `timeoutMs` it fails as timed out.
 */
export async function untilStopped(
  timeoutMs: number | undefined,
  begin: (stop: Stop) => () => void,
): Promise<void> {
  let stop: Stop = () => undefined;
  const stopped = new Promise<void>((resolve, reject) => {
    stop = (error) => {
      if (error === undefined) resolve();
      else reject(error);
    };
  });
  stopped.catch(() => undefined); // awaited below, perhaps only after it happened
  const done = (): void => stop();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(timedOut("The time of --timeout is over")), timeoutMs);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, done);
  const end = begin(stop);
  try {
    await stopped;
  } finally {
    end();
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, done);
  }
}
